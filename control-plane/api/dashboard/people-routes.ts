/** People of the team, for its owners. */
import { z } from 'zod'
import { changePerson, createPerson, findPeople, listPeople, ROLES } from '../../store/people/people.ts'
import { createInvitation, createSignInLink, withdrawInvitation } from '../../store/people/sessions.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { at, done, message, succeeded, success, time, uuid } from '../v2/common.ts'
import { signInAddress } from './addresses.ts'
import { oneLine } from './fields.ts'
import { email } from './sign-in-routes.ts'

const personSchema = z
  .object({
    person_id: z.uuid(),
    name: z.string(),
    email: z.string().nullable(),
    is_email_confirmed: z.boolean().describe('It recognizes the person who signs in through the OpenID provider.'),
    role: z.enum(ROLES),
    created_at: time,
    invitation_expires_at: time.nullable().describe('Of the open invitation.'),
    has_entered: z.boolean().describe('Has a session, a password or an account of the OpenID provider.'),
  })
  .meta({ id: 'Person' })
const params = z.strictObject({ person_id: uuid })
const linkSchema = (lifetime: string) =>
  success(z.object({ person_id: z.uuid(), sign_in_link: z.string().describe(`Works once, for ${lifetime}.`) }))
const link = linkSchema('15 minutes')
const invitation = linkSchema('7 days')

export function peopleRoutes(app: App, { database, settings }: ApiDependencies): void {
  const owner = { role: 'owner' } as const
  const linkFor = async (personId: string, create = createSignInLink) =>
    succeeded({
      person_id: personId,
      sign_in_link: signInAddress(settings.publicUrl, await create(database, personId)),
    })
  const personOf = async (teamId: string, id: string) => {
    const [person] = await findPeople(database, id)
    if (person === undefined || person.teamId !== teamId) throw refusals.unknown('person')
    return person
  }

  app.get('/people', { schema: { response: { 200: success(z.array(personSchema)) } } }, async (request) => {
    const people = await listPeople(database, callerOf(request).teamId)
    return succeeded(
      people.map(({ id, name, email, isEmailConfirmed, role, createdAt, invitedUntil, hasEntered }) => ({
        person_id: id,
        name,
        email,
        is_email_confirmed: isEmailConfirmed,
        role,
        created_at: createdAt.toISOString(),
        invitation_expires_at: at(invitedUntil),
        has_entered: hasEntered,
      })),
    )
  })

  app.post(
    '/people',
    {
      config: owner,
      schema: {
        body: z.strictObject({ name: oneLine, email, role: z.enum(ROLES) }),
        response: { 201: invitation },
      },
    },
    async (request, reply) => {
      const id = await createPerson(database, { teamId: callerOf(request).teamId, ...request.body })
      if (id === null) throw refusals.emailTaken()
      reply.code(201)
      return linkFor(id, createInvitation)
    },
  )

  app.post('/people/:person_id/link', { config: owner, schema: { params, response: { 200: link } } }, async (request) =>
    linkFor((await personOf(callerOf(request).teamId, request.params.person_id)).id),
  )

  app.post(
    '/people/:person_id/invitation',
    { config: owner, schema: { params, response: { 200: invitation } } },
    async (request) =>
      linkFor((await personOf(callerOf(request).teamId, request.params.person_id)).id, createInvitation),
  )

  app.delete(
    '/people/:person_id/invitation',
    { config: owner, schema: { params, response: { 200: message } } },
    async (request) => {
      if (!(await withdrawInvitation(database, callerOf(request).teamId, request.params.person_id)))
        throw refusals.unknown('invitation')
      return done('The invitation is withdrawn')
    },
  )

  app.patch(
    '/people/:person_id',
    {
      config: { ...owner, changes: 'sometimes' },
      schema: {
        params,
        body: z.strictObject({ role: z.enum(ROLES).optional(), email: email.optional() }),
        response: { 200: message },
      },
    },
    (request) => {
      const wanted = { ...request.body, confirmsEmail: request.body.email !== undefined }
      return change(callerOf(request).teamId, request.params.person_id, wanted)
    },
  )

  app.delete('/people/:person_id', { config: owner, schema: { params, response: { 200: message } } }, (request) =>
    change(callerOf(request).teamId, request.params.person_id, 'disable'),
  )

  async function change(teamId: string, personId: string, wanted: Parameters<typeof changePerson>[3]) {
    const changed = await changePerson(database, teamId, personId, wanted)
    if (changed === 'not_found') throw refusals.unknown('person')
    if (changed === 'last_owner') throw refusals.lastOwner()
    if (changed === 'email_taken') throw refusals.emailTaken()
    return done('Saved')
  }
}
