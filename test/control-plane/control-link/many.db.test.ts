/** Many links on one server: what they cost the database, and that a flood of one does not stop the others. */
import { randomUUID } from 'node:crypto'
import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { notice, numbersUpTo } from '../../src/control-link/support.ts'
import { openWorld } from '../world.ts'
import { hello, numbered, openRawLink } from './world.ts'

const world = await openWorld({ links: true })

const PATIENCE = { timeout: 40_000, interval: 20 }

/** Counts the statements that a server sends. */
function counting() {
  const count = { statements: 0 }
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      count.statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  }
  return { count, database: world.database.withPlugin(plugin) }
}

test('heartbeats of two hundred bots cost a few statements a second, however many they are', async () => {
  const { count, database } = counting()
  const server = await world.server({ database })
  const bots = await Promise.all(
    numbersUpTo(200).map(() => world.bot({ phase: 'running', status: 'in_call_recording', joined_attempt: 1 })),
  )
  const links = await Promise.all(bots.map((bot) => openRawLink(server.url, bot.tokens[1]!)))
  for (const [place, link] of links.entries()) link.send(hello(bots[place]!.id, randomUUID()))
  for (const link of links) await expect.poll(() => link.received.length, PATIENCE).toBe(1)
  // Tokens and greetings are gathered, too: far fewer statements than bots.
  expect(count.statements).toBeLessThan(150)

  const before = count.statements
  const startedAt = performance.now()
  for (const round of numbersUpTo(25))
    for (const link of links)
      link.send({
        type: 'heartbeat',
        at: new Date().toISOString(),
        status: 'in_call_recording',
        cpu_percent: round,
        memory_bytes: 1_000_000 + round,
      })
  await expect
    .poll(async () => {
      const rows = await world.database.selectFrom('launches').select('heartbeat_at').execute()
      return rows.filter(({ heartbeat_at }) => heartbeat_at !== null).length
    }, PATIENCE)
    .toBe(200)
  const seconds = (performance.now() - startedAt) / 1000
  // Ten polls a second for commands, and a statement or two for all heartbeats and all lost links.
  expect(count.statements - before).toBeLessThan(20 + 15 * seconds)
})

test('a bot that sends faster than the database stores is read more slowly; the others continue', async () => {
  const server = await world.server()
  const [flooding, quiet] = [await world.bot(), await world.bot()]
  const flood = await openRawLink(server.url, flooding.tokens[1]!)
  const other = await openRawLink(server.url, quiet.tokens[1]!)
  flood.send(hello(flooding.id, randomUUID()))
  other.send(hello(quiet.id, randomUUID()))
  for (const link of [flood, other]) await expect.poll(() => link.received.length, PATIENCE).toBe(1)
  const MANY = 6_000
  for (const seq of numbersUpTo(MANY)) flood.send(numbered(flooding.id, seq, notice('x'.repeat(1_000))))
  other.send(numbered(quiet.id, 1, notice('Hello')))
  await expect.poll(() => other.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: 1 })
  expect(flood.received.at(-1)).not.toEqual({ type: 'ack', seq: MANY })
  await expect.poll(() => flood.received.at(-1), PATIENCE).toEqual({ type: 'ack', seq: MANY })
  expect(await world.events(flooding.id)).toHaveLength(MANY)
})
