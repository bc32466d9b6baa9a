/** Connecting by the operator's app at the stand-ins: what is connected, and every refusal, after which nothing is stored. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { ConsentProvider } from '../../../../control-plane/api/dependencies.ts'
import { CONNECT_TEXTS } from '../../../../control-plane/dashboard/page/connect-texts.ts'
import { PROBLEM_TEXTS } from '../../../../control-plane/dashboard/page/texts.ts'
import { openServiceCalendars } from '../../../../control-plane/main/wiring/calendars.ts'
import { completeBy } from '../../../../control-plane/main/wiring/consents.ts'
import { NO_METERS } from '../../../../control-plane/platform/meters.ts'
import { changePerson } from '../../../../control-plane/store/people/people.ts'
import { setTeam } from '../../../../control-plane/store/teams/teams.ts'
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

const calendarsOf = (teamId: string) =>
  world.database
    .selectFrom('calendars')
    .selectAll()
    .where('team_id', '=', teamId)
    .where('deleted_at', 'is', null)
    .execute()
const connectionsOf = (teamId: string) =>
  world.database.selectFrom('connections').selectAll().where('team_id', '=', teamId).execute()
const actionsOf = (teamId: string) =>
  world.database
    .selectFrom('audit_log')
    .select(['action', 'actor_kind', 'actor_id'])
    .where('team_id', '=', teamId)
    .where('action', 'like', 'c%')
    .orderBy('at')
    .execute()

async function expectNothing({ teamId }: Person): Promise<void> {
  expect(await calendarsOf(teamId)).toEqual([])
  expect(await connectionsOf(teamId)).toEqual([])
  expect(await actionsOf(teamId)).toEqual([])
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
  if (problem === 'signed_out') return expect(PROBLEM_TEXTS).toHaveProperty(problem)
  const general = CONNECT_TEXTS.problem('a word without a text', provider, missing)
  const text = CONNECT_TEXTS.problem(problem, provider, missing)
  expect(text === general).toBe(['failed', 'invalid'].includes(problem))
  expect(text).toMatch(/Nothing was connected|It connected nothing/)
}

describe('the page of consent gets', () => {
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
  ] as const)('at %s state, PKCE and the scopes that are needed, and no secret', async (provider, own) => {
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
  })
})

describe.each(CALENDARS)('at %s', (provider) => {
  test('a person connects the primary calendar of their account, in their own name', async () => {
    const person = await world.person()
    const back = await connect(person, provider)
    const [calendar, ...others] = await calendarsOf(person.teamId)
    expect(others).toEqual([])
    expect(calendar).toMatchObject({
      platform: provider,
      account_email: 'ann@example.com',
      is_primary: true,
      status: 'active',
      generation: 'v2',
    })
    expect(back).toEqual({ path: `/dashboard/calendars/${calendar!.id}`, query: { connected: 'new' } })
    const { seals } = world.dependencies
    const stored = JSON.parse(
      seals.open(calendar!.credentials!, { table: 'calendars', column: 'credentials', row: calendar!.id }),
    )
    expect(stored).toEqual({
      clientId: 'standin-client',
      clientSecret: '',
      refreshToken: expect.stringMatching(/^refresh\./),
      tenantId: 'common',
    })
    secrets.add(stored.refreshToken)
    expect(await actionsOf(person.teamId)).toEqual([
      { action: 'calendar.connect', actor_kind: 'person', actor_id: person.personId },
    ])
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
    expect((await actionsOf(person.teamId)).map(({ action }) => action)).toEqual([
      'calendar.connect',
      'calendar.change',
    ])
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
    const { database, dependencies, publicUrl } = world
    const calendars = openServiceCalendars(
      { ...world.config, apps: { ...world.config.apps, [provider]: app } },
      { database, seals: dependencies.seals, log: quiet, meters: NO_METERS, publicUrl },
    )
    try {
      const name = { teamId: person.teamId, generation: 'v2' as const, calendarId: path.split('/').at(-1)! }
      await expect(calendars.operations.sync(name)).resolves.toEqual({ changed: 0 })
    } finally {
      await calendars.close()
      tokens.clientSecret = old
    }
  })

  test('a team that may have no more calendars gets none', async () => {
    const person = await world.person()
    await setTeam(world.database, person.teamId, { calendars: 0 })
    await expectProblem(person, provider, await connect(person, provider), 'limit_reached')
  })

  test('an answer without a refresh token connects nothing', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    world[provider].server.script('token', {
      status: 200,
      body: {
        access_token: 'access.only',
        expires_in: 3599,
        token_type: 'Bearer',
        scope: answer.searchParams.get('scope') ?? undefined,
      },
    })
    await expectProblem(person, provider, await person.comeBack(answer), 'no_refresh_token')
  })

  test('a provider that fails after the code was exchanged connects nothing', async () => {
    const person = await world.person()
    world[provider].server.script('calendars', { status: 503, body: {} })
    await expectProblem(person, provider, await connect(person, provider), 'unavailable')
  })
})

describe('at zoom', () => {
  test('a user is connected, and another consent of the same user renews the connection', async () => {
    const person = await world.person()
    expect(await connect(person, 'zoom')).toEqual({ path: LIST.zoom, query: { connected: 'new' } })
    const [first] = await connectionsOf(person.teamId)
    expect(first).toMatchObject({
      name: 'Ann Host',
      type: 'user',
      user_id: 'zoom-ann',
      email: 'ann@example.com',
      client_id: world.zoomApp.clientId,
      state: 'active',
    })
    const { seals } = world.dependencies
    const place = { table: 'connections', row: first!.id }
    expect(seals.open(first!.client_secret!, { ...place, column: 'client_secret' })).toBe('')
    for (const column of ['refresh_token', 'access_token'] as const)
      secrets.add(seals.open(first![column]!, { ...place, column }))
    expect(await connect(person, 'zoom')).toEqual({ path: LIST.zoom, query: { connected: 'again' } })
    const [second, ...more] = await connectionsOf(person.teamId)
    expect(more).toEqual([])
    expect(second!.refresh_token).not.toEqual(first!.refresh_token)
    expect(await actionsOf(person.teamId)).toEqual(
      ['credential.create', 'credential.change'].map((action) => ({
        action,
        actor_kind: 'person',
        actor_id: person.personId,
      })),
    )
  })

  test('a user whose profile cannot be read is not connected', async () => {
    const person = await world.person()
    world.zoom.script('profile', { status: 403, body: { code: 1010, message: 'Not yours.' } })
    await expectProblem(person, 'zoom', await connect(person, 'zoom'), 'permission_denied')
  })
})

describe.each(PROVIDERS)('nothing is stored at %s', (provider) => {
  const scriptToken = (script: 'lose' | { status: number; body: object }) =>
    provider === 'zoom' ? world.zoom.script('exchange', script) : world[provider].server.script('token', script)

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

  test('if the answer comes too late', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    shiftMs = 10 * 60_000 + 1
    await expectProblem(person, provider, await person.comeBack(answer), 'expired')
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

  test('if the button was pressed again since', async () => {
    const person = await world.person()
    const first = await allow(person, provider)
    await person.press(provider)
    await expectProblem(person, provider, await person.comeBack(first), 'used')
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

  test('if the state is another one, or a part of it, or there are two', async () => {
    for (const alter of [
      (state: string) => [`${state.slice(0, -1)}${state.endsWith('x') ? 'y' : 'x'}`],
      (state: string) => [state.slice(1)],
      () => [],
      (state: string) => ['other', state],
    ]) {
      const person = await world.person()
      const answer = await allow(person, provider)
      const state = answer.searchParams.get('state')!
      const before = world.exchanges(provider)
      answer.searchParams.delete('state')
      for (const value of alter(state)) answer.searchParams.append('state', value)
      await expectProblem(person, provider, await person.comeBack(answer), 'used')
      expect(world.exchanges(provider)).toBe(before)
    }
  })

  test('if the answer comes at the address of another provider', async () => {
    const person = await world.person()
    const answer = await allow(person, provider)
    const other = PROVIDERS.find((one) => one !== provider)!
    answer.pathname = answer.pathname.replace(`/${provider}/`, `/${other}/`)
    await expectProblem(person, other, await person.comeBack(answer), 'expired')
  })

  test('if a code of another consent is put in: its challenge is another', async () => {
    const [person, thief] = [await world.person(), await world.person()]
    const stolen = await allow(person, provider)
    const answer = await allow(thief, provider)
    answer.searchParams.set('code', stolen.searchParams.get('code')!)
    await expectProblem(thief, provider, await thief.comeBack(answer), 'code_refused')
  })

  test('if the code is unknown, too old or missing', async () => {
    const person = await world.person()
    for (const [code, problem] of [
      ['made-up', 'code_refused'],
      [null, 'invalid'],
    ] as const) {
      const answer = await allow(person, provider)
      if (code === null) answer.searchParams.delete('code')
      else answer.searchParams.set('code', code)
      await expectProblem(person, provider, await person.comeBack(answer), problem)
    }
  })

  test.each([
    ['breaks the connection', 'lose', 'unavailable'],
    ['has an error', { status: 500, body: {} }, 'unavailable'],
    ['is too busy', { status: 429, body: { error: 'slow_down' } }, 'unavailable'],
    ['sends no tokens', { status: 200, body: { token_type: 'bearer' } }, 'invalid'],
    [
      'sends tokens that no header can hold',
      { status: 200, body: { token_type: 'bearer', access_token: 'a b\n' } },
      'invalid',
    ],
    [
      'refuses the app',
      { status: 401, body: { error: 'invalid_client', error_description: 'Unauthorized' } },
      'app_refused',
    ],
    ['refuses the address', { status: 400, body: { error: 'redirect_uri_mismatch' } }, 'app_refused'],
  ] as const)('if the provider %s', async (_what, script, problem) => {
    const person = await world.person()
    const answer = await allow(person, provider)
    scriptToken(script)
    await expectProblem(person, provider, await person.comeBack(answer), problem)
    expect(logged.join('\n')).toContain('An account was not connected')
  })

  test.each([
    ['server_error', 'unavailable'],
    ['temporarily_unavailable', 'unavailable'],
    ['unauthorized_client', 'app_refused'],
    ['invalid_scope', 'app_refused'],
  ])('if the page of consent answers %s', async (error, problem) => {
    const person = await world.person()
    const answer = await allow(person, provider, { denies: true })
    answer.searchParams.set('error', error)
    await expectProblem(person, provider, await person.comeBack(answer), problem)
  })

  test('by a viewer, a person who became one meanwhile, who signed out, or who is removed', async () => {
    const viewer = await world.person('viewer')
    expect((await viewer.begin(provider)).status).toBe(403)
    const person = await world.person()
    const first = await allow(person, provider)
    await changePerson(world.database, person.teamId, person.personId, { role: 'viewer' })
    await expectProblem(person, provider, await person.comeBack(first), 'forbidden')
    await changePerson(world.database, person.teamId, person.personId, { role: 'member' })
    const second = await allow(person, provider)
    await changePerson(world.database, person.teamId, person.personId, 'disable')
    await expectProblem(person, provider, await person.comeBack(second), 'signed_out')
    const other = await world.person()
    const third = await allow(other, provider)
    await other.send('POST', '/dashboard/api/sign-out')
    await expectProblem(other, provider, await other.comeBack(third), 'signed_out')
  })

  test('by a page of another site, or with a key', async () => {
    const person = await world.person()
    const url = `/dashboard/api/connect/${provider}`
    const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const foreign = await world.app.inject({ method: 'POST', url, headers: { cookie }, payload: {} })
    expect(foreign.statusCode).toBe(403)
    const { key } = await world.team()
    const keyed = await world.app.inject({ method: 'POST', url, headers: { 'x-service-api-key': key }, payload: {} })
    expect(keyed.statusCode).toBe(401)
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
  expect((await (await world.person()).send('GET', '/dashboard/api/me')).body.data.connects).toEqual(PROVIDERS)
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
    const script = { status: 400, body: { error: 'invalid_grant', error_description: repeated } }
    if (provider === 'zoom') world.zoom.script('exchange', script)
    else world[provider].server.script('token', script)
    seen.push(JSON.stringify(await person.comeBack(answer)))
  }
  expect(logged.join('\n')).toContain('***')
  for (const table of ['audit_log', 'sessions', 'calendars', 'connections', 'messages'] as const)
    seen.push(JSON.stringify(await world.database.selectFrom(table).selectAll().execute()))
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
  const others = (who = person) => who.send('GET', `/dashboard/api/calendars/${calendarId}/others`)
  const idsOf = async () => (await others()).body.data.map(({ id }: { id: string }) => id)
  expect(await idsOf()).toEqual([sales.id, support.id])
  await connect(person, 'google', {}, { calendar_id: calendarId, raw_calendar_id: sales.id })
  expect(await idsOf()).toEqual([support.id])
  expect((await others(await world.person('viewer', person))).status).toBe(403)
  expect((await others(await world.person())).status).toBe(404)
  world.google.server.script('calendars', { status: 503, body: {} })
  expect((await others()).status).toBe(503)
})
