import { MAX_EVENT_BYTES } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import { numbersUpTo } from '../../src/control-link/support.ts'
import { openWorld } from '../world.ts'
import { type LaunchedBot, numbered, openWelcomed, PATIENCE, status } from './world.ts'

/** A connection on which the statements fail that hold `text` and the id of one of the bots. */
function failing(text: string, error: Error, bots: () => LaunchedBot[]) {
  return world.database.withPlugin({
    transformQuery({ node }) {
      const query = JSON.stringify(node)
      if (query.includes(text) && bots().some(({ id }) => query.includes(id))) throw error
      return node
    },
    transformResult: async ({ result }) => result,
  })
}

const world = await openWorld({ links: true })

/** Seven bots that send an event at once, and how the link of each ended. */
async function sendTogether(text: string, error: Error, { guilty }: { guilty: number }) {
  const bots = await Promise.all(numbersUpTo(7).map(() => world.bot()))
  const refused: LaunchedBot[] = []
  const database = failing(text, error, () => refused)
  const server = await world.server({ database })
  const links = await Promise.all(bots.map((bot) => openWelcomed(server, bot)))
  const send = () => {
    refused.push(...bots.slice(0, guilty))
    for (const [place, bot] of bots.entries()) links[place]!.send(numbered(bot.id, 1, status('joining_call')))
  }
  const results = () =>
    Promise.all(
      links.map((link) =>
        Promise.race([
          link.closed,
          expect
            .poll(() => link.received.at(-1), PATIENCE)
            .toEqual({ type: 'ack', seq: 1 })
            .then(() => 'acknowledged'),
        ]),
      ),
    )
  return { bots, send, results }
}

const STORING = 'insert into bot_events'
const ACKNOWLEDGED = numbersUpTo(6).map(() => 'acknowledged')
const withCode = (code: string) => Object.assign(new Error('refused'), { code })

describe('events that cannot be stored', () => {
  test.each([
    ['an error of an unknown kind', new RangeError('Maximum call stack size exceeded'), 1008],
    ['content that the database refuses', withCode('22P05'), 1008],
    ['a row that another transaction holds', withCode('55P03'), 1013],
    ['a statement that takes too long', withCode('57014'), 1013],
  ])('%s closes only the link of that bot', async (_, error, code) => {
    const { send, results } = await sendTogether(STORING, error, { guilty: 1 })
    send()
    expect(await results()).toEqual([code, ...ACKNOWLEDGED])
  })

  test.each([
    ['that shuts down', withCode('57P01')],
    ['that is full', withCode('53100')],
    ['that does not listen', withCode('ECONNREFUSED')],
    ['whose connection broke', new Error('Connection terminated unexpectedly')],
  ])('a database %s closes every link with "try again"', async (_, error) => {
    const { send, results } = await sendTogether(STORING, error, { guilty: 7 })
    send()
    expect(await results()).toEqual(numbersUpTo(7).map(() => 1013))
  })

  test('commands that cannot be read close only the link of that bot', async () => {
    const error = new Error('Connection terminated unexpectedly')
    const { bots, send, results } = await sendTogether('bot_commands', error, { guilty: 1 })
    await world.set(bots[0]!.id, { stop_requested_at: new Date() })
    send()
    expect(await results()).toEqual([1013, ...ACKNOWLEDGED])
  })
})

describe('messages that are refused at once', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const unknownEvent = (bot: LaunchedBot, content: string) =>
    `{"type":"event","seq":1,"bot_id":"${bot.id}","at":"2026-11-25T10:00:00.000Z","event":{"type":"invented","content":${content}}}`

  test.each([
    ['an event', (bot: LaunchedBot) => unknownEvent(bot, nested(20_000))],
    ['an answer', () => `{"type":"answer","id":"a","ok":true,"data":{"content":${nested(20_000)}}}`],
    [
      'a report',
      (bot: LaunchedBot) =>
        unknownEvent(bot, '1')
          .replace('"invented"', '"final_report"')
          .replace('1}}', `${nested(500_000)}}}`),
    ],
  ])('%s that is nested very deep is no message, and the service lives on', async (_, textOf) => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openWelcomed(server, bot)
    link.send(textOf(bot))
    link.send(numbered(bot.id, 1, status('joining_call')))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    expect((await world.events(bot.id)).map(({ type }) => type)).toEqual(['status_change'])
  })

  test('an event as deep as callers may nest their data is stored', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openWelcomed(server, bot)
    link.send(unknownEvent(bot, nested(32)))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
  })

  test('an event of more than its size closes the link; one just below is stored', async () => {
    const server = await world.server()
    const bot = await world.bot()
    const link = await openWelcomed(server, bot)
    link.send(unknownEvent(bot, JSON.stringify('x'.repeat(MAX_EVENT_BYTES - 1024))))
    await expect.poll(() => link.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
    link.send(unknownEvent(bot, JSON.stringify('x'.repeat(MAX_EVENT_BYTES + 1024))).replace('"seq":1', '"seq":2'))
    expect(await link.closed).toBe(1008)
  })
})
