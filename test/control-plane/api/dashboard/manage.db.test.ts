/** Keys, endpoints, deliveries, usage and the feed, as the dashboard asks for them. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { upsertUsage } from '../../../../control-plane/store/bots/usage.ts'
import { usageOf } from '../../../fakes/usage.ts'
import { openWorld } from '../../world.ts'
import type { Team } from '../world.ts'

/** The first team. */
const world = await openWorld({ api: {} })
const operators = await world.team()
const address = await world.app.listen({ host: '127.0.0.1', port: 0 })

const owner = (team?: Team) => world.person('owner', team)
type Person = Awaited<ReturnType<typeof owner>>
const statusOf = async ({ ask }: Person, ...request: Parameters<Person['ask']>) => (await ask(...request)).status
const dataOf = async ({ ask }: Person, path: string) => (await ask('GET', path)).body.data

test('a key that the dashboard makes works until the dashboard revokes it; foreign ones stay', async () => {
  const ada = await owner()
  const { body, status } = await ada.ask('POST', '/keys', { name: 'CI', permission: 'sending' })
  expect(status).toBe(201)
  const bots = () => fetch(`${address}/v2/bots`, { headers: { 'x-service-api-key': body.data.key } })
  expect((await bots()).status).toBe(403)
  const { data } = (await ada.ask('GET', '/keys')).body
  expect(data.map(({ name }: { name: string }) => name)).toContain('CI')
  expect(JSON.stringify(data)).not.toContain(body.data.key)
  expect(await statusOf(ada, 'DELETE', `/keys/${(await owner()).keyId}`)).toBe(404)
  expect(await statusOf(ada, 'DELETE', `/keys/${body.data.key_id}`)).toBe(200)
  await expect.poll(async () => (await bots()).status, { timeout: 10_000 }).toBe(401)
})

test('endpoints are added with a secret that is shown once, and belong to the team', async () => {
  const ada = await owner()
  const refused = await ada.ask('POST', '/endpoints', { url: 'http://127.0.0.1/hook' })
  expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('body/url') } })
  const made = await ada.ask('POST', '/endpoints', { url: 'https://example.com/hook' })
  expect(made.body.data.secret).toMatch(/^whsec_/)
  const id = made.body.data.endpoint_id
  expect(JSON.stringify((await ada.ask('GET', '/endpoints')).body)).not.toContain(made.body.data.secret)
  expect(await statusOf(ada, 'POST', `/endpoints/${id}/test`)).toBe(200)
  const sent = await dataOf(ada, '/deliveries')
  expect(sent).toMatchObject([{ endpoint_id: id, state: 'waiting', url: 'https://example.com/hook' }])
  expect((await ada.ask('POST', `/endpoints/${id}/rotate`)).body.data.secret).not.toBe(made.body.data.secret)

  const stranger = await owner()
  for (const verb of ['test', 'rotate', 'enable'])
    expect(await statusOf(stranger, 'POST', `/endpoints/${id}/${verb}`)).toBe(404)
  expect(await statusOf(stranger, 'POST', `/endpoints/${id}/replay`, { since: '2026-01-01T00:00:00Z' })).toBe(404)
  expect(await dataOf(stranger, '/deliveries')).toEqual([])
  expect(await statusOf(stranger, 'POST', `/deliveries/${sent[0].delivery}/replay`)).toBe(404)
})

test('an endpoint is changed, disabled and removed by an owner of its team, and its deliveries stay', async () => {
  const [ada, stranger] = [await owner(), await owner()]
  const made = await ada.ask('POST', '/endpoints', { url: 'https://example.com/hook' })
  const path = `/dashboard/api/endpoints/${made.body.data.endpoint_id}`
  const list = async () => dataOf(ada, '/endpoints')
  const change = { url: 'https://example.com/other', events: ['bot.completed'] }
  expect((await stranger.send('PATCH', path, change)).status).toBe(404)
  expect((await ada.send('PATCH', path, { url: 'http://127.0.0.1/hook' })).status).toBe(400)
  expect((await ada.send('PATCH', path, { events: ['no.event'] })).status).toBe(400)
  expect((await ada.send('PATCH', path, {})).status).toBe(400)
  expect(await statusOf(ada, 'GET', '/deliveries?event=%00')).toBe(400)
  expect((await ada.send('PATCH', path, change)).status).toBe(200)
  expect(await list()).toMatchObject([change])
  expect((await ada.send('PATCH', path, { events: null })).status).toBe(200)
  expect(await list()).toMatchObject([{ url: change.url, events: null, disabled_at: null }])

  expect((await ada.send('POST', `${path}/test`)).status).toBe(200)
  const [sent] = await dataOf(ada, '/deliveries')
  const ofEvent = async (event: string) => dataOf(ada, `/deliveries?event=${event}`)
  expect(await ofEvent(sent.event)).toHaveLength(1)
  expect(await ofEvent('bot.failed')).toEqual([])
  const content = await ada.ask('GET', `/deliveries/${sent.delivery}`)
  expect(content.body).toMatchObject({ data: { body: { event: sent.event }, attempts: [] } })
  expect(await statusOf(stranger, 'GET', `/deliveries/${sent.delivery}`)).toBe(404)

  expect((await stranger.send('POST', `${path}/disable`)).status).toBe(404)
  expect((await ada.send('POST', `${path}/disable`)).status).toBe(200)
  expect(await list()).toMatchObject([{ disabled_reason: 'switched off by an owner' }])
  expect((await ada.send('POST', `${path}/test`)).status).toBe(409)
  expect((await ada.send('POST', `${path}/enable`)).status).toBe(200)
  expect(await list()).toMatchObject([{ disabled_at: null }])
  expect((await stranger.send('DELETE', path)).status).toBe(404)
  expect((await ada.send('DELETE', path)).status).toBe(200)
  expect(await list()).toEqual([])
  expect((await ada.send('POST', `${path}/enable`)).status).toBe(404)
  expect(await dataOf(ada, '/deliveries')).toHaveLength(1)
})

test('a preview has people and the last screenshot, of bots of the team alone', async () => {
  const [ada, stranger] = [await owner(), await owner()]
  const botId = await world.bot(ada)
  await world.set(botId, { participants: [{ name: 'Ann' }, { name: 'Bo' }], joined_attempt: 1, attempt: 1 })
  const file = { bot_id: botId, attempt: 1, bytes: 5, sha256: null, location: '' }
  await world.insert('artifacts', { ...file, name: 'video.mp4' }, { ...file, name: 'screenshots/live.png' })
  const previews = await ada.ask('GET', `/previews?bots=${botId}`)
  expect(previews.body.data).toMatchObject([{ bot_id: botId, people: 2 }])
  expect(await dataOf(stranger, `/previews?bots=${botId}`)).toEqual([])
  expect(await statusOf(ada, 'GET', '/previews?bots=none')).toBe(400)
  const files = (await ada.send('GET', `/v2/bots/${botId}/files`)).body.data
  expect(files).toMatchObject([{ name: 'screenshots/live.png', bytes: 5 }, { name: 'video.mp4' }])
  expect((await stranger.send('GET', `/v2/bots/${botId}/files`)).status).toBe(404)
  const parts = await ada.ask('GET', `/bots/${botId}/parts`)
  expect(parts.body.data).toMatchObject({ waiting_room_seconds: 600 })
})

test('usage adds up what the ledger has of the team', async () => {
  const ada = await owner()
  const botId = await world.bot(ada)
  const charge = { team_id: ada.teamId, bot_id: botId, kind: 'charge', meter: 'recording' } as const
  for (const amount of [-1_500_000, -500_000]) await world.insert('ledger', { ...charge, amount, source: randomUUID() })
  const { data } = (await ada.ask('GET', '/usage')).body
  expect(data.days).toMatchObject([{ bots: 1, charged: { recording: 2 } }])
  const ledger = await dataOf(ada, '/ledger?limit=1')
  expect(ledger).toMatchObject([{ kind: 'charge', amount: -0.5, bot_id: botId }])
  const next = await dataOf(ada, `/ledger?limit=1&before=${ledger[0].id}`)
  expect(next).toMatchObject([{ amount: -1.5 }])
  expect((await (await owner()).ask('GET', '/ledger')).body.data).toEqual([])
})

test('usage has the resources of the team by day and month, with money by the price list, and a bot has its own', async () => {
  const [ada, stranger] = [await owner(), await owner()]
  const bots = [await world.bot(ada), await world.bot(ada)]
  const report = (botId: string, attempt: number, core_seconds: number) => ({
    ...{ botId, attempt, journalId: randomUUID() },
    usage: usageOf({ core_seconds, peak_memory_bytes: 2_000_000_000, bytes_sent: 500_000_000 }, { recording: 1800 }),
  })
  const reports = [report(bots[0]!, 1, 1800), report(bots[0]!, 2, 1800), report(bots[1]!, 1, 3600)]
  await upsertUsage(world.database, reports, { isFinal: true })
  const phases = { recording: 3600, joining: 0 }
  const bot = (await ada.send('GET', `/v2/bots/${bots[0]}`)).body.data
  expect(bot.usage).toMatchObject({
    ...{ core_seconds: 3600, peak_memory_bytes: 2_000_000_000, memory_gb_hours: 2, bytes_sent: 1e9 },
    ...{ phase_seconds: phases, cost: { amount: '0.170000', currency: 'EUR', prices_as_of: '2026-11-01' } },
  })
  const unreported = await world.bot(ada)
  expect((await ada.send('GET', `/v2/bots/${unreported}`)).body.data.usage).toBeNull()
  for (const [query, length] of [
    ['', 10],
    ['?per=month', 7],
  ] as const) {
    const { days } = await dataOf(ada, `/usage${query}`)
    expect(days).toMatchObject([{ bots: 3, resources: { core_seconds: 7200, cost: { amount: '0.275000' } } }])
    expect(days[0].day).toHaveLength(length)
    expect((await dataOf(stranger, `/usage${query}`)).days).toEqual([])
  }
})

test('the feed reports bots of the team that change, and no others', async () => {
  const [ada, other] = [await owner(), await owner()]
  const foreign = await world.bot(other)
  const botId = await world.bot(ada)
  const stop = new AbortController()
  const feed = await fetch(`${address}/dashboard/api/feed`, { headers: { cookie: ada.cookie }, signal: stop.signal })
  expect(feed.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(feed.headers.get('content-type')).toContain('text/event-stream')
  let heard = ''
  const reading = (async () => {
    for await (const chunk of feed.body!) heard += new TextDecoder().decode(chunk)
  })().catch(() => {})
  await expect.poll(() => heard, { timeout: 10_000 }).toContain('event: ready')
  let version = 100
  // The first look at the bots may come after the first change.
  const changed = async () => {
    version += 1
    for (const id of [foreign, botId]) await world.set(id, { version, status: 'joining_call' })
    return heard
  }
  await expect.poll(changed, { timeout: 20_000, interval: 500 }).toContain(botId)
  expect(heard).toContain('joining_call')
  expect(heard).not.toContain(foreign)
  stop.abort()
  await reading
})

test('one session, and many sessions of one team, leave places for the feeds of others', async () => {
  const [ada, other] = [await owner(), await owner()]
  const answers: IncomingMessage[] = []
  const open = async ({ cookie }: { cookie: string }, count: number) => {
    const feeds = Array.from({ length: count }, async () => {
      const [answer] = await once(
        get(`${address}/dashboard/api/feed`, { headers: { cookie }, agent: false }),
        'response',
      )
      answers.push(answer)
      return answer.statusCode
    })
    return (await Promise.all(feeds)).filter((status) => status === 200).length
  }
  const closeAll = () => {
    for (const answer of answers.splice(0)) answer.destroy()
  }
  // All at once: a place counts from the request on, not from the first event on.
  expect(await open(ada, 40)).toBe(10)
  const colleagues = await Promise.all(Array.from({ length: 12 }, () => owner(ada)))
  const ofColleagues = await Promise.all(colleagues.map((one) => open(one, 10)))
  expect(ofColleagues.reduce((sum, count) => sum + count, 0)).toBe(90)
  expect(await open(other, 40)).toBe(10)
  closeAll()
  // A closed feed leaves its place.
  await expect.poll(() => open(ada, 1), { timeout: 10_000 }).toBe(1)
  closeAll()
})

test('system figures come for the operator alone, and name no team', async () => {
  const ada = await owner(operators)
  const { status, body } = await ada.ask('GET', '/system')
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ running: expect.any(Number), postgres: expect.any(String) })
  expect(JSON.stringify(body)).not.toContain(ada.teamId)
  expect((await ada.me()).body.data.is_operator).toBe(true)
  const other = await owner()
  expect((await other.me()).body.data.is_operator).toBe(false)
  const refused = await other.ask('GET', '/system')
  expect(refused.status).toBe(403)
  expect(Object.keys(refused.body)).not.toContain('data')
})
