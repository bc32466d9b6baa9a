import type { NumberedEvent } from '@standin/wire/events.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { webhookSchema } from '../../../control-plane/api/v2/webhooks.ts'
import { removeNews } from '../../../control-plane/store/old-rows.ts'
import { changeEndpoint, enableEndpoint, stopEndpoint } from '../../../control-plane/store/webhooks/endpoints.ts'
import { startLiveWebhooks } from '../../../control-plane/webhooks/live.ts'
import { said, startReporting } from '../api/reporting.ts'
import { openWorld, quiet } from '../world.ts'
import type { Received } from './receiver.ts'

const PATIENT = { timeout: 30_000, interval: 20 }
const WITHIN_MS = 200

const running = new Set<ReturnType<typeof startLiveWebhooks>>()
const world = await openWorld({ webhooks: true })
afterEach(async () => {
  for (const one of running) await one.close()
  running.clear()
  await world.reset()
})

function start() {
  const live = startLiveWebhooks(world.database, quiet)
  running.add(live)
  return live
}

const ADA = { id: 1, name: 'Ada', platform_id: 'p-1' }
const spoke = (offset: number): NumberedEvent['event'] => ({
  ...{ type: 'speaker', participant: ADA, is_speaking: true, timestamp: 1_764_237_600, offset },
  ...{ source: 'csrc', confidence: 1 },
})
const noticed: NumberedEvent['event'] = { type: 'notice', level: 'info', message: 'Careful' }

async function runningBot(teamId: string) {
  const botId = await world.addBot(teamId)
  return { botId, ...(await startReporting(world.database, botId)) }
}

async function setUp(events: readonly string[]) {
  const teamId = await world.teamId()
  const receiver = await world.receiver()
  const { id } = await world.endpoint({ teamId, kind: 'team', url: receiver.url, events, liveWithinMs: WITHIN_MS })
  return { teamId, receiver, id, bot: await runningBot(teamId) }
}

const namesOf = (received: readonly Received[]) => received.map(({ body }) => body.event)
const eventsOf = (received: readonly Received[], event = 'bot.transcript'): { id: string; data: { text: string } }[] =>
  received.filter(({ body }) => body.event === event).flatMap(({ body }) => body.data.events)
const textsOf = (received: readonly Received[]) => eventsOf(received).map(({ data }) => data.text)

test('the events of one bot are gathered by kind, in the shape of the document', async () => {
  const { receiver, bot } = await setUp(['bot.transcript', 'bot.speaker'])
  await bot.report(said('one'), spoke(1), noticed, said('two'))
  world.dispatcher()
  start()
  await expect.poll(() => namesOf(receiver.received), PATIENT).toEqual(['bot.transcript', 'bot.speaker'])
  expect(textsOf(receiver.received)).toEqual(['one', 'two'])
  for (const { body } of receiver.received) expect(webhookSchema(body.event).safeParse(body).error).toBeUndefined()
})

test('events that are stored while others are taken are in the next message', async () => {
  const { receiver, bot, id } = await setUp(['bot.transcript'])
  await sql`update endpoints set live_within_ms = 0 where id = ${id}`.execute(world.database)
  world.dispatcher()
  const live = [start(), start()]
  const texts = Array.from({ length: 300 }, (_, place) => String(place))
  for (const text of texts) {
    await bot.report(said(text))
    for (const one of live) one.wake()
  }
  await expect.poll(() => textsOf(receiver.received).length, PATIENT).toBeGreaterThanOrEqual(texts.length)
  expect(textsOf(receiver.received)).toEqual(texts)
})

test('endpoints for every event, and those of other teams, get none', async () => {
  const { receiver, bot } = await setUp(['bot.transcript'])
  const team = await world.teamId()
  const stranger = await world.receiver()
  await world.endpoint({ teamId: team, kind: 'team', url: stranger.url, events: ['bot.transcript'] })
  await world.endpoint({ teamId: team, kind: 'team', url: stranger.url })
  await bot.report(said('one'))
  world.dispatcher()
  start()
  await expect.poll(() => textsOf(receiver.received), PATIENT).toEqual(['one'])
  expect(stranger.received).toEqual([])
})

test('an endpoint that is disabled misses events, and gets those of after it is enabled', async () => {
  const { receiver, bot, id } = await setUp(['bot.transcript'])
  await bot.report(said('one'))
  await stopEndpoint(world.database, id, 'disable')
  await bot.report(said('two'))
  await enableEndpoint(world.database, id)
  await bot.report(said('three'))
  world.dispatcher()
  start()
  await expect.poll(() => textsOf(receiver.received), PATIENT).toEqual(['three'])
})

test('what a removed endpoint has not got is removed', async () => {
  const { bot, id } = await setUp(['bot.transcript'])
  await bot.report(said('one'))
  expect(await removeNews(world.database)).toBe(0)
  await changeEndpoint(world.database, id, { events: ['bot.failed'] })
  expect(await removeNews(world.database)).toBe(1)
})

test('an endpoint that wants other kinds later gets them from then on', async () => {
  const { bot, id, receiver } = await setUp(['bot.failed'])
  await bot.report(said('one'))
  await changeEndpoint(world.database, id, { events: ['bot.transcript'] })
  await bot.report(said('two'))
  world.dispatcher()
  start()
  await expect.poll(() => textsOf(receiver.received), PATIENT).toEqual(['two'])
})

test('several dispatchers that end at any time send each event once and in order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 250 }), fc.boolean()), { minLength: 1, maxLength: 6 }),
      async (steps) => {
        const { receiver, bot } = await setUp(['bot.transcript'])
        const dispatcher = world.dispatcher()
        let [steady, restless] = [start(), start()]
        let count = 0
        for (const [events, ends] of steps) {
          if (events > 0) await bot.report(...Array.from({ length: events }, () => said(String(++count))))
          steady.wake()
          restless.wake()
          if (!ends) continue
          await restless.close()
          ;[steady, restless] = [start(), steady]
        }
        const wanted = Array.from({ length: count }, (_, place) => String(place + 1))
        await expect.poll(() => textsOf(receiver.received), PATIENT).toEqual(wanted)
        await dispatcher.close()
      },
    ),
    { numRuns: 8 },
  )
})
