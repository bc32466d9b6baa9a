/** Apps of the conferencing platform, and users who authorized them: `/v2/conf-credentials`. */
import { z } from 'zod'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
} from '../../../store/connections/connections.ts'
import { authorizedUser } from '../../authorizing.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { errors, message, success } from '../common.ts'
import { credential } from './presenter.ts'
import {
  changeCredentialBody,
  createCredentialBody,
  credentialParams,
  credentialQuery,
  credentialSchema,
} from './schema.ts'

export function confCredentialRoutes(app: App, dependencies: ApiDependencies): void {
  const { database, seals } = dependencies
  const tags = ['Conferencing credentials']

  app.post(
    '/conf-credentials',
    {
      config: { isIdempotent: true },
      schema: {
        summary: 'Store an app of the conferencing platform, or a user who authorized it',
        description:
          'Without `authorization_code` only the keys of the app are stored (type `app`). With it the code is exchanged for tokens and the profile of the user is read (type `user`); bots that name the credential get a fresh token at their start.',
        tags,
        body: createCredentialBody,
        response: { 201: success(credentialSchema), ...errors() },
      },
    },
    async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { body } = request
        const keys = { clientId: body.client_id, clientSecret: body.client_secret }
        const user = await userOf(keys, body)
        const { teamId } = callerOf(request)
        const made = await createConnection(database, seals, {
          teamId,
          name: body.name,
          app: keys,
          user,
          extra: body.extra,
        })
        return { status: 201, body: { success: true as const, data: credential(made) } }
      }),
  )

  app.get(
    '/conf-credentials',
    {
      schema: {
        summary: 'List stored credentials, oldest first',
        description: 'All of them at once. Names, e-mail addresses and display names match in part, in any case.',
        tags,
        querystring: credentialQuery,
        response: { 200: success(z.array(credentialSchema)), ...errors() },
      },
    },
    async (request) => {
      const { query } = request
      const rows = await listConnections(database, callerOf(request).teamId, {
        name: query.name,
        email: query.conf_email,
        displayName: query.conf_display_name,
        userId: query.conf_user_id,
        types: query.credential_type,
        states: query.state,
        extra: query.extra,
      })
      return { success: true as const, data: rows.map(credential) }
    },
  )

  app.get(
    '/conf-credentials/:credential_id',
    {
      schema: {
        summary: 'A stored credential',
        tags,
        params: credentialParams,
        response: { 200: success(credentialSchema), ...errors(404) },
      },
    },
    async (request) => {
      const { credential_id: id } = request.params
      const row = await readConnection(database, callerOf(request).teamId, id)
      if (row === undefined) throw refusals.credentialNotFound(id)
      return { success: true as const, data: credential(row) }
    },
  )

  app.patch(
    '/conf-credentials/:credential_id',
    {
      schema: {
        summary: 'Rename a credential, change its keys, or authorize it again',
        description:
          '`client_id` and `client_secret` change together. With `authorization_code`, `redirect_uri` and both keys the user authorizes the app again: the state is active and the profile is read again.',
        tags,
        params: credentialParams,
        body: changeCredentialBody,
        response: { 200: success(credentialSchema), ...errors(404) },
      },
    },
    async (request) => {
      const { body } = request
      const { credential_id: id } = request.params
      const { teamId } = callerOf(request)
      // Before the code is spent.
      if ((await readConnection(database, teamId, id)) === undefined) throw refusals.credentialNotFound(id)
      const keys =
        body.client_id === undefined ? undefined : { clientId: body.client_id, clientSecret: body.client_secret! }
      const user = (keys && (await userOf(keys, body))) ?? undefined
      const change = { name: body.name, extra: body.extra, app: keys, user }
      const row = await changeConnection(database, seals, { teamId, id }, change)
      if (row === undefined) throw refusals.credentialNotFound(id)
      return { success: true as const, data: credential(row) }
    },
  )

  app.delete(
    '/conf-credentials/:credential_id',
    {
      schema: {
        summary: 'Delete a credential with its secrets and tokens',
        description: 'Bots that name it fail with CONF_OBF_TOKEN_ERROR at their start.',
        tags,
        params: credentialParams,
        response: { 200: message, ...errors(404) },
      },
    },
    async (request) => {
      const { credential_id: id } = request.params
      if (!(await deleteConnection(database, callerOf(request).teamId, id))) throw refusals.credentialNotFound(id)
      return { success: true as const, data: { message: 'Conf credential deleted successfully' } }
    },
  )

  /** Null if the body has no code. */
  async function userOf(
    keys: { clientId: string; clientSecret: string },
    body: { authorization_code?: string | null | undefined; redirect_uri?: string | null | undefined },
  ) {
    if (!body.authorization_code) return null
    return authorizedUser(dependencies, keys, { code: body.authorization_code, redirectUri: body.redirect_uri! })
  }
}
