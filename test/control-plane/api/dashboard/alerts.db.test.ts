/** Alert rules as the dashboard's API keeps them: roles, bounds, secrets, teams. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { evaluateAlerts } from '../../../../control-plane/alerts/evaluate.ts'
import { createPerson, type Role } from '../../../../control-plane/store/people/people.ts'
import { openSession } from '../../../../control-plane/store/people/sessions.ts'
import { openApiWorld, quiet } from '../world.ts'

const RULES = '/dashboard/api/alert-rules'
const FIRINGS = '/dashboard/api/alert-firings'
const RULE = {
  name: 'Crashes',
  alert_type: 'bot_crash',
  threshold: 2,
  callback_url: 'https://example.com/alerts',
  callback_secret: 'very-secret',
  emails: ['ada@example.com'],
}

let world: Awaited<ReturnType<typeof openApiWorld>>
let team: Awaited<ReturnType<typeof world.team>>
let ada: Person
beforeAll(async () => {
  world = await openApiWorld()
})
beforeEach(async () => {
  team = await world.team()
  ada = await person('member')
})
afterAll(() => world.close())

type Person = Awaited<ReturnType<typeof person>>

async function person(role: Role, teamId = team.teamId, app = world.app) {
  const personId = (await createPerson(world.database, { teamId, name: 'Ada', email: null, role }))!
  const cookie = `standin_session=${await openSession(world.database, personId)}`
  return async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown) => {
    const answer = await app.inject({
      method,
      url,
      headers: {
        cookie,
        'x-requested-by': 'dashboard',
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { payload: JSON.stringify(body) }),
    })
    return { status: answer.statusCode, text: answer.payload, body: answer.json() }
  }
}

async function made(fields: object = {}): Promise<string> {
  const { body, text, status } = await ada('POST', RULES, { ...RULE, ...fields })
  if (status !== 201) throw new Error(text)
  return body.data.alert_rule_id
}
const listed = async () => (await ada('GET', RULES)).body.data.rules

describe('a rule', () => {
  test('is made, shown without its secret, changed in part, and deleted', async () => {
    const id = await made()
    const { text, body } = await ada('GET', RULES)
    expect(text).not.toContain('very-secret')
    expect(body.data).toMatchObject({
      mail: { is_configured: true },
      rules: [
        {
          alert_rule_id: id,
          name: 'Crashes',
          category: 'operational',
          operator: '>=',
          threshold: 2,
          cooldown_minutes: 15,
          is_enabled: true,
          callback_url: 'https://example.com/alerts',
          has_callback_secret: true,
          emails: ['ada@example.com'],
          last_fired_at: null,
        },
      ],
    })
    const change = { threshold: 5, emails: ['Bob@example.com', 'bob@example.com', 'ada@example.com'] }
    expect((await ada('PATCH', `${RULES}/${id}`, change)).status).toBe(200)
    const [after] = await listed()
    expect(after).toMatchObject({ name: 'Crashes', threshold: 5, has_callback_secret: true })
    expect(after.emails.map((one: string) => one.toLowerCase())).toEqual(['ada@example.com', 'bob@example.com'])
    await ada('PATCH', `${RULES}/${id}`, { callback_secret: null })
    expect((await listed())[0]).toMatchObject({ has_callback_secret: false, callback_url: RULE.callback_url })
    expect((await ada('DELETE', `${RULES}/${id}`)).status).toBe(200)
    expect(await listed()).toEqual([])
    expect((await ada('DELETE', `${RULES}/${id}`)).status).toBe(404)
  })

  test.each([
    ['a type that is not known', { alert_type: 'meteor' }, 'alert_type'],
    ['a threshold below 1', { threshold: 0 }, 'threshold'],
    ['half a crash', { threshold: 1.5 }, 'whole number'],
    ['at most for what is counted', { operator: '<=' }, 'operator'],
    ['a cooldown of no time', { cooldown_minutes: 0 }, 'cooldown_minutes'],
    ['a cooldown of more than a day', { cooldown_minutes: 1441 }, 'cooldown_minutes'],
    ['no channel', { callback_url: null, callback_secret: null, emails: [] }, 'callback_url'],
    ['a secret for no callback', { callback_url: null }, 'callback_secret'],
    ['plain http', { callback_url: 'http://example.com/' }, 'callback_url'],
    ['a private address', { callback_url: 'https://10.0.0.1/' }, 'callback_url'],
    ['the address of metadata', { callback_url: 'https://169.254.169.254/latest' }, 'callback_url'],
    ['this machine in another spelling', { callback_url: 'https://[::ffff:127.0.0.1]/' }, 'callback_url'],
    ['a secret with a line break', { callback_secret: 'a\r\nx: y' }, 'callback_secret'],
    ['a name with a line break', { name: 'A\r\nBcc: eve@evil.test' }, 'name'],
    ['a name that turns its direction', { name: 'A \u202Etxt' }, 'name'],
    ['a name with a NUL', { name: 'A\u0000' }, 'name'],
    ['an empty name', { name: '  ' }, 'name'],
    ['two addresses in one', { emails: ['ada@example.com, eve@evil.test'] }, 'emails'],
    ['an address with a line break', { emails: ['ada@example.com\r\nBcc: eve@evil.test'] }, 'emails'],
    ['an address with a name', { emails: ['Ada <ada@example.com>'] }, 'emails'],
    ['eleven addresses', { emails: Array.from({ length: 11 }, (_, n) => `a${n}@example.com`) }, 'emails'],
    ['an unknown field', { team_id: randomUUID() }, 'team_id'],
  ])('is refused with %s', async (_what, fields, named) => {
    const { status, body } = await ada('POST', RULES, { ...RULE, ...fields })
    expect([status, body.message]).toEqual([400, expect.stringContaining(named)])
    expect(await listed()).toEqual([])
  })

  test('is judged as a whole when a part changes', async () => {
    const id = await made({ emails: [] })
    for (const change of [{ callback_url: null, callback_secret: null }, { operator: '<=' }, { threshold: 2.5 }])
      expect((await ada('PATCH', `${RULES}/${id}`, change)).status).toBe(400)
    expect((await ada('PATCH', `${RULES}/${id}`, { alert_type: 'token_balance' })).status).toBe(400)
  })

  test('is one of fifty at most, also when the last two are made at once', async () => {
    for (let count = 0; count < 49; count++) await made({ callback_secret: null, emails: [] })
    const answers = await Promise.all([1, 2, 3].map(() => ada('POST', RULES, RULE)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect(await listed()).toHaveLength(50)
  })

  test('belongs to its team', async () => {
    const id = await made()
    await ada('POST', `${RULES}/${id}/test`)
    const stranger = await person('owner', (await world.team()).teamId)
    expect((await stranger('GET', RULES)).body.data.rules).toEqual([])
    expect((await stranger('GET', FIRINGS)).body.data).toEqual([])
    expect((await stranger('GET', `${FIRINGS}?alert_rule_id=${id}`)).body.data).toEqual([])
    for (const [method, path, body] of [
      ['PATCH', '', { threshold: 9 }],
      ['DELETE', '', undefined],
      ['POST', '/test', undefined],
    ] as const)
      expect((await stranger(method, `${RULES}/${id}${path}`, body)).status).toBe(404)
    expect(await listed()).toMatchObject([{ threshold: 2 }])
  })

  test('a viewer reads, and changes nothing', async () => {
    const id = await made()
    const viewer = await person('viewer')
    expect((await viewer('GET', RULES)).body.data.rules).toHaveLength(1)
    expect((await viewer('GET', FIRINGS)).status).toBe(200)
    expect((await viewer('POST', RULES, RULE)).status).toBe(403)
    expect((await viewer('PATCH', `${RULES}/${id}`, { threshold: 9 })).status).toBe(403)
    expect((await viewer('DELETE', `${RULES}/${id}`)).status).toBe(403)
    expect((await viewer('POST', `${RULES}/${id}/test`)).status).toBe(403)
  })
})

test('without a mail server new addresses are refused; those that are there may stay', async () => {
  const id = await made()
  const { database } = world
  const alerts = { sendsMail: false, sendTest: async () => 'sent' as const }
  const bare = await openApiWorld({
    dependencies: { database, keyDatabase: database, seals: world.dependencies.seals, alerts },
  })
  try {
    const bob = await person('member', team.teamId, bare.app)
    expect((await bob('GET', RULES)).body.data.mail).toEqual({ is_configured: false })
    const refused = await bob('POST', RULES, RULE)
    expect([refused.status, refused.body.message]).toEqual([400, expect.stringContaining('no mail server')])
    expect((await bob('PATCH', `${RULES}/${id}`, { threshold: 3 })).status).toBe(200)
    expect((await bob('PATCH', `${RULES}/${id}`, { emails: ['new@example.com'] })).status).toBe(400)
  } finally {
    await bare.close()
  }
})

test('a test goes to every channel, and is sent at most twice a minute', async () => {
  const id = await made({ is_enabled: false })
  expect((await ada('POST', `${RULES}/${id}/test`)).status).toBe(200)
  const again = await ada('POST', `${RULES}/${id}/test`)
  expect([again.status, again.body.retryAfter]).toEqual([429, 30])
  const { data } = (await ada('GET', FIRINGS)).body
  expect(data).toMatchObject([
    {
      alert_rule_id: id,
      alert_rule_name: 'Crashes',
      is_test: true,
      category: 'operational',
      threshold_value: 2,
      sent: [
        { channel: 'callback', to: RULE.callback_url, state: 'waiting', attempts: 0, last_status: null },
        { channel: 'mail', to: 'ada@example.com', state: 'waiting' },
      ],
    },
  ])
})

test('firings come newest first, page by page, and of one rule when asked', async () => {
  const [first, second] = [await made({ alert_type: 'daily_bot_cap', threshold: 1 }), await made()]
  await world.bot(team)
  await evaluateAlerts(world.database, quiet)
  await ada('POST', `${RULES}/${second}/test`)
  const firings = (await ada('GET', FIRINGS)).body.data
  expect(firings.map((one: { alert_rule_id: string }) => one.alert_rule_id)).toEqual([second, first])
  const older = await ada('GET', `${FIRINGS}?limit=1&before=${firings[0].firing}`)
  expect(older.body.data).toMatchObject([
    { alert_rule_id: first, current_value: 1, message: expect.stringContaining('24 hours') },
  ])
  expect((await ada('GET', `${FIRINGS}?alert_rule_id=${second}`)).body.data).toHaveLength(1)
})

test('what alerts send to is no endpoint of the webhooks page, and cannot be touched there', async () => {
  const id = await made()
  await ada('POST', `${RULES}/${id}/test`)
  const owner = await person('owner')
  expect((await owner('GET', '/dashboard/api/endpoints')).body.data).toEqual([])
  expect((await owner('GET', '/dashboard/api/deliveries')).body.data).toEqual([])
  const channel = await world.database
    .selectFrom('endpoints')
    .select('id')
    .where('alert_rule_id', '=', id)
    .executeTakeFirstOrThrow()
  for (const verb of ['test', 'rotate', 'enable'])
    expect((await owner('POST', `/dashboard/api/endpoints/${channel.id}/${verb}`)).status).toBe(404)
})
