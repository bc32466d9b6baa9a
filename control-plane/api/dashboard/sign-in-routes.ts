/** Signing in and out, and changes of a person's own account. */
import { z } from 'zod'
import { hashPassword, isPassword, LONGEST_PASSWORD, SHORTEST_PASSWORD } from '../../secrets/passwords.ts'
import { changePerson, findPerson, ROLES, setPassword } from '../../store/people/people.ts'
import { closeSession, openSession, type Session, useSignInLink } from '../../store/people/sessions.ts'
import { readTeam } from '../../store/teams/teams.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { setSessionCookie } from '../http/sessions.ts'
import { success } from '../v2/common.ts'
import { name } from './fields.ts'
import { oidcRoutes } from './oidc-routes.ts'
import { createSignInTries } from './sign-in-tries.ts'

export const email = z.email().max(254)
const password = z.string().min(1).max(LONGEST_PASSWORD)
const done = success(z.object({ message: z.string() }))
const meSchema = z
  .object({
    person_id: z.uuid(),
    name: z.string(),
    email: z.string().nullable(),
    role: z.enum(ROLES),
    team: z.object({ id: z.uuid(), name: z.string(), plan: z.string() }),
  })
  .meta({ id: 'Me' })

export function signInRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, settings } = dependencies
  const { whileAllowed } = createSignInTries()
  const isSecure = settings.publicUrl.startsWith('https:')

  oidcRoutes(app, dependencies, whileAllowed)

  app.post(
    '/sign-in',
    { config: { isOpen: true }, schema: { body: z.strictObject({ email, password }), response: { 200: done } } },
    async (request, reply) => {
      const { email, password } = request.body
      const personId = await whileAllowed([`address ${request.ip}`, `person ${email.toLowerCase()}`], async () => {
        const person = await findPerson(database, email)
        return (await isPassword(password, person?.password ?? null)) ? (person?.id ?? null) : null
      })
      if (personId === null) throw refusals.wrongSignIn()
      setSessionCookie(reply, await openSession(database, personId), isSecure)
      return { success: true as const, data: { message: 'Signed in' } }
    },
  )

  app.post(
    '/sign-in-link',
    {
      config: { isOpen: true },
      schema: { body: z.strictObject({ token: z.string().min(1).max(100) }), response: { 200: done } },
    },
    async (request, reply) => {
      const token = await whileAllowed([`address ${request.ip}`], () => useSignInLink(database, request.body.token))
      if (token === null) throw refusals.signInLinkUsed()
      setSessionCookie(reply, token, isSecure)
      return { success: true as const, data: { message: 'Signed in' } }
    },
  )

  app.post('/sign-out', { config: { role: 'viewer' }, schema: { response: { 200: done } } }, async (request, reply) => {
    await closeSession(database, personOf(callerOf(request).session).hash)
    setSessionCookie(reply, null, isSecure)
    return { success: true as const, data: { message: 'Signed out' } }
  })

  app.get('/me', { schema: { response: { 200: success(meSchema) } } }, async (request) => {
    const { personId, teamId, name, email, role } = personOf(callerOf(request).session)
    const team = await readTeam(database, teamId)
    const { name: teamName = '', plan = '' } = team ?? {}
    return {
      success: true as const,
      data: { person_id: personId, name, email, role, team: { id: teamId, name: teamName, plan } },
    }
  })

  app.patch(
    '/me',
    {
      config: { role: 'viewer' },
      schema: {
        body: z.strictObject({
          name: name.optional(),
          email: email.optional(),
          password: password.min(SHORTEST_PASSWORD).optional(),
        }),
        response: { 200: done },
      },
    },
    async (request) => {
      const { personId, teamId, hash, role } = personOf(callerOf(request).session)
      const { password: fresh, ...change } = request.body
      const changed = await changePerson(database, teamId, personId, {
        ...change,
        // Owners may invite every address, so theirs counts as invited.
        confirmsEmail: role === 'owner' && change.email !== undefined,
      })
      if (changed === 'email_taken') throw refusals.emailTaken()
      if (fresh !== undefined) await setPassword(database, personId, await hashPassword(fresh), hash)
      return { success: true as const, data: { message: 'Saved' } }
    },
  )
}

/** Routes of the dashboard are for people only. */
export function personOf(session: Session | null): Session {
  if (session === null) throw refusals.signInNeeded()
  return session
}
