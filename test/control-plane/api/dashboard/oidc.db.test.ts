/** Signing in through an OpenID provider: a real one, and every fault of it or of an attacker in between. */
import { randomUUID } from 'node:crypto'
import { decodeJwt, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { createOidcProvider } from '../../../../control-plane/connections/sign-in/oidc.ts'
import { createGuardedClient } from '../../../../control-plane/platform/outgoing/guarded-client.ts'
import type { GuardedClient } from '../../../../control-plane/platform/ports.ts'
import { changePerson, createPerson, findPeople } from '../../../../control-plane/store/people/people.ts'
import {
  type Account,
  CLIENT_ID,
  CLIENT_SECRET,
  signInAtProvider,
  startProvider,
} from '../../connections/sign-in/provider.ts'
import { openWorld } from '../../world.ts'
import { openVisitor } from '../visitor.ts'

const PUBLIC_URL = 'http://127.0.0.1'
const CALLBACK = `${PUBLIC_URL}/dashboard/api/oidc/callback`
const COOKIE_PLACE = { table: 'cookies', column: 'oidc_attempt', row: '1' }

type Key = Parameters<SignJWT['sign']>[0]
/** Changes of the ID token between the provider and the service. */
type Tampering = (claims: JWTPayload) => { claims: JWTPayload; key?: Key; isUnsigned?: boolean }

let tamper: Tampering | null
const logged: string[] = []

const settings = () => ({ issuer: provider.issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET })

const provider = await startProvider(CALLBACK)
const client = createGuardedClient({ allowPrivate: true })
const between: Pick<GuardedClient, 'request'> = {
  async request(request) {
    const answer = await client.request(request)
    if (tamper === null || !request.url.endsWith('/token') || answer.status !== 200) return answer
    const tokens = JSON.parse(Buffer.from(answer.body).toString()) as { id_token: string }
    const { claims, key = provider.privateKey, isUnsigned = false } = tamper(decodeJwt(tokens.id_token))
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    tokens.id_token = isUnsigned
      ? `${part({ alg: 'none' })}.${part(claims)}.`
      : await new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' }).sign(key)
    return { ...answer, body: new TextEncoder().encode(JSON.stringify(tokens)) }
  },
}
const stranger = await generateKeyPair('RS256')
const log = (fields: object, message: string) => void logged.push(`${message} ${JSON.stringify(fields)}`)
const world = await openWorld({
  api: {
    log: { info: log, warn: log, error: log },
    oidc: { ...createOidcProvider({ ...settings(), client: between }), name: 'Acme', domains: ['open.example'] },
    settings: { publicUrl: PUBLIC_URL },
  },
})
const firstTeam = (await world.team()).teamId
afterAll(async () => {
  await client.close()
  await provider.close()
})
beforeEach(() => {
  tamper = null
  logged.length = 0
})

const browser = (app = world.app) => {
  const visitor = openVisitor(app)
  return { ...visitor, get: (url: string) => visitor.send('GET', url) }
}

const local = ({ pathname, search }: URL) => `${pathname}${search}`

/** As far as the address at which the provider sends the browser back. */
async function signInWith(account: Account | null, page = browser()) {
  provider.use(account)
  const { headers } = await page.get('/dashboard/api/oidc/begin')
  return { page, answer: await signInAtProvider(String(headers.location), CALLBACK) }
}

/** Teams of the choices that the page gets; empty if the person is signed in, or refused. */
async function choicesOf(page: ReturnType<typeof browser>, answer: URL): Promise<{ team: string; token: string }[]> {
  const { headers } = await page.get(local(answer))
  const { hash } = new URL(String(headers.location))
  if (hash === '') return []
  const tokens = hash.slice(1).split('&')
  return (await page.send('POST', '/dashboard/api/sign-in-choices', { tokens })).body.data.choices
}

/** The team that the link of a choice signs in. */
async function choose(page: ReturnType<typeof browser>, token: string): Promise<string> {
  expect((await page.enter(token)).status).toBe(200)
  return (await page.me()).body.data.team.id
}

/** `ok` where the person is signed in afterwards, else the word of the problem. */
async function outcomeOf(page: ReturnType<typeof browser>, answer: URL): Promise<string> {
  const { headers, status } = await page.get(local(answer))
  expect(status).toBe(303)
  const to = new URL(String(headers.location))
  const isSignedIn = (await page.me()).status === 200
  expect(isSignedIn).toBe(to.pathname === '/dashboard/')
  return isSignedIn ? 'ok' : String(to.searchParams.get('problem'))
}

async function signIn(account: Account | null): Promise<string> {
  const { page, answer } = await signInWith(account)
  return outcomeOf(page, answer)
}

/** What is known of an account at another provider, which puts claims into the ID token. */
async function identityOf(account: Account) {
  const other = await startProvider(CALLBACK, { claimsInIdToken: true })
  onTestFinished(() => other.close())
  other.use(account)
  const oidc = createOidcProvider({ ...settings(), issuer: other.issuer, client })
  const { address, attempt } = await oidc.begin(CALLBACK)
  return { issuer: other.issuer, identity: await oidc.finish(await signInAtProvider(address, CALLBACK), attempt) }
}

const accountOf = (email: string, more: Partial<Account> = {}): Account => ({
  id: randomUUID(),
  email,
  email_verified: true,
  name: 'Ada',
  ...more,
})

async function invited(email = `${randomUUID()}@example.com`, given?: string) {
  const teamId = given ?? (await world.team()).teamId
  const personId = (await createPerson(world.database, { teamId, name: 'Ada', email, role: 'member' }))!
  return { teamId, personId, email }
}

describe('a person who was invited', () => {
  test('signs in with a verified address, and keeps it when the address changes at the provider', async () => {
    const { personId, email } = await invited()
    const account = accountOf(email.toUpperCase())
    const { page, answer } = await signInWith(account)
    expect(await outcomeOf(page, answer)).toBe('ok')
    expect((await page.me()).body.data).toMatchObject({ person_id: personId, role: 'member' })
    expect(await signIn({ ...account, email: 'elsewhere@example.com', email_verified: false })).toBe('ok')
  })

  test('sees the way on the page, and the session cookie is that of every sign-in', async () => {
    expect((await browser().get('/dashboard/api/sign-in-ways')).body.data).toEqual({ oidc: { name: 'Acme' } })
    const { email } = await invited()
    const { page, answer } = await signInWith(accountOf(email))
    const { headers } = await page.get(local(answer))
    const cookie = [headers['set-cookie']].flat().find((set) => String(set).startsWith('standin_session='))
    for (const attribute of ['HttpOnly', 'SameSite=Lax']) expect(cookie).toContain(attribute)
  })

  test('whose provider has claims in the ID token alone is known too', async () => {
    const account = accountOf('somebody@example.com')
    const { issuer, identity } = await identityOf(account)
    const known = { subject: account.id, verifiedEmail: 'somebody@example.com', name: 'Ada' }
    expect(identity).toEqual({ issuer, ...known })
  })

  test.each([
    ['the same address', { email: 'ANN@example.com', email_verified: undefined }, 'ann@example.com'],
    ['another address', { email: 'eve@example.com', email_verified: undefined }, null],
    ['the same address, not verified', { email: 'ann@example.com', email_verified: false }, null],
  ])('whose ID token has %s, and whose user information has a verified one', async (_, inIdToken, verifiedEmail) => {
    const { identity } = await identityOf(accountOf('ann@example.com', { inIdToken }))
    expect(identity.verifiedEmail).toBe(verifiedEmail)
  })

  test('is not entered by another account with the same address', async () => {
    const { email } = await invited()
    expect(await signIn(accountOf(email))).toBe('ok')
    expect(await signIn(accountOf(email))).toBe('other_account')
  })

  test('stays out after an owner removed them, and comes back with a new invitation', async () => {
    const { teamId, personId, email } = await invited(`${randomUUID()}@open.example`, firstTeam)
    const account = accountOf(email)
    expect(await signIn(account)).toBe('ok')
    await changePerson(world.database, teamId, personId, 'disable')
    expect(await signIn(account)).toBe('removed')
    expect(await signIn(accountOf(email))).toBe('removed')
    await createPerson(world.database, { teamId, name: 'Ada', email, role: 'viewer' })
    expect(await signIn(account)).toBe('ok')
  })
})

describe('an address that several teams invited', () => {
  test('signs in to the one that its holder chooses, each time', async () => {
    const [one, email] = [await invited(), `${randomUUID()}@example.com`]
    const [two, three] = [await invited(email), await invited(email)]
    const account = accountOf(email)
    for (const wanted of [three, two, three]) {
      const { page, answer } = await signInWith(account)
      const choices = await choicesOf(page, answer)
      expect(choices).toHaveLength(2)
      expect((await page.me()).status).toBe(401)
      const place = [two, three].indexOf(wanted)
      expect(await choose(page, choices[place]!.token)).toBe(wanted.teamId)
    }
    expect(await signIn(accountOf(one.email))).toBe('ok')
  })

  test('is kept from no other team: neither by an invitation, nor by a removal, nor by another account', async () => {
    const email = `${randomUUID()}@open.example`
    const own = await invited(email, firstTeam)
    const account = accountOf(email)
    expect(await signIn(account)).toBe('ok')
    const hostile = await invited(email)
    const { page, answer } = await signInWith(account)
    expect(await choicesOf(page, answer)).toHaveLength(2)
    await changePerson(world.database, hostile.teamId, hostile.personId, 'disable')
    expect(await signIn(account)).toBe('ok')
    // Who is removed from the first team stays out of it, and of no other.
    await changePerson(world.database, own.teamId, own.personId, 'disable')
    expect(await signIn(account)).toBe('removed')
    await invited(email)
    expect(await signIn(account)).toBe('ok')
  })

  test('of an open domain can enter the first team also if another team invited or removed it', async () => {
    const email = `${randomUUID()}@open.example`
    const hostile = await invited(email)
    const { page, answer } = await signInWith(accountOf(email))
    const choices = await choicesOf(page, answer)
    expect(choices).toHaveLength(2)
    expect(await choose(page, choices[0]!.token)).toBe(firstTeam)
    const removed = await invited(`${randomUUID()}@open.example`)
    await changePerson(world.database, removed.teamId, removed.personId, 'disable')
    const next = await signInWith(accountOf(removed.email))
    expect(await outcomeOf(next.page, next.answer)).toBe('ok')
    expect((await next.page.me()).body.data.team.id).toBe(firstTeam)
    expect(hostile.teamId).not.toBe(firstTeam)
  })
})

describe('a person without an invitation', () => {
  test('is not let in: without an invitation, without a verified address, after a refusal', async () => {
    const { email } = await invited()
    expect(await signIn(accountOf('stranger@example.com'))).toBe('not_invited')
    expect(await signIn(accountOf(email, { email_verified: false }))).toBe('not_verified')
    const { email_verified: _, ...silent } = accountOf(email)
    expect(await signIn(silent)).toBe('not_verified')
    expect(await signIn(null)).toBe('refused')
    expect(await signIn(accountOf(email))).toBe('ok')
  })

  test('becomes a viewer of the first team where the domain is open, also when many come at once', async () => {
    const account = accountOf(`${randomUUID()}@open.example`, { name: `Eve\u202E\n${'x'.repeat(500)}` })
    const answers = await Promise.all([1, 2, 3].map(() => signInWith(account)))
    expect(await Promise.all(answers.map(({ page, answer }) => outcomeOf(page, answer)))).toEqual(['ok', 'ok', 'ok'])
    const first = await world.database.selectFrom('teams').select('id').orderBy('number').executeTakeFirstOrThrow()
    const [person] = await findPeople(world.database, account.email!)
    expect(person).toMatchObject({ teamId: first.id, role: 'viewer', name: expect.stringMatching(/^Eve x{90,96}$/) })
    expect(await signIn(accountOf('eve@sub.open.example'))).toBe('not_invited')
    expect(await signIn(accountOf('eve@open.example.evil.example'))).toBe('not_invited')
    expect(await signIn(accountOf(`${randomUUID()}@open.example`, { email_verified: false }))).toBe('not_verified')
  })

  test('does not fall into the account of a person who entered the address themselves', async () => {
    const { teamId, personId } = await invited()
    const email = `boss.${randomUUID()}@example.com`
    await changePerson(world.database, teamId, personId, { email })
    expect(await signIn(accountOf(email))).toBe('not_confirmed')
    // The form of the account sends the address with every change.
    await changePerson(world.database, teamId, personId, { email, confirmsEmail: true })
    await changePerson(world.database, teamId, personId, { email: email.toUpperCase(), name: 'Bo' })
    expect(await signIn(accountOf(email))).toBe('ok')
  })
})

describe('an answer that proves nothing', () => {
  test('another state, another browser, no answer at all', async () => {
    const { email } = await invited()
    const { page, answer } = await signInWith(accountOf(email))
    expect(await outcomeOf(browser(), answer)).toBe('expired')
    const other = new URL(answer)
    other.searchParams.set('state', 'x'.repeat(43))
    expect(await outcomeOf(page, other)).toBe('invalid')
    // A try is over with its first answer.
    expect(await outcomeOf(page, answer)).toBe('expired')
    const again = await signInWith(accountOf(email))
    expect(await outcomeOf(again.page, new URL(CALLBACK))).toBe('invalid')
  })

  test('a code that was used', async () => {
    const { email } = await invited()
    const { page, answer } = await signInWith(accountOf(email))
    const attempt = new Map(page.cookies)
    expect(await outcomeOf(page, answer)).toBe('ok')
    const thief = browser()
    for (const [name, value] of attempt) thief.cookies.set(name, value)
    expect(await outcomeOf(thief, answer)).toBe('refused')
  })

  test('an attempt that is too old, altered, or has another verifier or nonce', async () => {
    const { email } = await invited()
    const change = async (alter: (attempt: Record<string, unknown>) => object) => {
      const { page, answer } = await signInWith(accountOf(email))
      const sealed = Buffer.from(page.cookies.get('standin_oidc')!, 'base64url')
      const attempt = JSON.parse(world.dependencies.seals.open(sealed, COOKIE_PLACE))
      const altered = world.dependencies.seals.seal(JSON.stringify(alter(attempt)), COOKIE_PLACE)
      page.cookies.set('standin_oidc', altered.toString('base64url'))
      return outcomeOf(page, answer)
    }
    expect(await change((attempt) => attempt)).toBe('ok')
    expect(await change((attempt) => ({ ...attempt, until: Date.now() - 1 }))).toBe('expired')
    expect(await change((attempt) => ({ ...attempt, verifier: 'v'.repeat(43) }))).toBe('refused')
    expect(await change((attempt) => ({ ...attempt, nonce: 'n'.repeat(43) }))).toBe('invalid')
    const { page, answer } = await signInWith(accountOf(email))
    page.cookies.set('standin_oidc', `${page.cookies.get('standin_oidc')!.slice(0, -4)}AAAA`)
    expect(await outcomeOf(page, answer)).toBe('expired')
  })

  test.each<[string, Tampering]>([
    ['for another service', (claims) => ({ claims: { ...claims, aud: 'another' } })],
    ['of another issuer', (claims) => ({ claims: { ...claims, iss: 'https://evil.example' } })],
    ['with another nonce', (claims) => ({ claims: { ...claims, nonce: 'another' } })],
    ['without a nonce', ({ nonce: _, ...claims }) => ({ claims })],
    ['that has expired', (claims) => ({ claims: { ...claims, iat: 1, exp: Math.floor(Date.now() / 1000) - 120 } })],
    ['without a signature', (claims) => ({ claims, isUnsigned: true })],
    ['that is signed with another key', (claims) => ({ claims, key: stranger.privateKey })],
  ])('an ID token %s', async (_name, tampering) => {
    const { email } = await invited()
    tamper = tampering
    expect(await signIn(accountOf(email))).toBe('invalid')
    tamper = (claims) => ({ claims })
    expect(await signIn(accountOf(email))).toBe('ok')
  })

  test('again and again is slowed down, and nothing secret is logged', async () => {
    const { email } = await invited()
    const page = browser()
    const outcomes: string[] = []
    const seen: string[] = []
    for (let count = 0; count < 12; count++) {
      const { answer } = await signInWith(accountOf(email), page)
      seen.push(answer.searchParams.get('code')!)
      answer.searchParams.set('code', 'wrong')
      outcomes.push(await outcomeOf(page, answer))
    }
    expect(new Set(outcomes)).toEqual(new Set(['refused', 'too_many']))
    expect(logged.join('\n')).toContain('invalid_grant')
    for (const secret of [CLIENT_SECRET, email, ...seen]) expect(logged.join('\n')).not.toContain(secret)
  })
})

test('where no provider is configured there is no such way', async () => {
  const plain = await openWorld({ api: {} })
  expect((await browser(plain.app).get('/dashboard/api/sign-in-ways')).body.data).toEqual({ oidc: null })
  expect((await browser(plain.app).get('/dashboard/api/oidc/begin')).status).toBe(404)
})
