/** Streams of every kind: their number, their share of the database, what they keep, and their end with a right. */
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { revokeKey } from '../../../../control-plane/store/teams/keys.ts'
import { waitingForLocks } from '../../postgres.ts'
import { openWorld } from '../../world.ts'
import { freshMeet, said, startReporting } from '../reporting.ts'

const world = await openWorld({ api: {} })
const address = await world.app.listen({ host: '127.0.0.1', port: 0 })
const sockets = new Set<Socket>()
world.app.server.on('connection', (socket) => {
  sockets.add(socket)
  socket.once('close', () => sockets.delete(socket))
})

async function runningBot(team: Awaited<ReturnType<typeof world.team>>) {
  const id = await world.bot(team, { meeting_url: freshMeet() })
  return { path: `/v2/bots/${id}/events/stream`, ...(await startReporting(world.database, id)) }
}

/** A connection that takes what is sent only after `read()`. */
async function follow(path: string, headers: Record<string, string>) {
  const sent = request(`${address}${path}`, { headers, agent: false }).end()
  const [answer] = await once(sent, 'response')
  sent.on('error', () => {})
  answer.on('error', () => {})
  let text = ''
  const ended = new Promise<void>((resolve) => answer.once('close', resolve))
  return {
    status: answer.statusCode as number,
    ended,
    heard: () => text,
    read() {
      answer.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
      })
    },
    stop: () => sent.destroy(),
  }
}
const byKey = (key: string) => ({ 'x-service-api-key': key })

test('a key has a hundred streams, and another key of its team has its own', async () => {
  const team = await world.team()
  const { path } = await runningBot(team)
  const open = await Promise.all(Array.from({ length: 100 }, () => follow(path, byKey(team.key))))
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await team.get(path)).toMatchObject({
    status: 429,
    headers: { 'retry-after': '10' },
    body: { code: 'FST_ERR_TOO_MANY_REQUESTS', message: expect.stringContaining('API key has 100 streams of events') },
  })
  const person = await world.person('viewer', team)
  const other = await follow(path, { cookie: person.cookie })
  expect(other.status).toBe(200)
  for (const one of [...open, other]) one.stop()
})

test('all that a team follows has two connections, and another team reads beside it', async () => {
  const [busy, other] = [await world.person('owner'), await world.team()]
  const { path } = await runningBot(busy)
  const quiet = await runningBot(other)
  await world.database.transaction().execute(async (tx) => {
    await sql`lock table bot_events in access exclusive mode`.execute(tx)
    const streams = Array.from({ length: 15 }, () => follow(path, byKey(busy.key)))
    const pages = Array.from({ length: 6 }, () => busy.get(path.replace('/stream', '')))
    const views = Array.from({ length: 6 }, () => busy.send('GET', '/dashboard/api/live'))
    // The third is that of the tail, which reads for all teams.
    await expect.poll(() => waitingForLocks(world.database)).toBe(3)
    const beside = other.get(quiet.path.replace('/stream', ''))
    await expect.poll(() => waitingForLocks(world.database)).toBe(4)
    world.closes(() => Promise.all([...streams, ...pages, ...views, beside]))
    void Promise.all(streams).then((open) => open.map((one) => one.stop()))
  })
})

test('a reader that does not read costs a page, however large events are, and gets every event when it reads', async () => {
  const team = await world.team()
  const { path, report } = await runningBot(team)
  const text = 'word '.repeat(4_000)
  for (let count = 0; count < 600; count += 100)
    await report(...Array.from({ length: 100 }, (_, place) => said(`${count + place} ${text}`)))
  sockets.clear()
  const readers = await Promise.all(Array.from({ length: 4 }, () => follow(path, byKey(team.key))))
  const unread = () => [...sockets].map(({ writableLength }) => writableLength)
  // The kernel takes some megabytes first.
  await expect.poll(() => unread().filter((bytes) => bytes > 0).length).toBe(4)
  expect(Math.max(...unread())).toBeLessThan(300 * 1024)
  readers[0]!.read()
  await expect.poll(() => readers[0]!.heard()).toContain('"text": "599 ')
  const numbers = [...readers[0]!.heard().matchAll(/"text": "(\d+) /g)].map(([, number]) => Number(number))
  expect(numbers).toEqual(Array.from({ length: 600 }, (_, place) => place))
  for (const reader of readers) reader.stop()
})

const newPerson = async () => world.person('member', await world.team())
type Person = Awaited<ReturnType<typeof newPerson>>
const ENDS: [what: string, by: 'key' | 'cookie', end: (person: Person) => Promise<unknown>][] = [
  ['a key is revoked', 'key', ({ keyId }) => revokeKey(world.database, keyId)],
  [
    'a key expires',
    'key',
    ({ keyId }) => sql`update api_keys set expires_at = now() where id = ${keyId}`.execute(world.database),
  ],
  ['a session is signed out', 'cookie', ({ send }) => send('POST', '/dashboard/api/sign-out')],
  [
    'a session ends',
    'cookie',
    ({ personId }) => sql`update sessions set expires_at = now() where person_id = ${personId}`.execute(world.database),
  ],
  [
    'a person is removed',
    'cookie',
    ({ personId }) => sql`update people set disabled_at = now() where id = ${personId}`.execute(world.database),
  ],
  [
    'a person has another role',
    'cookie',
    ({ personId }) => sql`update people set role = 'viewer' where id = ${personId}`.execute(world.database),
  ],
]
test.each(ENDS)('when %s, its streams end, and no later event is sent', async (_, by, end) => {
  const person = await newPerson()
  const staying = await world.person('member', person)
  const { path, report } = await runningBot(person)
  const headers = by === 'key' ? byKey(person.key) : { cookie: person.cookie }
  const paths = [path, '/v2/events/stream', ...(by === 'cookie' ? ['/dashboard/api/feed'] : [])]
  const streams = await Promise.all(paths.map((one) => follow(one, headers)))
  const other = await follow(path, { cookie: staying.cookie })
  for (const stream of [...streams, other]) stream.read()
  await report(said('before'))
  await expect.poll(() => streams.filter(({ heard }) => heard().includes('before')).length).toBe(2)
  await end(person)
  await Promise.all(streams.map(({ ended }) => ended))
  await report(said('after'))
  await expect.poll(() => other.heard()).toContain('after')
  for (const stream of streams) expect(stream.heard()).not.toContain('after')
  other.stop()
})

test('a right that ends in the middle of a page ends the page', async () => {
  const team = await world.team()
  const { path, report } = await runningBot(team)
  for (let count = 0; count < 40; count++) await report(said(`${count} ${'x'.repeat(500_000)}`))
  const stream = await follow(path, byKey(team.key))
  await expect.poll(() => [...sockets].some(({ writableLength }) => writableLength > 0)).toBe(true)
  await revokeKey(world.database, team.keyId)
  await expect.poll(() => sockets.size).toBe(0)
  stream.read()
  await stream.ended
  expect(stream.heard()).not.toContain('"text": "39 ')
})

test('a reader has every event once although the database ends all connections again and again', async () => {
  const team = await world.team()
  const { path, report } = await runningBot(team)
  const heard: string[] = []
  let isOver = false
  let stream = await follow(path, byKey(team.key))
  const following = (async () => {
    for (let last = ''; !isOver; ) {
      stream.read()
      await stream.ended
      const ids = [...stream.heard().matchAll(/^id: (.*)\ndata: .*"text": "(\d+)"/gm)]
      heard.push(...ids.map(([, , number]) => number!))
      last = ids.at(-1)?.[1] ?? last
      if (!isOver) stream = await follow(path, { ...byKey(team.key), 'last-event-id': last })
    }
  })()
  for (let count = 0; count < 40; count++) {
    await report(said(String(count)))
    if (count % 8 === 4)
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(world.database)
  }
  await expect.poll(() => stream.heard().includes('"text": "39"')).toBe(true)
  isOver = true
  stream.stop()
  await following
  expect(heard).toEqual(Array.from({ length: 40 }, (_, place) => String(place)))
})
