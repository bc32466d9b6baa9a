/** People of the dashboard: signing in, roles, and what a session may do. */
import { randomBytes, randomUUID, scryptSync } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { hashPassword, isPassword } from '../../../../control-plane/platform/secrets/passwords.ts'
import {
  changePerson,
  createPerson,
  firstOwner,
  type Role,
  setPassword,
} from '../../../../control-plane/store/people/people.ts'
import { createSignInLink, forgetOldSessions } from '../../../../control-plane/store/people/sessions.ts'
import { MEET, openWorld } from '../../world.ts'
import { openVisitor } from '../visitor.ts'

const world = await openWorld({ api: {} })

const browser = (app = world.app) => openVisitor(app)
const signedIn = world.person

const addressOf = (name = 'ada') => `${name}.${randomUUID()}@example.com`
const accountOf = (name?: string) => ({ email: addressOf(name), password: 'a long password' })
type Whose = Parameters<typeof world.person>[1]

/** A signed-in person who has given an account. */
async function personWith(account: object, role: Role = 'member', of?: Whose) {
  const page = await signedIn(role, of)
  expect((await page.changeMe(account)).status).toBe(200)
  return page
}

/** Stores a password at a low cost, so that many tries take no time; the cost of a password is stored with it. */
async function storeCheaply(team_id: string, { email, password }: { email: string; password: string }) {
  const salt = randomBytes(16)
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 })
  const stored = ['scrypt', 16, 8, 1, salt.toString('base64'), key.toString('base64')].join('$')
  await world.one('people', { team_id, email })
  await world.change('people', { team_id, email }, { password: stored })
}

/** Moves the times of what a person has into the past. */
const age = (table: 'sessions' | 'sign_in_links', personId: string, column: string, interval: string) =>
  sql`update ${sql.table(table)} set ${sql.ref(column)} = ${sql.ref(column)} - ${interval}::interval
    where person_id = ${personId}`.execute(world.database)

async function linkOf(role: Role = 'owner') {
  const { teamId } = await world.team()
  const personId = (await createPerson(world.database, { teamId, name: 'Ada', email: null, role }))!
  return { teamId, token: await createSignInLink(world.database, personId) }
}

/** Tries twelve wrong passwords at once. Resolves with the statuses. */
const guess = (email: string, from = browser) =>
  Promise.all(
    Array.from({ length: 12 }, async (_, count) => {
      const password = `guess ${count}`
      return (await from().signIn({ email, password })).status
    }),
  )

describe('signing in', () => {
  test('a link works once, and its cookie cannot be read by scripts', async () => {
    const { teamId, token } = await linkOf()
    const page = browser()
    // The service names the team, which uses nothing up.
    const teamOf = (tokens: string[]) => page.send('POST', '/dashboard/api/sign-in-choices', { tokens })
    expect((await teamOf(['unknown', token])).body.data.choices).toEqual([{ team: 'A team', token }])
    const { headers } = await page.enter(token)
    expect((await teamOf([token])).status).toBe(401)
    expect(String(headers['set-cookie'])).toMatch(/HttpOnly.*SameSite=Lax|SameSite=Lax.*HttpOnly/)
    expect((await page.me()).body.data).toMatchObject({ name: 'Ada', role: 'owner', team: { id: teamId } })
    const again = await browser().enter(token)
    expect(again).toMatchObject({ status: 401, body: { message: expect.stringContaining('used already') } })
  })

  test('two that use a link at once: one is signed in', async () => {
    const { token } = await linkOf('viewer')
    const answers = await Promise.all([1, 2, 3].map(() => browser().enter(token)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  test('an old link and an old session open nothing, and are forgotten', async () => {
    const page = await signedIn('owner')
    const token = await createSignInLink(world.database, page.personId)
    await age('sign_in_links', page.personId, 'expires_at', '2 days')
    expect((await browser().enter(token)).status).toBe(401)
    await age('sessions', page.personId, 'expires_at', '100 days')
    expect((await page.me()).status).toBe(401)
    await forgetOldSessions(world.database)
    expect(await world.rows('sessions', { person_id: page.personId })).toEqual([])
  })

  test('by password, which ends other sessions when it changes; a wrong one is slowed down', async () => {
    const [page, other, account] = [await signedIn('member'), browser(), accountOf()]
    await other.enter(await createSignInLink(world.database, page.personId))
    expect((await page.changeMe(account)).status).toBe(200)
    expect([(await page.me()).status, (await other.me()).status]).toEqual([200, 401])
    await storeCheaply(page.teamId, account)
    expect((await browser().signIn({ ...account, email: account.email.toUpperCase() })).status).toBe(200)
    const guesser = browser()
    expect(new Set(await guess(account.email, () => guesser))).toEqual(new Set([401, 429]))
  })

  test('wrong passwords of others do not lock a person out at a browser that signed in before', async () => {
    const [account, other] = [accountOf(), accountOf('bo')]
    const page = await personWith(account, 'owner')
    await storeCheaply(page.teamId, account)
    const known = browser()
    expect((await known.signIn(account)).status).toBe(200)
    await known.ask('POST', '/sign-out')
    const guesser = browser()
    await guess(account.email, () => guesser)
    expect([(await browser().signIn(account)).status, (await known.signIn(account)).status]).toEqual([429, 200])

    // The mark is that of one person.
    await personWith(other, 'owner', page)
    await storeCheaply(page.teamId, other)
    await guess(other.email)
    expect((await known.signIn(other)).status).toBe(429)
  })

  test('an older session changes address and password with the current password only', async () => {
    const { email, password: old } = accountOf()
    const page = await personWith({ email, password: old }, 'owner')
    await age('sessions', page.personId, 'created_at', '16 minutes')
    const taken = { email: 'thief@example.com', password: 'of the thief' }
    for (const body of [taken, { email: taken.email }, { password: taken.password, current_password: 'wrong' }])
      expect(await page.changeMe(body)).toMatchObject({
        ...{ status: 403, body: { message: expect.stringContaining('current password') } },
      })
    expect((await page.changeMe({ name: 'Ada Lovelace', email })).status).toBe(200)
    expect((await page.changeMe({ password: 'a new password', current_password: old })).status).toBe(200)
    const signIn = async (password: string) => (await browser().signIn({ email, password })).status
    expect([await signIn(old), await signIn('a new password')]).toEqual([401, 200])
  })

  test('a new password ends open sign-in links', async () => {
    const page = await signedIn('member')
    const token = await createSignInLink(world.database, page.personId)
    expect((await page.changeMe({ password: 'a long password' })).status).toBe(200)
    expect((await browser().enter(token)).status).toBe(401)
  })

  test('a session ends after 90 days, however often it is used', async () => {
    const page = await signedIn('member')
    await age('sessions', page.personId, 'created_at', '89 days')
    await age('sessions', page.personId, 'seen_at', '2 hours')
    expect((await page.me()).status).toBe(200)
    const { expires_at } = await world.one('sessions', { person_id: page.personId })
    expect((expires_at.getTime() - Date.now()) / 3_600_000).toBeCloseTo(24, 0)
  })

  test('over https a neighbouring host cannot set the cookie', async () => {
    const secure = await openWorld({ api: { settings: { publicUrl: 'https://bots.example.com' } } })
    const { teamId } = await secure.team()
    const person = { teamId, name: 'Ada', email: null, role: 'owner' as const }
    const personId = (await createPerson(secure.database, person))!
    const page = browser(secure.app)
    const token = await createSignInLink(secure.database, personId)
    const { headers } = await page.enter(token)
    expect(String(headers['set-cookie'])).toMatch(/^__Host-standin_session=[\w-]{43};(?=.*Secure)(?=.*Path=\/)/)
    expect((await page.me()).status).toBe(200)
    const planted = { cookie: page.cookie().replace('__Host-', '') }
    expect((await browser(secure.app).ask('GET', '/me', undefined, planted)).status).toBe(401)
  })

  test.each(['\u0000', 'A\nB', 'A\u202eB', '   '])('the name %j is refused', async (name) => {
    const page = await signedIn('owner')
    expect((await page.changeMe({ name })).status).toBe(400)
    expect((await page.ask('POST', '/people', { name, email: addressOf(), role: 'viewer' })).status).toBe(400)
  })

  test('an unknown person gets the same answer as a wrong password', async () => {
    for (const email of ['nobody@example.com', 'also.nobody@example.com'])
      expect((await browser().signIn({ email, password: 'x' })).outcome).toBe('401 FST_ERR_WRONG_SIGN_IN')
    expect(await isPassword('x', null)).toBe(false)
    expect(await isPassword('Å', await hashPassword('Å'))).toBe(true)
  })

  test('the first owner of an installation is made once', async () => {
    const [one, two] = await Promise.all([firstOwner(world.database), firstOwner(world.database)])
    expect(one).not.toBeNull()
    expect(two).toBe(one)
  })
})

describe('a session', () => {
  const bot = { bot_name: 'Notes', meeting_url: MEET }

  test('may call the public API, for its own team only', async () => {
    const page = await signedIn('member')
    const sent = await page.send('POST', '/v2/bots', bot)
    expect(sent.status).toBe(201)
    expect((await page.send('GET', `/v2/bots/${sent.body.data.bot_id}`)).status).toBe(200)
    const foreign = await world.bot(await world.team())
    expect((await page.send('GET', `/v2/bots/${foreign}`)).status).toBe(404)
    expect((await page.send('GET', '/bots/bots_with_metadata')).status).toBe(401)
  })

  test('without the header of the dashboard it changes nothing: another site cannot act for a person', async () => {
    const page = await signedIn('owner')
    for (const [path, body, header] of [
      ['/v2/bots', bot, 'elsewhere'],
      ['/dashboard/api/keys', { name: 'x' }, ''],
    ] as const)
      expect((await page.send('POST', path, body, { 'x-requested-by': header })).status).toBe(403)
  })

  test.each([
    ['viewer', { read: 200, send: 403, keys: 403, invite: 403, system: 403 }],
    ['member', { read: 200, send: 201, keys: 403, invite: 403, system: 403 }],
    ['owner', { read: 200, send: 201, keys: 200, invite: 201, system: 403 }],
  ] as const)('a viewer reads, a member works with bots, an owner manages: %s', async (role, expected) => {
    // The first team is that of the operator.
    const page = await signedIn(role, await world.team())
    const person = { name: 'Bo', email: addressOf(), role: 'viewer' }
    const answers = {
      read: await page.send('GET', '/v2/bots'),
      send: await page.send('POST', '/v2/bots', bot),
      keys: await page.ask('GET', '/keys'),
      invite: await page.ask('POST', '/people', person),
      system: await page.ask('GET', '/system'),
    }
    expect(Object.fromEntries(Object.entries(answers).map(([name, { status }]) => [name, status]))).toEqual(expected)
  })

  test('a key of the API opens no part of the dashboard', async () => {
    const { get } = await world.team()
    for (const path of ['me', 'keys', 'people', 'feed', 'usage', 'ledger', 'system', 'endpoints', 'deliveries'])
      expect((await get(`/dashboard/api/${path}`)).status, path).toBe(401)
  })

  test('ends when it is signed out, and when its person is removed', async () => {
    const owner = await signedIn('owner')
    const member = await signedIn('member', owner)
    const cookie = member.cookie
    expect((await member.ask('POST', '/sign-out')).status).toBe(200)
    expect((await browser().ask('GET', '/me', undefined, { cookie })).status).toBe(401)
    const other = await signedIn('member', owner)
    expect((await owner.ask('DELETE', `/people/${other.personId}`)).status).toBe(200)
    expect((await other.me()).status).toBe(401)
  })
})

describe('an invitation', () => {
  type Owner = Awaited<ReturnType<typeof signedIn>>
  const tokenIn = ({ body }: { body: { data: { sign_in_link: string } } }) => body.data.sign_in_link.split('#')[1]!
  async function invitedBy(owner: Owner) {
    const made = await owner.ask('POST', '/people', { name: 'Bo', email: addressOf(), role: 'viewer' })
    const personId: string = made.body.data.person_id
    return { personId, path: `/people/${personId}`, token: tokenIn(made) }
  }
  const enter = async (token: string) => (await browser().enter(token)).status
  const listed = async (owner: Owner, personId: string) =>
    (await owner.ask('GET', '/people')).body.data.find(({ person_id }: { person_id: string }) => person_id === personId)

  test('works for 7 days, once; a sign-in link for 15 minutes', async () => {
    const owner = await signedIn('owner')
    const [one, late] = [await invitedBy(owner), await invitedBy(owner)]
    const until = new Date((await listed(owner, one.personId)).invitation_expires_at).getTime() - Date.now()
    expect(until / 86_400_000).toBeCloseTo(7, 1)
    expect(await listed(owner, one.personId)).toMatchObject({ has_entered: false })
    await age('sign_in_links', one.personId, 'expires_at', '6.9 days')
    await age('sign_in_links', late.personId, 'expires_at', '7.1 days')
    expect(await enter(late.token)).toBe(401)
    expect(await listed(owner, late.personId)).toMatchObject({ invitation_expires_at: null, has_entered: false })
    expect([await enter(one.token), await enter(one.token)]).toEqual([200, 401])
    expect(await listed(owner, one.personId)).toMatchObject({ invitation_expires_at: null, has_entered: true })
    const link = tokenIn(await owner.ask('POST', `${one.path}/link`))
    await age('sign_in_links', one.personId, 'expires_at', '16 minutes')
    expect(await enter(link)).toBe(401)
  })

  test('can be made again, which withdraws the earlier one, and be withdrawn; another team cannot', async () => {
    const [owner, stranger, member] = [await signedIn('owner'), await signedIn('owner'), await signedIn('member')]
    const { path, token } = await invitedBy(owner)
    const invitation = `${path}/invitation`
    for (const method of ['POST', 'DELETE'] as const) {
      expect((await stranger.ask(method, invitation)).status).toBe(404)
      expect((await member.ask(method, invitation)).status).toBe(403)
    }
    const again = tokenIn(await owner.ask('POST', invitation))
    expect(await enter(token)).toBe(401)
    expect((await owner.ask('DELETE', invitation)).status).toBe(200)
    expect(await enter(again)).toBe(401)
    expect((await owner.ask('DELETE', invitation)).status).toBe(404)
  })

  test('ends if the person is removed, signs in by another link, or has a password', async () => {
    const owner = await signedIn('owner')
    const [removed, entered, withPassword] = [await invitedBy(owner), await invitedBy(owner), await invitedBy(owner)]
    expect((await owner.ask('DELETE', removed.path)).status).toBe(200)
    expect(await enter(tokenIn(await owner.ask('POST', `${entered.path}/link`)))).toBe(200)
    await setPassword(world.database, withPassword.personId, await hashPassword('a long password'), null)
    for (const { token } of [removed, entered, withPassword]) expect(await enter(token)).toBe(401)
  })

  test('signs in the person who was invited; in a team an e-mail address belongs to one', async () => {
    const [owner, page, email] = [await signedIn('owner'), browser(), addressOf()]
    const invite = (address: string) => owner.ask('POST', '/people', { name: 'Bo', email: address, role: 'viewer' })
    const invited = await invite(email)
    expect([invited.status, (await page.enter(tokenIn(invited))).status]).toEqual([201, 200])
    expect((await page.me()).body.data).toMatchObject({ name: 'Bo', role: 'viewer', email })
    expect((await invite(email.toUpperCase())).status).toBe(409)
  })
})

describe('people of a team', () => {
  test('a team can have the address of another team: no answer reveals it, and no password of it works here', async () => {
    const [one, two] = [await world.team(), await world.team()]
    const [ada, eve] = [await signedIn('owner', one), await signedIn('owner', two)]
    const email = `boss.${randomUUID()}@example.com`
    const unknown = `nobody.${randomUUID()}@example.com`
    expect((await ada.changeMe({ email, password: 'of the boss' })).status).toBe(200)
    const invite = (address: string) => eve.ask('POST', '/people', { name: 'Boss', email: address, role: 'member' })
    const [taken, free] = [await invite(email), await invite(unknown)]
    const shape = ({ status, body }: typeof taken) => ({ status, fields: Object.keys(body.data) })
    expect(shape(taken)).toEqual(shape(free))
    const other = { email: email.toUpperCase() }
    expect((await eve.changeMe(other)).status).toBe(409)
    expect((await eve.ask('PATCH', `/people/${taken.body.data.person_id}`, other)).status).toBe(200)

    // The owner of the second team signs in as the person that they made, and sets a password.
    const planted = browser()
    const [, token] = taken.body.data.sign_in_link.split('#')
    await planted.enter(token)
    expect((await planted.changeMe({ password: 'of the thief' })).status).toBe(200)
    const teamOf = async (password: string) => {
      const page = browser()
      const signedInWith = await page.signIn({ email, password })
      if (signedInWith.status !== 200) return signedInWith.status
      expect(signedInWith.body.data.choices).toEqual([])
      return (await page.me()).body.data.team.id
    }
    expect(await teamOf('of the boss')).toBe(one.teamId)
    expect(await teamOf('of the thief')).toBe(two.teamId)
    expect(await teamOf('of nobody')).toBe(401)
  })

  test('a person with one password in several teams chooses a team, by a link that works once', async () => {
    const teams = [await world.team(), await world.team()]
    const account = { email: `ada.${randomUUID()}@example.com`, password: 'a long password' }
    for (const { teamId } of teams)
      expect((await (await signedIn('member', { teamId })).changeMe(account)).status).toBe(200)
    const page = browser()
    const { choices } = (await page.signIn(account)).body.data
    expect(choices.map(({ team }: { team: string }) => team)).toEqual(['A team', 'A team'])
    expect((await page.me()).status).toBe(401)
    for (const [place, { token }] of choices.entries()) {
      expect((await page.enter(token)).status).toBe(200)
      expect((await page.me()).body.data.team.id).toBe(teams[place]!.teamId)
    }
    expect((await page.enter(choices[0].token)).status).toBe(401)
  })

  test('a person changes between the teams that the sign-in proved, and to no other', async () => {
    const [one, two, foreign] = [await world.team(), await world.team(), await world.team()]
    const account = { email: `ada.${randomUUID()}@example.com`, password: 'a long password' }
    const people = [await signedIn('member', one), await signedIn('viewer', two)]
    for (const person of people) await person.changeMe(account)
    // Another team has the address too, without its password.
    const other = await signedIn('owner', foreign)
    await other.changeMe({ email: account.email })
    const enter = async (place: number) => {
      const page = browser()
      const { choices } = (await page.signIn(account)).body.data
      await page.enter(choices[place].token)
      const me = async () => (await page.me()).body.data
      const change = async ({ personId: person_id }: { personId: string }) =>
        (await page.ask('POST', '/change-team', { person_id })).status
      return { ...page, me, change }
    }
    const page = await enter(0)
    expect((await page.me()).teams.map((team: { person_id: string }) => team.person_id)).toEqual(
      people.map(({ personId }) => personId),
    )
    expect(await page.change(people[1]!)).toBe(200)
    expect(await page.me()).toMatchObject({ team: { id: two.teamId }, role: 'viewer' })
    expect((await page.ask('POST', '/keys', { name: 'x' })).status).toBe(403)
    expect(await page.change(other)).toBe(404)
    expect(await page.change(people[0]!)).toBe(200)
    expect(await page.me()).toMatchObject({ team: { id: one.teamId } })
    // A session of one person changes to none, although the address is the same.
    expect((await other.me()).body.data.teams).toEqual([])
    expect((await other.ask('POST', '/change-team', { person_id: people[0]!.personId })).status).toBe(404)
    // A new password in one team ends the way from the other.
    const second = await enter(1)
    await page.changeMe({ password: 'another long password' })
    expect(await second.change(people[0]!)).toBe(404)
    expect(await page.change(people[1]!)).toBe(200)
    await setPassword(world.database, people[0]!.personId, await hashPassword(account.password), null)
    const third = await enter(0)
    await changePerson(world.database, two.teamId, people[1]!.personId, 'disable')
    expect(await third.change(people[1]!)).toBe(404)
  })

  test('a sign-in takes as long for an address of no team as for one of several', async () => {
    const account = { email: `ada.${randomUUID()}@example.com`, password: 'a long password' }
    for (const { teamId } of [await world.team(), await world.team()])
      await (await signedIn('member', { teamId })).changeMe(account)
    for (const body of [account, { ...account, password: 'wrong' }, { ...account, email: 'nobody@example.com' }]) {
      const began = performance.now()
      await browser().signIn(body)
      expect(performance.now() - began).toBeGreaterThan(290)
    }
  })

  test('wrong passwords for an address lock no person out who is known at the browser, nor let its holder guess', async () => {
    const [one, two] = [await world.team(), await world.team()]
    const email = `boss.${randomUUID()}@example.com`
    for (const [{ teamId }, password] of [
      [one, 'of the boss'],
      [two, 'of the thief'],
    ] as const) {
      await (await signedIn('member', { teamId })).changeMe({ email, password })
      await storeCheaply(teamId, { email, password })
    }
    // The browser of the thief is known for the person of the second team, and guesses the password of the first.
    const thief = browser()
    expect((await thief.signIn({ email, password: 'of the thief' })).status).toBe(200)
    await guess(email)
    expect((await thief.signIn({ email, password: 'of the boss' })).status).toBe(429)
    expect((await thief.signIn({ email, password: 'of the thief' })).status).toBe(200)
  })

  test('a team keeps an owner, and people of other teams do not exist', async () => {
    const owner = await signedIn('owner')
    const path = `/dashboard/api/people/${owner.personId}`
    expect((await owner.send('DELETE', path)).status).toBe(409)
    expect((await owner.send('PATCH', path, { role: 'viewer' })).status).toBe(409)
    const stranger = await signedIn('owner')
    for (const [method, address, body] of [
      ['DELETE', path],
      ['PATCH', path, { role: 'viewer' }],
      ['POST', `${path}/link`],
    ] as const)
      expect((await stranger.send(method, address, body)).status).toBe(404)
    expect((await stranger.ask('GET', '/people')).body.data).toHaveLength(1)
  })
})
