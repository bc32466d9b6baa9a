/** Hints that something is due: none is missed for longer than its connection is away. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createHint, listenForWakeUps, sendHint } from '@standin/control-plane/store/wake-ups.ts'
import { sql } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { openTestDatabase } from '../postgres.ts'

const opened = await openTestDatabase()

/** Counts what wakes a listener, until the test ends. */
function counting(due: Parameters<typeof listenForWakeUps>[1], url = opened.url) {
  const seen = { wakes: 0, errors: [] as Error[], ids: [] as (readonly string[])[] }
  const onWake = (ids: readonly string[]) => {
    seen.wakes += 1
    seen.ids.push(ids)
  }
  const listening = listenForWakeUps(url, due, onWake, (error) => seen.errors.push(error))
  onTestFinished(() => listening.close())
  return { seen, listening }
}

/** Kills the listener's connection, as a restart of the database does. Resolves with how many there were. */
async function breakConnection(): Promise<number> {
  const { rows } = await sql`
    select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'standin wake-ups' and datname = current_database()`.execute(opened.database)
  return rows.length
}

test('a hint wakes, and so does each connection, because hints may have been lost before it', async () => {
  const { seen, listening } = counting('bots')
  const sleepMs = () => listening.maxSleepMs(100)
  expect(sleepMs()).toBe(100)
  await expect.poll(() => seen.wakes).toBe(1)
  await expect.poll(sleepMs).toBe(10_000)
  await sendHint(opened.database, 'bots')
  await expect.poll(() => seen.wakes).toBe(2)

  expect(await breakConnection()).toBe(1)
  // A loop that sleeps for ten seconds is woken, and looks more often from then on.
  await expect.poll(() => seen.wakes).toBe(3)
  expect(sleepMs()).toBe(100)
  await expect.poll(() => seen.wakes).toBe(4)
  await expect.poll(sleepMs).toBe(10_000)
  expect(seen.errors).toHaveLength(1)
  await sendHint(opened.database, 'bots')
  await expect.poll(() => seen.wakes).toBe(5)

  await listening.close()
  await sendHint(opened.database, 'bots')
  await expect.poll(breakConnection).toBe(0)
  expect(seen.wakes).toBe(5)
})

test('many hints at once are few, the last one is sent, and each kind has its own listeners', async () => {
  const [bots, deliveries] = [counting('bots').seen, counting('deliveries').seen]
  await expect.poll(() => [bots.wakes, deliveries.wakes]).toEqual([1, 1])
  const hint = createHint(opened.database, 'deliveries', () => {})
  for (let count = 0; count < 1000; count++) hint()
  // The first at once, and one for all others.
  await expect.poll(() => [bots.wakes, deliveries.wakes]).toEqual([1, 3])
})

test('hints name what is due; too many names mean anything', async () => {
  const { ids: heard } = counting('events').seen
  await expect.poll(() => heard).toEqual([[]])
  const hint = createHint(opened.database, 'events', () => {})
  hint('a')
  hint('b', 'c')
  hint('c')
  // Two connections send them, so the first may arrive last.
  await expect.poll(() => heard.toSorted((one, other) => one.length - other.length)).toEqual([[], ['a'], ['b', 'c']])
  hint(...Array.from({ length: 300 }, () => randomUUID()))
  await expect.poll(() => heard.slice(3)).toEqual([[]])
})

test('a loop does not sleep longer behind a pooler that passes no notifications on', async () => {
  const pooler = await startPooler(opened.url)
  onTestFinished(() => pooler.close())
  const { seen, listening } = counting('bots', pooler.url)
  await expect.poll(() => seen.wakes).toBe(1)
  // The hint and the probe before it were kept back.
  await expect.poll(() => pooler.kept()).toBe(1)
  await sendHint(opened.database, 'bots')
  await expect.poll(() => pooler.kept()).toBe(2)
  expect(listening.maxSleepMs(100)).toBe(100)
  expect(seen.wakes).toBe(1)
})

/** Passes everything on but notifications, as PgBouncer does in transaction mode. */
async function startPooler(url: string) {
  const target = new URL(url)
  const folder = target.searchParams.get('host')
  const sockets = new Set<Socket>()
  let kept = 0
  const server = createServer((client) => {
    const place =
      folder === null ? { host: target.hostname, port: Number(target.port) } : { path: `${folder}/.s.PGSQL.5432` }
    const database = connect(place as { path: string })
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => {})
    }
    client.pipe(database)
    client.on('close', () => database.destroy())
    let rest: Buffer = Buffer.alloc(0)
    database.on('data', (data: Buffer) => {
      rest = Buffer.concat([rest, data])
      // A type, then the length of itself and what follows.
      while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
        const end = 1 + rest.readUInt32BE(1)
        if (rest[0] === 'A'.charCodeAt(0)) kept += 1
        else client.write(rest.subarray(0, end))
        rest = rest.subarray(end)
      }
    })
    database.on('end', () => client.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const through = new URL(url)
  through.searchParams.delete('host')
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: through.href,
    kept: () => kept,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
