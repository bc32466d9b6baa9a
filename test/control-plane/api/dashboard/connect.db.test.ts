/** Connecting by the operator's app at the stand-ins: what is connected, and every refusal, after which nothing is stored. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConsentProvider } from '../../../../control-plane/api/dependencies.ts'
import { CONNECT_TEXTS, SIGN_IN_PROBLEMS } from '../../../../control-plane/dashboard/page/connect-texts.ts'
import { openServiceCalendars } from '../../../../control-plane/main/wiring/calendars.ts'
import { completeBy } from '../../../../control-plane/main/wiring/consents.ts'
import { NO_METERS } from '../../../../control-plane/platform/meters.ts'
import { changePerson } from '../../../../control-plane/store/people/people.ts'
import { openWorld, quiet } from '../../world.ts'
import { type Choice, type ConsentWorld, consentAt, openConsentWorld } from './consent-world.ts'

const PROVIDERS = ['google', 'microsoft', 'zoom'] as const
const CALENDARS = ['google', 'microsoft'] as const
const LIST = { google: '/dashboard/calendars', microsoft: '/dashboard/calendars', zoom: '/dashboard/connections' }
/** A scope that is needed, and how the page names it. */
const NEEDED = { google: 'calendar.events.readonly', microsoft: 'Calendars.Read', zoom: 'user:read:token' }

let shiftMs = 0
const logged: string[] = []
/** Codes, verifiers and tokens that passed by; none may be kept anywhere. */
const secrets = new Set<string>()

const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
const world = await openConsentWorld({
  clock: { now: () => Date.now() + shiftMs },
  log: { info: log, warn: log, error: log },
})
for (const platform of CALENDARS) world[platform].addAccount({ email: 'ann@example.com', name: 'Ann' })
world.zoom.addUser({ id: 'zoom-ann', email: 'ann@example.com', firstName: 'Ann', lastName: 'Host' })
beforeEach(() => {
  shiftMs = 0
  logged.length = 0
})

type Person = Awaited<ReturnType<ConsentWorld['person']>>

async function allow(
  person: Person,
  provider: ConsentProvider,
  choice: Choice = {},
  target: object = {},
): Promise<URL> {
  const answer = await consentAt(await person.press(provider, target), choice)
  const code = answer.searchParams.get('code')
  if (code !== null) secrets.add(code)
  return answer
}

const connect = async (person: Person, provider: ConsentProvider, choice: Choice = {}, target: object = {}) =>
  person.comeBack(await allow(person, provider, choice, target))

const calendarsOf = (team_id: string) => world.rows('calendars', { team_id, deleted_at: null })
const connectionsOf = (team_id: string) => world.rows('connections', { team_id })
/** Actions with calendars and credentials; each is one of the person. */
async function actionsOf({ teamId: team_id, personId }: Person): Promise<string[]> {
  const entries = (await world.rows('audit_log', { team_id })).filter(({ action }) => /^c/.test(action))
  expect(entries).toEqual(entries.map((entry) => ({ ...entry, actor_kind: 'person', actor_id: personId })))
  return entries.sort((one, other) => one.at.getTime() - other.at.getTime()).map(({ action }) => action)
}

async function expectNothing(person: Person): Promise<void> {
  const { teamId } = person
  expect([await calendarsOf(teamId), await connectionsOf(teamId), await actionsOf(person)]).toEqual([[], [], []])
}

/** The page says the problem, and nothing is stored. */
async function expectProblem(
  person: Person,
  provider: ConsentProvider,
  back: { path: string; query: Record<string, string> },
  problem: string,
  missing = '',
) {
  expect(back).toEqual({ path: LIST[provider], query: { problem, provider, missing } })
  await expectNothing(person)
  // The page of the sign-in shows it.
  if (problem === 'signed_out') return expect(SIGN_IN_PROBLEMS).toHaveProperty(problem)
  const general = CONNECT_TEXTS.problem('a word without a text', provider, missing)
  const text = CONNECT_TEXTS.problem(problem, provider, missing)
  expect(text === general).toBe(['failed', 'invalid'].includes(problem))
  expect(text).toMatch(/Nothing was connected|It connected nothing/)
}

test.each([
  [
    'google',
    {
      scope: /^https:\S+calendar\.events\.readonly https:\S+calendar\.calendarlist\.readonly$/,
      access_type: /^offline$/,
      prompt: /^consent select_account$/,
    },
  ],
  ['microsoft', { scope: /^Calendars\.Read offline_access$/, prompt: /^select_account$/ }],
  ['zoom', {}],
] as const)(
  'the page of consent at %s gets state, PKCE and the scopes that are needed, and no secret',
  async (provider, own) => {
    const person = await world.person()
    const { searchParams, href } = new URL(await person.press(provider))
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: provider === 'zoom' ? world.zoomApp.clientId : 'standin-client',
      redirect_uri: `${world.publicUrl}/dashboard/api/connect/${provider}/callback`,
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      ...Object.fromEntries(Object.entries(own).map(([name, text]) => [name, expect.stringMatching(text)])),
    })
    for (const secret of [world.zoomApp.clientSecret, 'standin-secret']) expect(href).not.toContain(secret)
    await expectNothing(person)
  },
)

describe.each(CALENDARS)('at %s', (provider) => {
  test('a person connects the primary calendar of their account, in their own name', async () => {
    const person = await world.person()
    const back = await connect(person, provider)
    const [calendar, ...others] = await calendarsOf(person.teamId)
    expect(others).toEqual([])
    const expected = { platform: provider, account_email: 'ann@example.com', is_primary: true, generation: 'v2' }
    expect(calendar).toMatchObject({ ...expected, status: 'active' })
    expect(back).toEqual({ path: `/dashboard/calendars/${calendar!.id}`, query: { connected: 'new' } })
    const place = { table: 'calendars', column: 'credentials', row: calendar!.id }
    const { refreshToken, ...stored } = JSON.parse(world.dependencies.seals.open(calendar!.credentials!, place))
    expect(stored).toEqual({ clientId: 'standin-client', clientSecret: '', tenantId: 'common' })
    expect(refreshToken).toMatch(/^refresh\./)
    secrets.add(refreshToken)
    expect(await actionsOf(person)).toEqual(['calendar.connect'])
    expect((await person.send('GET', `/v2/calendars/${calendar!.id}`)).body.data.status).toBe('active')
  })

  test('the same calendar is not connected twice, and the first one stays as it is', async () => {
    const person = await world.person()
    await connect(person, provider)
    const before = await calendarsOf(person.teamId)
    expect(await connect(person, provider)).toEqual({
      path: LIST[provider],
      query: { problem: 'already_connected', provider, missing: '' },
    })
    expect((await calendarsOf(person.teamId)).map(({ id, credentials }) => [id, credentials])).toEqual(
      before.map(({ id, credentials }) => [id, credentials]),
    )
  })

  test('another calendar of the account is connected too, by another consent', async () => {
    const person = await world.person()
    const account = world[provider].addAccount({ email: `two-${provider}@example.com` })
    const team = account.addCalendar('Team')
    const choice = { account: account.email }
    const { path } = await connect(person, provider, choice)
    const target = { calendar_id: path.split('/').at(-1), raw_calendar_id: team.id }
    const address = await person.press(provider, target)
    expect(new URL(address).searchParams.get('login_hint')).toBe(account.email)
    // The account is chosen on the page already.
    expect((await person.comeBack(await consentAt(address))).query).toEqual({ connected: 'new' })
    expect((await calendarsOf(person.teamId)).map(({ raw_calendar_id }) => raw_calendar_id).sort()).toEqual(
      [account.primary.id, team.id].sort(),
    )
    // Each has a separate refresh token.
    expect(
      await connect(person, provider, { account: 'ann@example.com' }, { ...target, raw_calendar_id: 'gone' }),
    ).toMatchObject({ query: { problem: 'raw_calendar_not_found' } })
  })

  test('a calendar whose permission was withdrawn is authorized again, by its own account only', async () => {
    const person = await world.person()
    const account = world[provider].addAccount({ email: `again-${provider}@example.com` })
    const { path } = await connect(person, provider, { account: account.email })
    const id = path.split('/').at(-1)!
    world[provider].tokens.revoke(account)
    await person.send('POST', `/v2/calendars/${id}/sync`)
    expect((await calendarsOf(person.teamId))[0]!.status).toBe('revoked')
    const target = { calendar_id: id }
    expect((await connect(person, provider, { account: 'ann@example.com' }, target)).query.problem).toBe(
      'raw_calendar_not_found',
    )
    expect((await calendarsOf(person.teamId))[0]!.status).toBe('revoked')
    expect(await connect(person, provider, {}, target)).toEqual({ path, query: { connected: 'again' } })
    expect(await calendarsOf(person.teamId)).toMatchObject([{ id, status: 'active' }])
    expect(await actionsOf(person)).toEqual(['calendar.connect', 'calendar.change'])
  })

  test('the secret of the app can be replaced: calendars that are connected use the new one', async () => {
    const person = await world.person()
    const account = world[provider].addAccount({ email: `secret-${provider}@example.com` })
    const { path } = await connect(person, provider, { account: account.email })
    const { tokens } = world[provider]
    const old = tokens.clientSecret
    tokens.clientSecret = 'the-next-secret'
    tokens.expireAccess(account)
    const app = { ...world.config.apps[provider], clientSecret: 'the-next-secret' }
    const { database, dependencies, publicUrl, config } = world
    const tools = { database, seals: dependencies.seals, log: quiet, meters: NO_METERS, publicUrl }
    const calendars = openServiceCalendars({ ...config, apps: { ...config.apps, [provider]: app } }, tools)
    try {
      const name = { teamId: person.teamId, generation: 'v2' as const, calendarId: path.split('/').at(-1)! }
      await expect(calendars.operations.sync(name)).resolves.toEqual({ changed: 0 })
    } finally {
      await calendars.close()
      tokens.clientSecret = old
    }
  })
})

describe('at zoom', () => {
  test('a user is connected, and another consent of the same user renews the connection', async () => {
    const person = await world.person()
    expect(await connect(person, 'zoom')).toEqual({ path: LIST.zoom, query: { connected: 'new' } })
    const [first] = await connectionsOf(person.teamId)
    const ann = { name: 'Ann Host', type: 'user', user_id: 'zoom-ann', email: 'ann@example.com', state: 'active' }
    expect(first).toMatchObject({ ...ann, client_id: world.zoomApp.clientId })
    const { seals } = world.dependencies
    const place = { table: 'connections', row: first!.id }
    expect(seals.open(first!.client_secret!, { ...place, column: 'client_secret' })).toBe('')
    for (const column of ['refresh_token', 'access_token'] as const)
      secrets.add(seals.open(first![column]!, { ...place, column }))
    expect(await connect(person, 'zoom')).toEqual({ path: LIST.zoom, query: { connected: 'again' } })
    const [second, ...more] = await connectionsOf(person.teamId)
    expect(more).toEqual([])
    expect(second!.refresh_token).not.toEqual(first!.refresh_token)
    expect(await actionsOf(person)).toEqual(['credential.create', 'credential.change'])
  })
})

type Script = 'lose' | { status: number; body: object }
const scriptToken = (provider: ConsentProvider, script: Script) =>
  provider === 'zoom' ? world.zoom.script('exchange', script) : world[provider].server.script('token', script)

/** What goes wrong between the consent and the callback, and the problem that the page says. */
type Failing = [
  what: string,
  problem: string,
  spoil: (answer: URL, at: { provider: ConsentProvider; person: Person }) => unknown,
]
const set = ({ searchParams }: URL, values: Record<string, string | null>) => {
  for (const [name, value] of Object.entries(values))
    if (value === null) searchParams.delete(name)
    else searchParams.set(name, value)
}
const stateOf = ({ searchParams }: URL) => searchParams.get('state')!
const changing =
  (change: Parameters<typeof changePerson>[3]): Failing[2] =>
  (_answer, { person }) =>
    changePerson(world.database, person.teamId, person.personId, change)
const exchange =
  (status: number, body: object): Failing[2] =>
  (_answer, { provider }) =>
    scriptToken(provider, { status, body })
const consent =
  (error: string): Failing[2] =>
  (answer) =>
    set(answer, { code: null, error })
const noHeader = { token_type: 'bearer', access_token: 'a b\n' }
const FAILING: Failing[] = [
  ['the answer comes too late', 'expired', () => (shiftMs = 10 * 60_000 + 1)],
  ['the button was pressed again since', 'used', (_answer, { person, provider }) => person.press(provider)],
  ['the state is another one', 'used', (answer) => set(answer, { state: stateOf(answer).replace(/x?.$/, 'xx') })],
  ['the state is a part of it', 'used', (answer) => set(answer, { state: stateOf(answer).slice(1) })],
  ['there is no state', 'used', (answer) => set(answer, { state: null })],
  ['there are two states', 'used', (answer) => (answer.search = `?state=other&${answer.searchParams}`)],
  ['the code is unknown', 'code_refused', (answer) => set(answer, { code: 'made-up' })],
  ['there is no code', 'invalid', (answer) => set(answer, { code: null })],
  ['a code of another consent is put in: its challenge is another', 'code_refused', stealCode],
  ['the provider breaks the connection', 'unavailable', (_answer, { provider }) => scriptToken(provider, 'lose')],
  ['the provider has an error', 'unavailable', exchange(500, {})],
  ['the provider is too busy', 'unavailable', exchange(429, { error: 'slow_down' })],
  ['the provider sends no tokens', 'invalid', exchange(200, { token_type: 'bearer' })],
  ['the provider sends tokens that no header can hold', 'invalid', exchange(200, noHeader)],
  ['the provider refuses the app', 'app_refused', exchange(401, { error: 'invalid_client', error_description: 'No' })],
  ['the provider refuses the address', 'app_refused', exchange(400, { error: 'redirect_uri_mismatch' })],
  ['the page of consent answers server_error', 'unavailable', consent('server_error')],
  ['the page of consent answers temporarily_unavailable', 'unavailable', consent('temporarily_unavailable')],
  ['the page of consent answers unauthorized_client', 'app_refused', consent('unauthorized_client')],
  ['the page of consent answers invalid_scope', 'app_refused', consent('invalid_scope')],
  ['the person became a viewer', 'forbidden', changing({ role: 'viewer' })],
  ['the person is removed', 'signed_out', changing('disable')],
  ['the person signed out', 'signed_out', (_answer, { person }) => person.ask('POST', '/sign-out')],
]
async function stealCode(answer: URL, { provider }: { provider: ConsentProvider }) {
  const stolen = await allow(await world.person(), provider)
  set(answer, { code: stolen.searchParams.get('code') })
}
const OF_CALENDARS: Failing[] = [
  [
    'the team may have no more calendars',
    'limit_reached',
    (_answer, { person }) => world.setTeam(person.teamId, { calendars: 0 }),
  ],
  [
    'the provider sends no refresh token',
    'no_refresh_token',
    ({ searchParams }, { provider }) => {
      const scope = searchParams.get('scope') ?? undefined
      const body = { access_token: 'access.only', expires_in: 3599, token_type: 'Bearer', scope }
      scriptToken(provider, { status: 200, body })
    },
  ],
  [
    'the provider fails after the code was exchanged',
    'unavailable',
    (_answer, { provider }) => world[provider as 'google'].server.script('calendars', { status: 503, body: {} }),
  ],
]
const notTheirs = { status: 403, body: { code: 1010, message: 'Not yours.' } }
const OF_ZOOM: Failing[] = [
  ['the profile cannot be read', 'permission_denied', () => world.zoom.script('profile', notTheirs)],
]

describe.each(PROVIDERS)('nothing is stored at %s', (provider) => {
  test.each([...FAILING, ...(provider === 'zoom' ? OF_ZOOM : OF_CALENDARS)])(
    'if %s: %s',
    async (what, problem, spoil) => {
      const person = await world.person()
      const answer = await allow(person, provider)
      await spoil(answer, { provider, person })
      const before = world.exchanges(provider)
      await expectProblem(person, provider, await person.comeBack(answer), problem)
      if (/state/.test(what)) expect(world.exchanges(provider)).toBe(before)
      if (/provider/.test(what)) expect(logged.join('\n')).toContain('An account was not connected')
    },
  )

  test('if the person denies', async () => {
    const person = await world.person()
    const answer = await allow(person, provider, { denies: true })
    expect(answer.searchParams.get('error')).toBe('access_denied')
    await expectProblem(person, provider, await person.comeBack(answer), 'denied')
  })

  test('if the person unticks a scope, whose name the page gets', async () => {
    const person = await world.person()
    const back = await connect(person, provider, { unticks: NEEDED[provider] })
    await expectProblem(person, provider, back, 'scope_missing', NEEDED[provider])
  })

  test('if the answer comes twice: the code is exchanged once', async () => {
    const person = await world.person()
    const answer = await allow(person, provider, { unticks: NEEDED[provider] })
    const cookies = new Map(person.cookies)
    const before = world.exchanges(provider)
    await person.comeBack(answer)
    expect(world.exchanges(provider)).toBe(before + 1)
    await expectProblem(person, provider, await person.comeBack(answer), 'expired')
    for (const [name, value] of cookies) person.cookies.set(name, value)
    await expectProblem(person, provider, await person.comeBack(answer), 'used')
    expect(world.exchanges(provider)).toBe(before + 1)
  })

  test('of two answers at once by more than one', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    const backs = await Promise.all([person.comeBack(answer), person.comeBack(answer)])
    const problems = backs.map(({ query }) => query.problem ?? 'connected').sort()
    expect(problems).toEqual(['connected', 'used'])
  })

  test('if another person answers, of the same team or of another, in this browser or in theirs', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    const own = new Map(person.cookies)
    for (const other of [await world.person('owner', person), await world.person()]) {
      await expectProblem(other, provider, await other.comeBack(answer), 'expired')
      other.cookies.set('standin_consent', own.get('standin_consent')!)
      await expectProblem(other, provider, await other.comeBack(answer), 'used')
    }
  })

  test('if the answer comes at the address of another provider', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    const other = PROVIDERS.find((one) => one !== provider)!
    answer.pathname = answer.pathname.replace(`/${provider}/`, `/${other}/`)
    await expectProblem(person, other, await person.comeBack(answer), 'expired')
  })

  test('by a viewer, by a page of another site, or with a key', async () => {
    const person = await world.person()
    const url = `/dashboard/api/connect/${provider}`
    expect((await (await world.person('viewer')).begin(provider)).status).toBe(403)
    expect((await person.send('POST', url, {}, { 'x-requested-by': '' })).status).toBe(403)
    expect((await (await world.team()).post(url, {})).status).toBe(401)
  })

  test('if the change cannot be written to the audit log: the page says that the service failed', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    await world.database.schema.alterTable('audit_log').renameTo('audit_log_away').execute()
    const back = await person
      .comeBack(answer)
      .finally(() => world.database.schema.alterTable('audit_log_away').renameTo('audit_log').execute())
    await expectProblem(person, provider, back, 'failed')
  })
})

test('a calendar of another team, or of the same without its id, is no target', async () => {
  const [person, stranger] = [await world.person(), await world.person()]
  const { path } = await connect(person, 'google')
  const calendarId = path.split('/').at(-1)!
  for (const target of [{ calendar_id: calendarId }, { calendar_id: calendarId, raw_calendar_id: 'x' }])
    expect((await stranger.begin('google', target)).status).toBe(404)
  expect((await person.begin('google', { raw_calendar_id: 'x' })).status).toBe(400)
  expect((await person.begin('google', { calendar_id: 'x' })).status).toBe(400)
})

test('an installation without apps offers none, and the page knows it', async () => {
  expect((await (await world.person()).me()).body.data.connects).toEqual(PROVIDERS)
  const plain = await openWorld({ api: {} })
  const { connects } = (await plain.app.inject('/openapi-dashboard.json')).json().components.schemas.Me.properties
  expect(connects.items.enum).toEqual(PROVIDERS)
  for (const provider of PROVIDERS)
    expect((await plain.app.inject(`/dashboard/api/connect/${provider}/callback`)).statusCode).toBe(404)
})

test('only the app of the operator is completed, and only if its secret was left out', () => {
  const complete = completeBy({ clientId: 'app', clientSecret: 'new' })
  const of = (clientId: string, clientSecret: string) => complete({ clientId, clientSecret }).clientSecret
  expect([of('app', ''), of('app', 'old'), of('other', ''), of('other', 'x')]).toEqual(['new', 'old', '', 'x'])
  expect(completeBy({ clientId: 'app', clientSecret: null })({ clientId: 'app', clientSecret: '' }).clientSecret).toBe(
    '',
  )
})

test('no code, token or secret is in the log, in an address that people see, or in plain text in the database', async () => {
  const person = await world.person()
  const seen: string[] = []
  for (const provider of PROVIDERS) {
    seen.push(JSON.stringify(await connect(person, provider)))
    const answer = await allow(person, provider)
    const secret = provider === 'zoom' ? world.zoomApp.clientSecret : 'standin-secret'
    const repeated = `${answer.searchParams.get('code')} ${secret}`
    scriptToken(provider, { status: 400, body: { error: 'invalid_grant', error_description: repeated } })
    seen.push(JSON.stringify(await person.comeBack(answer)))
  }
  expect(logged.join('\n')).toContain('***')
  for (const table of ['audit_log', 'sessions', 'calendars', 'connections', 'messages'] as const)
    seen.push(JSON.stringify(await world.rows(table)))
  expect(secrets.size).toBeGreaterThan(20)
  const text = [...seen, ...logged].join('\n')
  for (const secret of [...secrets, 'standin-secret', world.zoomApp.clientSecret]) expect(text).not.toContain(secret)
})

test('other calendars of an account are listed without those that the team has, for members and from the provider', async () => {
  const person = await world.person()
  const account = world.google.addAccount({ email: 'others@example.com' })
  const [sales, support] = [account.addCalendar('Sales'), account.addCalendar('Support')]
  const { path } = await connect(person, 'google', { account: account.email })
  const calendarId = path.split('/').at(-1)!
  const others = (who = person) => who.ask('GET', `/calendars/${calendarId}/others`)
  const idsOf = async () => (await others()).body.data.map(({ id }: { id: string }) => id)
  expect(await idsOf()).toEqual([sales.id, support.id])
  await connect(person, 'google', {}, { calendar_id: calendarId, raw_calendar_id: sales.id })
  expect(await idsOf()).toEqual([support.id])
  expect((await others(await world.person('viewer', person))).status).toBe(403)
  expect((await others(await world.person())).status).toBe(404)
  world.google.server.script('calendars', { status: 503, body: {} })
  expect((await others()).status).toBe(503)
})
