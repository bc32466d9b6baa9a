/** Each writer of webhook messages wakes the dispatcher, after its commit. */
import { randomUUID } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBot } from '@standin/control-plane/bots/actions/create-bot.ts'
import { openDatabase } from '@standin/control-plane/store/database.ts'
import { createHint, listenForWakeUps } from '@standin/control-plane/store/wake-ups.ts'
import { replayDeliveries } from '@standin/control-plane/store/webhooks/deliveries.ts'
import { insertMessages, sendTo } from '@standin/control-plane/store/webhooks/messages.ts'
import { resendEnd, sendCallback, sendTest } from '@standin/control-plane/webhooks/replay.ts'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { openWorld, seals } from '../world.ts'

let team: string
let endpoint: string
let bot: string
/** Due deliveries that another connection saw at each wake-up. */
let seen: Promise<number>[]

const waiting = async (): Promise<number> => {
  const rows = await world.rows('deliveries', { state: 'waiting' }, ['id'])
  return rows.length
}
const world = await openWorld({ webhooks: true })
const database = openDatabase({
  url: world.url,
  role: 'test',
  connections: 2,
  onDeliveries: () => void seen.push(waiting()),
})
beforeEach(async () => {
  await world.reset()
  team = await world.teamId()
  endpoint = (await world.endpoint({ teamId: team, kind: 'team', url: 'https://receiver.test/' })).id
  bot = await world.addBot(team)
  seen = []
})
afterAll(async () => {
  await database.destroy()
})

const message = () => ({
  id: `msg_${randomUUID()}`,
  channel: 'webhooks' as const,
  event: 'bot.status_change',
  body: {},
  teamId: team,
  botId: bot,
  orderingKey: bot,
  isCompat: false,
})
const callback = { url: 'https://receiver.test/callback' }
const newBot = (joinAt: Date | null, isExclusive: boolean) => ({
  id: randomUUID(),
  teamId: team,
  apiKeyId: null,
  generation: 'v2' as const,
  isCompat: false,
  meeting: { link: 'https://meet.google.com/abc-defg-hij', platform: 'meet' as const, key: 'meet:abc-defg-hij' },
  request: { bot_name: 'Bot', recording_mode: 'speaker_view', extra: null, allow_multiple_bots: !isExclusive },
  joinAt,
})

const WRITERS: Record<string, () => Promise<unknown>> = {
  'messages of a transaction': () => database.transaction().execute((tx) => insertMessages(tx, [message()])),
  'a bot that is created by a shared statement': () => createBot(database, seals, newBot(null, false)),
  'a bot that is created in a transaction': () => createBot(database, seals, newBot(null, true)),
  'one message to one endpoint': () => sendTo(database, endpoint, { id: 'msg_one', event: 'bot.failed', body: {} }),
  'a test of an endpoint': () => sendTest(database, endpoint),
  'the end of a bot that is sent again': () => resendEnd(database, bot),
  'a callback that is sent again': () => sendCallback(database, seals, bot, callback),
  'deliveries that are replayed': async () => {
    const { id } = message()
    await sendTo(world.database, endpoint, { id, event: 'bot.failed', body: { event: 'bot.failed' } })
    await world.change('deliveries', {}, { state: 'failed' })
    await replayDeliveries(database, { endpointId: endpoint })
  },
}

test.each(Object.keys(WRITERS))('%s: the dispatcher is woken once, and what is due is committed', async (name) => {
  await WRITERS[name]!()
  expect(await Promise.all(seen)).toEqual([1])
})

test('nothing wakes the dispatcher without messages, after a rollback, or by reading', async () => {
  await createBot(database, seals, newBot(new Date(Date.now() + 3_600_000), false))
  await database.transaction().execute((tx) => insertMessages(tx, []))
  const failed = database.transaction().execute(async (tx) => {
    await insertMessages(tx, [message()])
    throw new Error('rolled back')
  })
  await expect(failed).rejects.toThrow('rolled back')
  // The connection of the failed transaction is used again.
  await database.transaction().execute((tx) => tx.selectFrom('deliveries').select('id').execute())
  expect(seen).toEqual([])
})

test.each(['this process', 'another process'])(
  'a dispatcher with nothing to do sends at once what a slow transaction of %s commits',
  async (process) => {
    const receiver = await world.receiver()
    await world.endpoint({ teamId: team, kind: 'team', url: receiver.url })
    // It looks again only if it is woken.
    const dispatcher = world.dispatcher({ maxSleepMs: () => 3_600_000 })
    let wakes = 0
    const wake = () => {
      wakes += 1
      dispatcher.wake()
    }
    const listening = listenForWakeUps(world.url, 'deliveries', wake, () => {})
    const onDeliveries = process === 'this process' ? wake : createHint(world.database, 'deliveries', () => {})
    const waking = openDatabase({ url: world.url, role: 'test', connections: 1, onDeliveries })
    try {
      // The first connection wakes, too.
      await expect.poll(() => wakes).toBe(1)
      for (let n = 1; n <= 3; n++) {
        await waking.transaction().execute(async (tx) => {
          await insertMessages(tx, [message()])
          // By then the dispatcher has found nothing, and sleeps.
          await new Promise((resolve) => setTimeout(resolve, 200))
        })
        await expect.poll(() => receiver.received.length, { interval: 5 }).toBe(n)
      }
    } finally {
      await listening.close()
      await waking.destroy()
    }
  },
)

test('only the outbox inserts deliveries, so no writer can forget the wake-up', () => {
  const root = join(packageRoot, 'control-plane')
  const files = globSync('**/*.ts', { cwd: root }).filter((file) =>
    /insert into "?deliveries\b|insertInto\('deliveries'/.test(readFileSync(join(root, file), 'utf8')),
  )
  expect(files).toEqual(['store/webhooks/messages.ts'])
})
