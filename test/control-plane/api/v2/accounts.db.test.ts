import { randomUUID } from 'node:crypto'
import { MAX_SESSION_BYTES } from '@standin/wire/account-session.ts'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { sessionPlace } from '../../../../control-plane/store/accounts/accounts.ts'
import { openWorld } from '../../world.ts'

const PATH = '/v2/accounts'
const MEET = 'https://meet.google.com/abc-defg-hij'
const CANARY = 'canary-of-the-session-1'

const world = await openWorld({ api: {} })

const cookie = (domain: string, value = CANARY) => ({ name: 'SID', value, domain })
const account = (fields: object = {}) => ({
  ...{ platform: 'meet', label: 'Notes', session: { cookies: [cookie('.google.com')] }, ...fields },
})
const idOf = ({ body }: { body: unknown }) => (body as { data: { account_id: string } }).data.account_id
const sessionOf = async (id: string) => {
  const row = await world.one('accounts', { id })
  return { row, session: JSON.parse(world.dependencies.seals.open(row.session, sessionPlace(id))) }
}

test('an account is stored by its session, which no answer has', async () => {
  const team = await world.team()
  const made = await team.post(PATH, account({ address: 'Notes@Example.com', pool: 'sales', max_meetings: 3 }))
  expect(made.status).toBe(201)
  expect(made.body).toEqual({
    success: true,
    data: {
      account_id: expect.any(String),
      ...{ platform: 'meet', label: 'Notes', address: 'notes@example.com', pool: 'sales' },
      ...{ max_meetings: 3, meetings: 0, is_disabled: false, state: 'unknown', state_reason: null, state_at: null },
      session_at: expect.stringMatching(/Z$/),
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    },
  })
  const one = await team.get(`${PATH}/${idOf(made)}`)
  expect(one.body).toEqual(made.body)
  const all = await team.get(PATH)
  expect(all.body).toEqual({ success: true, data: [(made.body as { data: object }).data] })
  for (const { text } of [made, one, all]) expect(text).not.toContain('canary')
  const { rows } = await sql<{ found: boolean }>`
    select position(${Buffer.from(CANARY)} in session) > 0 as found from accounts`.execute(world.database)
  expect(rows.some(({ found }) => found)).toBe(false)
})

test('a team has five hundred, which are one list', async () => {
  const [team, other] = [await world.team(), await world.team()]
  const { row } = await sessionOf(idOf(await team.post(PATH, account())))
  const copies = Array.from({ length: 499 }, () => ({ ...row, id: randomUUID() }))
  await world.insert('accounts', ...copies)
  expect(await team.post(PATH, account())).toMatchObject({
    status: 409,
    body: { code: 'FST_ERR_CONFLICT', message: expect.stringContaining('has 500 accounts') },
  })
  expect((await team.get(PATH)).body.data).toHaveLength(500)
  expect((await other.post(PATH, account())).status).toBe(201)
})

test('only what the hosts of the platform stored is kept', async () => {
  const team = await world.team()
  const origin = (host: string) => ({ origin: `https://${host}`, localStorage: [{ name: 'a', value: 'b' }] })
  const hosts = ['.google.com', 'meet.google.com', 'notgoogle.com', 'google.com.evil.example']
  const origins = [origin('meet.google.com'), origin('bank.example')]
  const session = { cookies: hosts.map((host) => cookie(host)), origins }
  const { session: kept } = await sessionOf(idOf(await team.post(PATH, account({ session }))))
  expect(kept.cookies.map(({ domain }: { domain: string }) => domain)).toEqual(['.google.com', 'meet.google.com'])
  expect(kept.origins.map(({ origin }: { origin: string }) => origin)).toEqual(['https://meet.google.com'])
})

test.each([
  ['without a cookie of the platform', { platform: 'zoom' }, 'holds no cookie of zoom.us'],
  [
    'too large',
    { session: { cookies: [cookie('.google.com', 'x'.repeat(MAX_SESSION_BYTES))] } },
    'larger than 512 KiB',
  ],
  ['of another shape', { session: { cookies: [{ name: CANARY }] } }, 'session is no storage state: cookies.0.value'],
  ['of a platform without accounts', { platform: 'jitsi' }, 'platform'],
])('a session %s is refused, and its content is not repeated', async (_, fields, words) => {
  const refused = await (await world.team()).post(PATH, account(fields))
  expect(refused.status).toBe(400)
  expect(refused.text).toContain(words)
  expect(refused.text).not.toContain('canary')
})

test('change, new session, check and deletion', async () => {
  const team = await world.team()
  const id = idOf(await team.post(PATH, account()))
  const path = `${PATH}/${id}`
  expect((await team.patch(path, { label: 'Other', is_disabled: true })).body).toMatchObject({
    data: { label: 'Other', is_disabled: true, state: 'unknown' },
  })
  await world.change('accounts', { id }, { state: 'signed_out', state_reason: 'gone' })
  expect((await team.post(`${path}/check`)).body).toMatchObject({ data: { state: 'unknown', state_reason: null } })
  expect((await team.patch(path, { session: { cookies: [cookie('.zoom.us')] } })).status).toBe(400)
  expect((await team.patch(path, { session: { cookies: [cookie('.google.com', 'other')] } })).status).toBe(200)
  const { row, session } = await sessionOf(id)
  expect([row.session_version, session.cookies[0].value]).toEqual([2, 'other'])
  expect((await team.delete(path)).status).toBe(200)
  for (const again of [await team.get(path), await team.delete(path), await team.post(`${path}/check`)])
    expect(again.status).toBe(404)
})

test('another team has no such account', async () => {
  const id = idOf(await (await world.team()).post(PATH, account()))
  const other = await world.team()
  const path = `${PATH}/${id}`
  for (const answer of [await other.get(path), await other.patch(path, {}), await other.delete(path)])
    expect(answer.status).toBe(404)
  expect((await other.get(PATH)).body).toEqual({ success: true, data: [] })
})

describe('a bot', () => {
  test('with an account is refused if the team has none of the platform and pool', async () => {
    const team = await world.team()
    const bot = (fields: object) => team.post('/v2/bots', { meeting_url: MEET, bot_name: 'Notes', ...fields })
    expect((await bot({ account: 'always' })).text).toContain('The team has no account of the platform meet')
    await team.post(PATH, account({ pool: 'sales' }))
    expect((await bot({ account: 'always', account_pool: 'other' })).text).toContain("in the pool 'other'")
    expect((await bot({ account: 'always', account_pool: 'sales' })).status).toBe(201)
    expect((await bot({ account: 'if_required' })).status).toBe(201)
    expect((await bot({ account: 'always', meeting_url: 'https://zoom.us/j/88240852079' })).status).toBe(400)
    expect((await bot({ account_pool: randomUUID() })).status).toBe(201)
  })
})
