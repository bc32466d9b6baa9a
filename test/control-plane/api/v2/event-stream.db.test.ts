/** Server-sent events of a bot and of a team: a reader that comes back, and one that reads slowly, has the exact sequence of the journal. */
import { randomUUID } from 'node:crypto'
import type { NumberedEvent } from '@standin/wire/events.ts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openWorld } from '../../world.ts'
import { freshMeet, said, startReporting } from '../reporting.ts'

const PATIENT = { timeout: 30_000, interval: 20 }

const world = await openWorld({ api: {} })
const team = await world.team()
const address = await world.app.listen({ host: '127.0.0.1', port: 0 })

const noticed = (message: string): NumberedEvent['event'] => ({ type: 'notice', level: 'info', message })

async function runningBot(of = team) {
  const botId = await world.bot(of, { meeting_url: freshMeet() })
  const { report } = await startReporting(world.database, botId)
  return {
    botId,
    /** As the process with the bot's link does. */
    async report(...events: NumberedEvent['event'][]) {
      await report(...events)
      world.dependencies.eventTail.wake([botId, of.teamId])
    },
  }
}

interface Heard {
  id: string
  event: string
  data: { bot_id?: string; type?: string; data?: { text?: string; message?: string } }
}

/** Reads the stream of the bot or of the team until it is stopped, or the service ends it. */
function listen(
  botId: string | null,
  { after, query = '', key = team.key }: { after?: string; query?: string; key?: string } = {},
) {
  const heard: Heard[] = []
  const stop = new AbortController()
  const answer = fetch(`${address}/v2/${botId === null ? '' : `bots/${botId}/`}events/stream${query}`, {
    headers: { 'x-service-api-key': key, ...(after !== undefined && { 'last-event-id': after }) },
    signal: stop.signal,
  })
  const reading = (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of (await answer).body ?? []) {
      text += decoder.decode(chunk, { stream: true })
      const parts = text.split('\n\n')
      text = parts.pop()!
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
        const data = field('data')
        if (data !== undefined)
          heard.push({ id: field('id') ?? '', event: field('event') ?? 'message', data: JSON.parse(data) })
      }
    }
  })()
  return {
    heard,
    answer,
    /** Resolves when the service ended it. */
    ended: reading,
    async stop() {
      stop.abort()
      await reading.catch(() => {})
    },
  }
}

const textsOf = (heard: readonly Heard[]) => heard.map(({ data }) => data.data?.text ?? data.data?.message)

test('what is stored and what comes later is passed on in one order, with the place of each as its id', async () => {
  const { botId, report } = await runningBot()
  await report(said('one'))
  const follower = listen(botId)
  await expect.poll(() => textsOf(follower.heard), PATIENT).toEqual(['one'])
  await report(noticed('careful'), said('two'))
  await expect.poll(() => textsOf(follower.heard), PATIENT).toEqual(['one', 'careful', 'two'])
  const { status, headers } = await follower.answer
  expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
  const page = await team.get(`/v2/bots/${botId}/events`)
  expect(follower.heard.map(({ data }) => data)).toEqual(page.body.data)
  expect(follower.heard.at(-1)!.id).toBe(page.body.cursor)
  await follower.stop()
  const again = listen(botId, { after: follower.heard[0]!.id, query: '?types=transcript' })
  await expect.poll(() => textsOf(again.heard), PATIENT).toEqual(['two'])
  await again.stop()
})

test('events that were stored without a hint come all the same', async () => {
  const { botId } = await runningBot()
  const follower = listen(botId)
  await follower.answer
  const journalId = randomUUID()
  await world.insert('journals', { bot_id: botId, journal_id: journalId, attempt: 1, last_seq: 1 })
  await world.insert('bot_events', {
    ...{ bot_id: botId, journal_id: journalId, seq: 1, attempt: 1, type: 'transcript', at: new Date() },
    event: JSON.stringify(said('quiet')) as never,
  })
  await expect.poll(() => textsOf(follower.heard), PATIENT).toEqual(['quiet'])
  await follower.stop()
})

test('an attempt that is the bot again comes from its first event', async () => {
  const botId = await world.bot(team, { meeting_url: freshMeet() })
  const store = async (journal: string, attempt: number, seq: number, text: string) => {
    const row = { bot_id: botId, journal_id: journal, attempt }
    await world.database
      .insertInto('journals')
      .values({ ...row, last_seq: seq })
      .onConflict((conflict) => conflict.columns(['bot_id', 'journal_id']).doUpdateSet({ last_seq: seq }))
      .execute()
    await world.insert('bot_events', {
      ...row,
      seq,
      type: 'transcript',
      at: new Date(),
      event: JSON.stringify(said(text)) as never,
    })
  }
  const named = (joined_attempt: number | null) => world.set(botId, { joined_attempt })
  const [first, second] = [randomUUID(), randomUUID()]
  await named(2)
  await store(first, 1, 1, 'one')
  await store(second, 2, 1, 'two')
  const follower = listen(botId)
  await expect.poll(() => textsOf(follower.heard), PATIENT).toEqual(['two'])
  await named(null)
  await store(first, 1, 2, 'three')
  await expect.poll(() => textsOf(follower.heard), PATIENT).toEqual(['two', 'one', 'three'])
  await follower.stop()
})

test('any number of connections, cut anywhere, give the sequence of the journal once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.boolean()), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        const { botId, report } = await runningBot()
        const [steady, restless] = [listen(botId), { heard: [] as Heard[], open: listen(botId) }]
        let count = 0
        for (const [events, isCut] of steps) {
          await report(...Array.from({ length: events }, () => said(String(++count))))
          if (!isCut) continue
          await restless.open.stop()
          restless.heard.push(...restless.open.heard)
          restless.open = listen(botId, { after: restless.heard.at(-1)?.id ?? '' })
        }
        const wanted = Array.from({ length: count }, (_, place) => String(place + 1))
        await expect.poll(() => textsOf(steady.heard), PATIENT).toEqual(wanted)
        await expect.poll(() => textsOf([...restless.heard, ...restless.open.heard]), PATIENT).toEqual(wanted)
        await Promise.all([steady.stop(), restless.open.stop()])
      },
    ),
    { numRuns: 8 },
  )
})

test('a follower that does not read costs the others nothing, and has everything when it reads again', async () => {
  const { botId, report } = await runningBot()
  const slow = await fetch(`${address}/v2/bots/${botId}/events/stream`, { headers: { 'x-service-api-key': team.key } })
  const fast = listen(botId)
  const long = 'word '.repeat(2_000)
  const total = 3_000
  for (let count = 0; count < total; count += 100)
    await report(...Array.from({ length: 100 }, (_, place) => said(`${count + place} ${long}`)))
  await expect.poll(() => fast.heard.length, PATIENT).toBe(total)
  await fast.stop()
  let text = ''
  const decoder = new TextDecoder()
  const numbers: number[] = []
  for await (const chunk of slow.body!) {
    text += decoder.decode(chunk, { stream: true })
    const parts = text.split('\n\n')
    text = parts.pop()!
    for (const part of parts) {
      const number = /"text": "(\d+) /.exec(part)?.[1]
      if (number !== undefined) numbers.push(Number(number))
    }
    if (numbers.length === total) break
  }
  expect(numbers).toEqual(Array.from({ length: total }, (_, place) => place))
})

test('the stream of a bot that has ended ends, and a reader that comes back has nothing more to ask for', async () => {
  const { botId, report } = await runningBot()
  const follower = listen(botId)
  await report(said('bye'), { type: 'status_change', status: 'completed', end_code: 'API_REQUEST' })
  await world.set(botId, { phase: 'closed' })
  await follower.ended
  expect(follower.heard.map(({ event, data }) => data.type ?? event)).toEqual(['transcript', 'status_change', 'end'])
  const last = follower.heard.at(-2)!.id
  expect(await listen(botId, { after: last }).answer).toMatchObject({ status: 204 })
  // A reader who comes for the first time gets all of it.
  const late = listen(botId)
  await late.ended
  expect(late.heard).toHaveLength(3)
})

test('bots of other teams, unknown keys and odd places are refused before a stream begins', async () => {
  const { botId } = await runningBot()
  const other = await world.team()
  expect((await listen(botId, { key: other.key }).answer).status).toBe(404)
  expect((await listen(botId, { key: 'standin_wrong' }).answer).status).toBe(401)
  const refused = await listen(botId, { after: 'yesterday' }).answer
  expect(refused.status).toBe(400)
})

test('words that may still change come to a reader that asks for them, without an id, and never after their final ones', async () => {
  const { botId, report } = await runningBot()
  const asking = listen(botId, { query: '?types=transcript&partials=true' })
  const other = listen(botId, { query: '?types=transcript' })
  await Promise.all([asking.answer, other.answer])
  const partial = (id: string, text: string) =>
    world.dependencies.partials.receive(
      JSON.stringify([
        { botId, attempt: 1, at: new Date().toISOString(), transcript: { ...said(text), id, is_final: false } },
      ]),
    )
  partial('m1', 'go')
  partial('m1', 'good mor')
  await expect.poll(() => textsOf(asking.heard), PATIENT).toEqual(['go', 'good mor'])
  await report({ ...said('Good morning'), id: 'm1' } as NumberedEvent['event'])
  await expect.poll(() => textsOf(asking.heard), PATIENT).toEqual(['go', 'good mor', 'Good morning'])
  partial('m1', 'late')
  partial('m2', 'all')
  await expect.poll(() => textsOf(asking.heard).at(-1), PATIENT).toBe('all')
  expect(asking.heard.map(({ event, id }) => [event, id === ''])).toEqual([
    ['partial', true],
    ['partial', true],
    ['message', false],
    ['partial', true],
  ])
  expect(textsOf(other.heard)).toEqual(['Good morning'])
  await Promise.all([asking.stop(), other.stop()])
})

describe('the stream of a team', () => {
  const eventsOf = (heard: readonly Heard[]) => heard.filter(({ event }) => event === 'message')

  test('it begins with a place, and has the events of all bots of the team that come after it', async () => {
    const [mine, other] = [await world.team(), await world.team()]
    const [early, late, stranger] = [await runningBot(mine), await runningBot(mine), await runningBot(other)]
    await early.report(said('before'))
    const follower = listen(null, { key: mine.key, query: '?types=transcript' })
    await expect.poll(() => follower.heard, PATIENT).toEqual([{ id: '1', event: 'place', data: {} }])
    await early.report(noticed('unwanted'), { type: 'recording_progress', seconds: 1 } as never, said('one'))
    await stranger.report(said('of others'))
    await late.report(said('two'))
    await expect.poll(() => textsOf(eventsOf(follower.heard)), PATIENT).toEqual(['one', 'two'])
    expect(eventsOf(follower.heard).map(({ data }) => data.bot_id)).toEqual([early.botId, late.botId])
    expect(eventsOf(follower.heard).map(({ id }) => id)).toEqual(['4', '5'])
    await follower.stop()
    const again = listen(null, { key: mine.key, after: '0' })
    await expect.poll(() => textsOf(eventsOf(again.heard)), PATIENT).toEqual(['before', 'unwanted', 'one', 'two'])
    await again.stop()
    for (const after of ['yesterday', '6', '-1'])
      expect((await listen(null, { key: mine.key, after }).answer).status).toBe(400)
  })

  test('programs do not see bots of the older generation', async () => {
    const mine = await world.team()
    const [newer, older] = [await runningBot(mine), await runningBot(mine)]
    await world.set(older.botId, { generation: 'older' })
    await older.report(said('older'))
    await newer.report(said('newer'))
    const follower = listen(null, { key: mine.key, after: '0' })
    await expect.poll(() => textsOf(eventsOf(follower.heard)), PATIENT).toEqual(['newer'])
    await follower.stop()
  })

  test('any number of connections, cut anywhere while several bots report at once, give each event once and in order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 3, maxLength: 3 }), fc.boolean()), {
          minLength: 1,
          maxLength: 12,
        }),
        async (steps) => {
          const mine = await world.team()
          const bots = [await runningBot(mine), await runningBot(mine), await runningBot(mine)]
          const stored = bots.map((): string[] => [])
          const heard: Heard[] = []
          let follower = listen(null, { key: mine.key, after: '0' })
          for (const [counts, isCut] of steps) {
            const reports = counts.map(async (count, place) => {
              const texts = Array.from({ length: count }, (_, one) => String(stored[place]!.length + one + 1))
              stored[place]!.push(...texts)
              // Two transactions of one bot, beside those of the others.
              await bots[place]!.report(...texts.slice(0, 10).map(said))
              await bots[place]!.report(...texts.slice(10).map(said))
            })
            if (isCut) {
              await follower.stop()
              heard.push(...follower.heard)
              follower = listen(null, { key: mine.key, after: heard.at(-1)?.id ?? '0' })
            }
            await Promise.all(reports)
          }
          const all = () => eventsOf([...heard, ...follower.heard])
          const ofBots = () => bots.map(({ botId }) => textsOf(all().filter(({ data }) => data.bot_id === botId)))
          await expect.poll(ofBots, PATIENT).toEqual(stored)
          const numbers = all().map(({ id }) => Number(id))
          expect(numbers).toEqual(Array.from(numbers, (_, place) => place + 1))
          await follower.stop()
        },
      ),
      { numRuns: 10 },
    )
  })

  test('a follower reads on after a page that many events fill', async () => {
    const mine = await world.team()
    const bot = await runningBot(mine)
    const total = 1_300
    for (let count = 0; count < total; count += 650)
      await bot.report(...Array.from({ length: 650 }, (_, place) => said(String(count + place))))
    const follower = listen(null, { key: mine.key, after: '0' })
    const wanted = Array.from({ length: total }, (_, place) => String(place))
    await expect.poll(() => textsOf(eventsOf(follower.heard)), PATIENT).toEqual(wanted)
    await follower.stop()
  })

  test('a team has twenty', async () => {
    const mine = await world.team()
    const open = Array.from({ length: 20 }, () => listen(null, { key: mine.key }))
    for (const { answer } of open) expect((await answer).status).toBe(200)
    expect((await listen(null, { key: mine.key }).answer).status).toBe(429)
    await Promise.all(open.map((one) => one.stop()))
  })
})
