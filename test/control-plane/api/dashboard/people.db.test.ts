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

/** Stores a password at a low cost, so that many tries take no time; the cost of a password is stored with it. */
async function storeCheaply(teamId: string, { email, password }: { email: string; password: string }) {
  const salt = randomBytes(16)
  const key = scryptSync(password, salt, 32, { N: 16, r: 8, p: 1 })
  const stored = ['scrypt', 16, 8, 1, salt.toString('base64'), key.toString('base64')].join('$')
  const of = world.database.updateTable('people').where('team_id', '=', teamId).where('email', '=', email)
  expect((await of.set({ password: stored }).executeTakeFirst()).numUpdatedRows).toBe(1n)
}

/** Tries twelve wrong passwords at once. Resolves with the statuses. */
const guess = (email: string, from = browser) =>
  Promise.all(
    Array.from({ length: 12 }, async (_, count) => {
      const password = `guess ${count}`
      return (await from().send('POST', '/dashboard/api/sign-in', { email, password })).status
    }),
  )

describe('signing in', () => {
  test('a link works once, and its cookie cannot be read by scripts', async () => {
    const { teamId } = await world.team()
    const personId = (await createPerson(world.database, { teamId, name: 'Ada', email: null, role: 'owner' }))!
    const token = await createSignInLink(world.database, personId)
    const page = browser()
    // The service names the team, which uses nothing up.
    const teamOf = (tokens: string[]) => page.send('POST', '/dashboard/api/sign-in-choices', { tokens })
    expect((await teamOf(['unknown', token])).body.data.choices).toEqual([{ team: 'A team', token }])
    const { headers } = await page.send('POST', '/dashboard/api/sign-in-link', { token })
    expect((await teamOf([token])).status).toBe(401)
    expect(String(headers['set-cookie'])).toMatch(/HttpOnly/)
    expect(String(headers['set-cookie'])).toMatch(/SameSite=Lax/)
    expect((await page.send('GET', '/dashboard/api/me')).body.data).toMatchObject({
      name: 'Ada',
      role: 'owner',
      team: { id: teamId },
    })
    expect(await browser().send('POST', '/dashboard/api/sign-in-link', { token })).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining('used already') },
    })
  })

  test('two that use a link at once: one is signed in', async () => {
    const { teamId } = await world.team()
    const personId = (await createPerson(world.database, { teamId, name: 'Ada', email: null, role: 'viewer' }))!
    const token = await createSignInLink(world.database, personId)
    const answers = await Promise.all(
      [1, 2, 3].map(() => browser().send('POST', '/dashboard/api/sign-in-link', { token })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401])
  })

  test('an old link and an old session open nothing, and are forgotten', async () => {
    const page = await signedIn('owner')
    const token = await createSignInLink(world.database, page.personId)
    await sql`update sign_in_links set expires_at = now() - interval '2 days' where person_id = ${page.personId}`.execute(
      world.database,
    )
    expect((await browser().send('POST', '/dashboard/api/sign-in-link', { token })).status).toBe(401)
    await sql`update sessions set expires_at = now() - interval '1 second' where person_id = ${page.personId}`.execute(
      world.database,
    )
    expect((await page.send('GET', '/dashboard/api/me')).status).toBe(401)
    await forgetOldSessions(world.database)
    const left = await world.database
      .selectFrom('sessions')
      .select('hash')
      .where('person_id', '=', page.personId)
      .execute()
    expect(left).toEqual([])
  })

  test('by password, which ends other sessions when it changes; a wrong one is slowed down', async () => {
    const page = await signedIn('member')
    const other = browser()
    await other.send('POST', '/dashboard/api/sign-in-link', {
      token: await createSignInLink(world.database, page.personId),
    })
    const email = `ada.${randomUUID()}@example.com`
    expect((await page.send('PATCH', '/dashboard/api/me', { email, password: 'a long password' })).status).toBe(200)
    expect((await page.send('GET', '/dashboard/api/me')).status).toBe(200)
    expect((await other.send('GET', '/dashboard/api/me')).status).toBe(401)
    await storeCheaply(page.teamId, { email, password: 'a long password' })
    const fresh = browser()
    expect(
      (await fresh.send('POST', '/dashboard/api/sign-in', { email: email.toUpperCase(), password: 'a long password' }))
        .status,
    ).toBe(200)
    const guesser = browser()
    expect(new Set(await guess(email, () => guesser))).toEqual(new Set([401, 429]))
  })

  test('wrong passwords of others do not lock a person out at a browser that signed in before', async () => {
    const page = await signedIn('owner')
    const account = { email: `ada.${randomUUID()}@example.com`, password: 'a long password' }
    expect((await page.send('PATCH', '/dashboard/api/me', account)).status).toBe(200)
    await storeCheaply(page.teamId, account)
    const known = browser()
    expect((await known.send('POST', '/dashboard/api/sign-in', account)).status).toBe(200)
    await known.send('POST', '/dashboard/api/sign-out')
    const guesser = browser()
    await guess(account.email, () => guesser)
    expect((await browser().send('POST', '/dashboard/api/sign-in', account)).status).toBe(429)
    expect((await known.send('POST', '/dashboard/api/sign-in', account)).status).toBe(200)

    // The mark is that of one person.
    const other = { email: `bo.${randomUUID()}@example.com`, password: 'a long password' }
    await (await signedIn('owner', page)).send('PATCH', '/dashboard/api/me', other)
    await storeCheaply(page.teamId, other)
    await guess(other.email)
    expect((await known.send('POST', '/dashboard/api/sign-in', other)).status).toBe(429)
  })

  test('an older session changes address and password with the current password only', async () => {
    const page = await signedIn('owner')
    const change = (body: object) => page.send('PATCH', '/dashboard/api/me', body)
    const email = `ada.${randomUUID()}@example.com`
    const old = 'a long password'
    expect((await change({ email, password: old })).status).toBe(200)
    await sql`update sessions set created_at = now() - interval '16 minutes'
      where person_id = ${page.personId}`.execute(world.database)
    const taken = { email: 'thief@example.com', password: 'of the thief' }
    for (const body of [taken, { email: taken.email }, { password: taken.password, current_password: 'wrong' }])
      expect(await change(body)).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('current password') },
      })
    expect((await change({ name: 'Ada Lovelace', email })).status).toBe(200)
    expect((await change({ password: 'a new password', current_password: old })).status).toBe(200)
    const signIn = (password: string) => browser().send('POST', '/dashboard/api/sign-in', { email, password })
    expect([(await signIn(old)).status, (await signIn('a new password')).status]).toEqual([401, 200])
  })

  test('a new password ends open sign-in links', async () => {
    const page = await signedIn('member')
    const token = await createSignInLink(world.database, page.personId)
    expect((await page.send('PATCH', '/dashboard/api/me', { password: 'a long password' })).status).toBe(200)
    expect((await browser().send('POST', '/dashboard/api/sign-in-link', { token })).status).toBe(401)
  })

  test('a session ends after 90 days, however often it is used', async () => {
    const page = await signedIn('member')
    await sql`update sessions set created_at = now() - interval '89 days', seen_at = now() - interval '2 hours'
      where person_id = ${page.personId}`.execute(world.database)
    expect((await page.send('GET', '/dashboard/api/me')).status).toBe(200)
    const { rows } = await sql<{ hours: number }>`select extract(epoch from expires_at - now())::float8 / 3600 as hours
      from sessions where person_id = ${page.personId}`.execute(world.database)
    expect(rows[0]!.hours).toBeGreaterThan(23)
    expect(rows[0]!.hours).toBeLessThan(25)
  })

  test('over https a neighbouring host cannot set the cookie', async () => {
    const secure = await openWorld({ api: { settings: { publicUrl: 'https://bots.example.com' } } })
    const { teamId } = await secure.team()
    const person = { teamId, name: 'Ada', email: null, role: 'owner' as const }
    const personId = (await createPerson(secure.database, person))!
    const page = browser(secure.app)
    const token = await createSignInLink(secure.database, personId)
    const { headers } = await page.send('POST', '/dashboard/api/sign-in-link', { token })
    expect(String(headers['set-cookie'])).toMatch(/^__Host-standin_session=[\w-]{43};(?=.*Secure)(?=.*Path=\/)/)
    expect((await page.send('GET', '/dashboard/api/me')).status).toBe(200)
    const planted = { cookie: page.cookie().replace('__Host-', '') }
    expect((await browser(secure.app).send('GET', '/dashboard/api/me', undefined, planted)).status).toBe(401)
  })

  test.each(['\u0000', 'A\nB', 'A\u202eB', '   '])('the name %j is refused', async (name) => {
    const page = await signedIn('owner')
    expect((await page.send('PATCH', '/dashboard/api/me', { name })).status).toBe(400)
    const invited = { name, email: `${randomUUID()}@example.com`, role: 'viewer' }
    expect((await page.send('POST', '/dashboard/api/people', invited)).status).toBe(400)
  })

  test('an unknown person gets the same answer as a wrong password', async () => {
    const answers = await Promise.all(
      ['nobody@example.com', 'also.nobody@example.com'].map((email) =>
        browser().send('POST', '/dashboard/api/sign-in', { email, password: 'x' }),
      ),
    )
    for (const { status, body } of answers)
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'FST_ERR_WRONG_SIGN_IN' })
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
  test('may call the public API, for its own team only', async () => {
    const mine = await world.team()
    const theirs = await world.team()
    const page = await signedIn('member', mine)
    const sent = await page.send('POST', '/v2/bots', { bot_name: 'Notes', meeting_url: MEET })
    expect(sent.status).toBe(201)
    expect((await page.send('GET', `/v2/bots/${sent.body.data.bot_id}`)).status).toBe(200)
    const foreign = await world.bot(theirs)
    expect((await page.send('GET', `/v2/bots/${foreign}`)).status).toBe(404)
    expect((await page.send('GET', `/bots/bots_with_metadata`)).status).toBe(401)
  })

  test('without the header of the dashboard it changes nothing: another site cannot act for a person', async () => {
    const page = await signedIn('owner')
    const refused = await page.send(
      'POST',
      '/v2/bots',
      { bot_name: 'Notes', meeting_url: MEET },
      { 'x-requested-by': 'elsewhere' },
    )
    expect(refused.status).toBe(403)
    expect((await page.send('POST', '/dashboard/api/keys', { name: 'x' }, { 'x-requested-by': '' })).status).toBe(403)
  })

  test('a viewer reads, a member works with bots, an owner manages', async () => {
    const { teamId } = await world.team()
    const tries = async (role: Role) => {
      const page = await signedIn(role, { teamId })
      return {
        read: (await page.send('GET', '/v2/bots')).status,
        send: (await page.send('POST', '/v2/bots', { bot_name: 'Notes', meeting_url: MEET })).status,
        keys: (await page.send('GET', '/dashboard/api/keys')).status,
        invite: (
          await page.send('POST', '/dashboard/api/people', {
            name: 'Bo',
            email: `${randomUUID()}@example.com`,
            role: 'viewer',
          })
        ).status,
        system: (await page.send('GET', '/dashboard/api/system')).status,
      }
    }
    expect(await tries('viewer')).toEqual({ read: 200, send: 403, keys: 403, invite: 403, system: 403 })
    expect(await tries('member')).toEqual({ read: 200, send: 201, keys: 403, invite: 403, system: 403 })
    expect(await tries('owner')).toEqual({ read: 200, send: 201, keys: 200, invite: 201, system: 403 })
  })

  test('a key of the API opens no part of the dashboard', async () => {
    const { key } = await world.team()
    for (const path of ['me', 'keys', 'people', 'feed', 'usage', 'ledger', 'system', 'endpoints', 'deliveries']) {
      const { statusCode } = await world.app.inject({
        url: `/dashboard/api/${path}`,
        headers: { 'x-service-api-key': key },
      })
      expect(`${path} ${statusCode}`).toBe(`${path} 401`)
    }
  })

  test('ends when it is signed out, and when its person is removed', async () => {
    const owner = await signedIn('owner')
    const member = await signedIn('member', owner)
    const cookie = member.cookie
    expect((await member.send('POST', '/dashboard/api/sign-out')).status).toBe(200)
    expect((await browser().send('GET', '/dashboard/api/me', undefined, { cookie })).status).toBe(401)
    const other = await signedIn('member', owner)
    expect((await owner.send('DELETE', `/dashboard/api/people/${other.personId}`)).status).toBe(200)
    expect((await other.send('GET', '/dashboard/api/me')).status).toBe(401)
  })
})

describe('an invitation', () => {
  async function invitedBy(owner: Awaited<ReturnType<typeof signedIn>>) {
    const email = `${randomUUID()}@example.com`
    const { body } = await owner.send('POST', '/dashboard/api/people', { name: 'Bo', email, role: 'viewer' })
    const { person_id: personId, sign_in_link: link } = body.data
    return { personId, path: `/dashboard/api/people/${personId}`, token: link.split('#')[1] as string }
  }
  const enter = async (token: string) => (await browser().send('POST', '/dashboard/api/sign-in-link', { token })).status
  const age = (personId: string, days: number) =>
    sql`update sign_in_links set expires_at = expires_at - ${days} * interval '1 day' where person_id = ${personId}`.execute(
      world.database,
    )
  const listed = async (owner: Awaited<ReturnType<typeof signedIn>>, personId: string) =>
    (await owner.send('GET', '/dashboard/api/people')).body.data.find(
      ({ person_id }: { person_id: string }) => person_id === personId,
    )

  test('works for 7 days, once; a sign-in link for 15 minutes', async () => {
    const owner = await signedIn('owner')
    const [one, late] = [await invitedBy(owner), await invitedBy(owner)]
    const until = new Date((await listed(owner, one.personId)).invitation_expires_at).getTime() - Date.now()
    expect(until / 86_400_000).toBeCloseTo(7, 1)
    expect(await listed(owner, one.personId)).toMatchObject({ has_entered: false })
    await age(one.personId, 6.9)
    await age(late.personId, 7.1)
    expect(await enter(late.token)).toBe(401)
    expect(await listed(owner, late.personId)).toMatchObject({ invitation_expires_at: null, has_entered: false })
    expect(await enter(one.token)).toBe(200)
    expect(await enter(one.token)).toBe(401)
    expect(await listed(owner, one.personId)).toMatchObject({ invitation_expires_at: null, has_entered: true })
    const { body } = await owner.send('POST', `${one.path}/link`)
    await sql`update sign_in_links set expires_at = expires_at - interval '16 minutes'
      where person_id = ${one.personId}`.execute(world.database)
    expect(await enter(body.data.sign_in_link.split('#')[1])).toBe(401)
  })

  test('can be made again, which withdraws the earlier one, and be withdrawn; another team cannot', async () => {
    const owner = await signedIn('owner')
    const stranger = await signedIn('owner')
    const member = await signedIn('member')
    const { path, token } = await invitedBy(owner)
    for (const other of [stranger, member])
      for (const method of ['POST', 'DELETE'] as const)
        expect((await other.send(method, `${path}/invitation`)).status).toBe(other === member ? 403 : 404)
    const again = (await owner.send('POST', `${path}/invitation`)).body.data.sign_in_link.split('#')[1]
    expect(await enter(token)).toBe(401)
    expect((await owner.send('DELETE', `${path}/invitation`)).status).toBe(200)
    expect(await enter(again)).toBe(401)
    expect((await owner.send('DELETE', `${path}/invitation`)).status).toBe(404)
  })

  test('ends if the person is removed, signs in by another link, or has a password', async () => {
    const owner = await signedIn('owner')
    const [removed, entered, withPassword] = [await invitedBy(owner), await invitedBy(owner), await invitedBy(owner)]
    expect((await owner.send('DELETE', removed.path)).status).toBe(200)
    const { body } = await owner.send('POST', `${entered.path}/link`)
    expect(await enter(body.data.sign_in_link.split('#')[1])).toBe(200)
    await setPassword(world.database, withPassword.personId, await hashPassword('a long password'), null)
    for (const { token } of [removed, entered, withPassword]) expect(await enter(token)).toBe(401)
  })
})

describe('people of a team', () => {
  test('an invited person signs in with the link; in a team an e-mail address belongs to one', async () => {
    const owner = await signedIn('owner')
    const email = `${randomUUID()}@example.com`
    const invited = await owner.send('POST', '/dashboard/api/people', { name: 'Bo', email, role: 'viewer' })
    expect(invited.status).toBe(201)
    const [, token] = invited.body.data.sign_in_link.split('#')
    const page = browser()
    expect((await page.send('POST', '/dashboard/api/sign-in-link', { token })).status).toBe(200)
    expect((await page.send('GET', '/dashboard/api/me')).body.data).toMatchObject({ name: 'Bo', role: 'viewer', email })
    expect(
      (await owner.send('POST', '/dashboard/api/people', { name: 'Bo', email: email.toUpperCase(), role: 'viewer' }))
        .status,
    ).toBe(409)
  })

  test('a team can have the address of another team: no answer reveals it, and no password of it works here', async () => {
    const [one, two] = [await world.team(), await world.team()]
    const [ada, eve] = [await signedIn('owner', one), await signedIn('owner', two)]
    const email = `boss.${randomUUID()}@example.com`
    const unknown = `nobody.${randomUUID()}@example.com`
    expect((await ada.send('PATCH', '/dashboard/api/me', { email, password: 'of the boss' })).status).toBe(200)
    const invite = (address: string) =>
      eve.send('POST', '/dashboard/api/people', { name: 'Boss', email: address, role: 'member' })
    const [taken, free] = [await invite(email), await invite(unknown)]
    const shape = ({ status, body }: typeof taken) => ({ status, fields: Object.keys(body.data) })
    expect(shape(taken)).toEqual(shape(free))
    const other = { email: email.toUpperCase() }
    expect((await eve.send('PATCH', '/dashboard/api/me', other)).status).toBe(409)
    expect((await eve.send('PATCH', `/dashboard/api/people/${taken.body.data.person_id}`, other)).status).toBe(200)

    // The owner of the second team signs in as the person that they made, and sets a password.
    const planted = browser()
    const [, token] = taken.body.data.sign_in_link.split('#')
    await planted.send('POST', '/dashboard/api/sign-in-link', { token })
    expect((await planted.send('PATCH', '/dashboard/api/me', { password: 'of the thief' })).status).toBe(200)
    const teamOf = async (password: string) => {
      const page = browser()
      const signedInWith = await page.send('POST', '/dashboard/api/sign-in', { email, password })
      if (signedInWith.status !== 200) return signedInWith.status
      expect(signedInWith.body.data.choices).toEqual([])
      return (await page.send('GET', '/dashboard/api/me')).body.data.team.id
    }
    expect(await teamOf('of the boss')).toBe(one.teamId)
    expect(await teamOf('of the thief')).toBe(two.teamId)
    expect(await teamOf('of nobody')).toBe(401)
  })

  test('a person with one password in several teams chooses a team, by a link that works once', async () => {
    const teams = [await world.team(), await world.team()]
    const account = { email: `ada.${randomUUID()}@example.com`, password: 'a long password' }
    for (const { teamId } of teams)
      expect((await (await signedIn('member', { teamId })).send('PATCH', '/dashboard/api/me', account)).status).toBe(
        200,
      )
    const page = browser()
    const { choices } = (await page.send('POST', '/dashboard/api/sign-in', account)).body.data
    expect(choices.map(({ team }: { team: string }) => team)).toEqual(['A team', 'A team'])
    expect((await page.send('GET', '/dashboard/api/me')).status).toBe(401)
    for (const [place, { token }] of choices.entries()) {
      expect((await page.send('POST', '/dashboard/api/sign-in-link', { token })).status).toBe(200)
      expect((await page.send('GET', '/dashboard/api/me')).body.data.team.id).toBe(teams[place]!.teamId)
    }
    expect((await page.send('POST', '/dashboard/api/sign-in-link', { token: choices[0].token })).status).toBe(401)
  })

  test('a person changes between the teams that the sign-in proved, and to no other', async () => {
    const [one, two, foreign] = [await world.team(), await world.team(), await world.team()]
    const account = { email: `ada.${randomUUID()}@example.com`, password: 'a long password' }
    const people = [await signedIn('member', one), await signedIn('viewer', two)]
    for (const person of people) await person.send('PATCH', '/dashboard/api/me', account)
    // Another team has the address too, without its password.
    const other = await signedIn('owner', foreign)
    await other.send('PATCH', '/dashboard/api/me', { email: account.email })
    const enter = async (place: number) => {
      const page = browser()
      const { choices } = (await page.send('POST', '/dashboard/api/sign-in', account)).body.data
      await page.send('POST', '/dashboard/api/sign-in-link', { token: choices[place].token })
      const me = async () => (await page.send('GET', '/dashboard/api/me')).body.data
      const change = async ({ personId: person_id }: { personId: string }) =>
        (await page.send('POST', '/dashboard/api/change-team', { person_id })).status
      return { ...page, me, change }
    }
    const page = await enter(0)
    expect((await page.me()).teams.map((team: { person_id: string }) => team.person_id)).toEqual(
      people.map(({ personId }) => personId),
    )
    expect(await page.change(people[1]!)).toBe(200)
    expect(await page.me()).toMatchObject({ team: { id: two.teamId }, role: 'viewer' })
    expect((await page.send('POST', '/dashboard/api/keys', { name: 'x' })).status).toBe(403)
    expect(await page.change(other)).toBe(404)
    expect(await page.change(people[0]!)).toBe(200)
    expect(await page.me()).toMatchObject({ team: { id: one.teamId } })
    // A session of one person changes to none, although the address is the same.
    expect((await other.send('GET', '/dashboard/api/me')).body.data.teams).toEqual([])
    expect((await other.send('POST', '/dashboard/api/change-team', { person_id: people[0]!.personId })).status).toBe(
      404,
    )
    // A new password in one team ends the way from the other.
    const second = await enter(1)
    await page.send('PATCH', '/dashboard/api/me', { password: 'another long password' })
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
      await (await signedIn('member', { teamId })).send('PATCH', '/dashboard/api/me', account)
    for (const body of [account, { ...account, password: 'wrong' }, { ...account, email: 'nobody@example.com' }]) {
      const began = performance.now()
      await browser().send('POST', '/dashboard/api/sign-in', body)
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
      await (await signedIn('member', { teamId })).send('PATCH', '/dashboard/api/me', { email, password })
      await storeCheaply(teamId, { email, password })
    }
    // The browser of the thief is known for the person of the second team, and guesses the password of the first.
    const thief = browser()
    expect((await thief.send('POST', '/dashboard/api/sign-in', { email, password: 'of the thief' })).status).toBe(200)
    await guess(email)
    expect((await thief.send('POST', '/dashboard/api/sign-in', { email, password: 'of the boss' })).status).toBe(429)
    expect((await thief.send('POST', '/dashboard/api/sign-in', { email, password: 'of the thief' })).status).toBe(200)
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
    expect((await stranger.send('GET', '/dashboard/api/people')).body.data).toHaveLength(1)
  })
})
