/** Signing in and out, and changes of a person's own account. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { hashPassword, isPassword, MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '../../platform/secrets/passwords.ts'
import { changePerson, findPeople, ROLES, setPassword } from '../../store/people/people.ts'
import {
  changePersonOfSession,
  closeSession,
  peopleOfSession,
  readChoices,
  type Session,
  useSignInLink,
} from '../../store/people/sessions.ts'
import { readTeam } from '../../store/teams/teams.ts'
import { type ApiDependencies, CONSENT_PROVIDERS } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { cookieOf, setCookie, setSessionCookie, signIn } from '../http/sessions.ts'
import { done, message, succeeded, success } from '../v2/common.ts'
import { oneLine } from './fields.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { createSignInTries } from './sign-in-tries.ts'

const KNOWN_COOKIE = 'standin_known'
const KNOWN_SECONDS = 365 * 86_400
/** Not a row: the browser keeps the sealed value. */
const KNOWN_PLACE = { table: 'cookies', column: 'known_person', row: '1' }

/** Of each answer, so that its time does not reveal whether other teams have people with the address. */
const MIN_SIGN_IN_MS = 300

export const email = z.email().max(254)
const password = z.string().min(1).max(MAX_PASSWORD_LENGTH)
const tokens = z.array(z.string().min(1).max(100)).min(1).max(50).describe('Of sign-in links, which are not used up.')
const choicesSchema = z
  .object({
    choices: z
      .array(z.object({ team: z.string(), token: z.string().describe('Of a sign-in link for this team.') }))
      .describe('Empty: signed in. Else the person is signed in by the link of the team that they choose.'),
  })
  .meta({ id: 'SignInChoices' })
const meSchema = z
  .object({
    person_id: z.uuid(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(ROLES),
    is_operator: z.boolean().describe('May see figures of the whole installation.'),
    demo_link: z.string().nullable().describe('Of the built-in mock meeting; null if this installation has none.'),
    connects: z.array(z.enum(CONSENT_PROVIDERS)).describe('Providers at which the operator has an app.'),
    speech_problem: z
      .string()
      .nullable()
      .describe('Why no transcript can be made after a meeting with the speech service of the operator; null: it can.'),
    can_return: z.boolean().describe('Whether the person can sign in without a link: by a password, or the provider.'),
    team: z.object({
      ...{ id: z.uuid(), name: z.string(), plan: z.string() },
      counts_tokens: z.boolean().describe('False: its tokens are unlimited.'),
    }),
    teams: z
      .array(z.object({ person_id: z.uuid(), team: z.string() }))
      .describe('Teams of this sign-in, also the current one; empty if it proved one person only.'),
  })
  .meta({ id: 'Me' })

export function signInRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, acrossTeams, seals, settings } = dependencies
  const { whileAllowed } = createSignInTries()
  const isSecure = settings.publicUrl.startsWith('https:')

  oidcRoutes(app, dependencies, whileAllowed)

  app.post(
    '/sign-in',
    {
      config: { isOpen: true, changes: 'never' },
      schema: { body: z.strictObject({ email, password }), response: { 200: success(choicesSchema) } },
    },
    async (request, reply) => {
      const { email, password } = request.body
      const tried = whileAllowed([`address ${request.ip}`], async () => {
        const fitting = await peopleWith(email, password)
        // Other people's wrong passwords must not lock out a person at a browser that signed in before.
        if (fitting.includes(knownPerson(request) ?? '')) return fitting
        return whileAllowed([`person ${email.toLowerCase()}`], async () => (fitting.length > 0 ? fitting : null))
      })
      const [personIds] = await Promise.all([tried, sleep(MIN_SIGN_IN_MS)])
      if (personIds === null) throw refusals.wrongSignIn()
      const known = seals.seal(personIds[0]!, KNOWN_PLACE).toString('base64url')
      setCookie(reply, KNOWN_COOKIE, { value: known, maxAge: KNOWN_SECONDS, secure: isSecure })
      return succeeded({ choices: await signIn(acrossTeams, reply, personIds, isSecure) })
    },
  )

  /** Ids of the people with this address, of any team, who have this password. */
  async function peopleWith(email: string, password: string): Promise<string[]> {
    const people = (await findPeople(acrossTeams, email)).filter((person) => person.password !== null)
    if (people.length === 0) await isPassword(password, null)
    const fits = await Promise.all(people.map((person) => isPassword(password, person.password)))
    return people.filter((_, place) => fits[place]).map(({ id }) => id)
  }

  /** The person that signed in at this browser with a password; null: none. */
  function knownPerson(request: FastifyRequest): string | null {
    try {
      return seals.open(Buffer.from(cookieOf(request, KNOWN_COOKIE, isSecure) ?? '', 'base64url'), KNOWN_PLACE)
    } catch {
      return null
    }
  }

  async function provesItself(personId: string, password: string | undefined): Promise<boolean> {
    if (password === undefined) return false
    const proved = await whileAllowed([`current password ${personId}`], async () => {
      const [person] = await findPeople(database, personId)
      return (await isPassword(password, person?.password ?? null)) ? true : null
    })
    return proved === true
  }

  app.post(
    '/sign-in-link',
    {
      config: { isOpen: true, changes: 'never' },
      schema: { body: z.strictObject({ token: z.string().min(1).max(100) }), response: { 200: message } },
    },
    async (request, reply) => {
      const token = await whileAllowed([`address ${request.ip}`], () => useSignInLink(acrossTeams, request.body.token))
      if (token === null) throw refusals.signInLinkUsed()
      setSessionCookie(reply, token, isSecure)
      return done('Signed in')
    },
  )

  app.post(
    '/sign-in-choices',
    {
      config: { isOpen: true, changes: 'never' },
      schema: { body: z.strictObject({ tokens }), response: { 200: success(choicesSchema) } },
    },
    async (request) => {
      const choices = await whileAllowed([`address ${request.ip}`], async () => {
        const found = await readChoices(acrossTeams, request.body.tokens)
        return found.length > 0 ? found : null
      })
      if (choices === null) throw refusals.signInLinkUsed()
      return succeeded({ choices })
    },
  )

  app.post(
    '/sign-out',
    { config: { role: 'viewer', changes: 'never' }, schema: { response: { 200: message } } },
    async (request, reply) => {
      await closeSession(database, personOf(callerOf(request).session).hash)
      setSessionCookie(reply, null, isSecure)
      return done('Signed out')
    },
  )

  app.get('/me', { schema: { response: { 200: success(meSchema) } } }, async (request) => {
    const { hash, personId, teamId, name, email, role, isOperator } = personOf(callerOf(request).session)
    const [team, teams, [own]] = await Promise.all([
      readTeam(database, teamId),
      peopleOfSession(acrossTeams, hash),
      findPeople(database, personId),
    ])
    const { name: teamName = '', plan = '', balance = null } = team ?? {}
    return succeeded({
      ...{ person_id: personId, name, email, role, is_operator: isOperator },
      demo_link: settings.demoLink ?? null,
      connects: CONSENT_PROVIDERS.filter((provider) => dependencies.consents?.[provider] !== undefined),
      speech_problem: settings.speech?.()?.Default.withoutKey?.message ?? null,
      can_return: own?.password != null || dependencies.oidc !== undefined,
      team: { id: teamId, name: teamName, plan, counts_tokens: balance !== null },
      teams,
    })
  })

  app.post(
    '/change-team',
    {
      config: { role: 'viewer', changes: 'never' },
      schema: { body: z.strictObject({ person_id: z.uuid() }), response: { 200: message } },
    },
    async (request) => {
      const { hash } = personOf(callerOf(request).session)
      if (!(await changePersonOfSession(acrossTeams, hash, request.body.person_id))) throw refusals.unknown('team')
      return done('Changed')
    },
  )

  app.patch(
    '/me',
    {
      config: { role: 'viewer', changes: 'sometimes' },
      schema: {
        body: z.strictObject({
          name: oneLine.optional(),
          email: email.optional(),
          password: password.min(MIN_PASSWORD_LENGTH).optional(),
          current_password: password.optional(),
        }),
        response: { 200: message },
      },
    },
    async (request) => {
      const { personId, teamId, hash, role, isFresh, email: before } = personOf(callerOf(request).session)
      const { password: fresh, current_password: current, ...change } = request.body
      const changesSignIn = fresh !== undefined || (change.email !== undefined && change.email !== before)
      if (changesSignIn && !isFresh && !(await provesItself(personId, current))) throw refusals.signInAgain()
      const changed = await changePerson(database, teamId, personId, {
        ...change,
        // Owners may invite every address, so theirs counts as invited.
        confirmsEmail: role === 'owner' && change.email !== undefined,
      })
      if (changed === 'email_taken') throw refusals.emailTaken()
      if (fresh !== undefined) await setPassword(database, personId, await hashPassword(fresh), hash)
      return done('Saved')
    },
  )
}

/** Routes of the dashboard are for people only. */
export function personOf(session: Session | null): Session {
  if (session === null) throw refusals.signInNeeded()
  return session
}
