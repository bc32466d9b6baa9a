/** Apps of Zoom, users who authorized them, and bots that are registered at Microsoft Teams: `/v2/conf-credentials`. */
import { z } from 'zod'
import {
  changeConnection,
  createConnection,
  deleteConnection,
  listConnections,
  readConnection,
  type ShownConnection,
} from '../../../store/connections/connections.ts'
import { authorizedUser, checkTeamsApp } from '../../authorizing.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { at, documented, done, message, succeeded, success } from '../common.ts'
import {
  changeCredentialBody,
  createCredentialBody,
  credentialParams,
  credentialQuery,
  credentialSchema,
} from './schema.ts'

export function confCredentialRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Conferencing credentials')
  const { database, seals } = dependencies

  route.post('/conf-credentials', {
    config: { isIdempotent: true },
    summary: 'Store an app of Zoom, a user who authorized it, or a bot registered at Microsoft Teams',
    description:
      'Without `authorization_code` only the keys of the app are stored (type `app`). With it the code is exchanged for tokens and the profile of the user is read (type `user`); bots that name the credential get a fresh token at their start. With `platform: teams` and `tenant_id` it is the registration of a bot at Microsoft Teams, which is checked at once; every bot of Teams identifies itself by it.',
    body: createCredentialBody,
    example: () => ({ name: 'Our Zoom app', client_id: 'id-of-your-app', client_secret: 'secret-of-your-app' }),
    status: 201,
    answer: success(credentialSchema),
    handle: async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { body } = request
        const keys = { clientId: body.client_id, clientSecret: body.client_secret, tenantId: body.tenant_id }
        const user = await userOf(keys, body)
        const { teamId } = callerOf(request)
        const made = await createConnection(database, seals, {
          teamId,
          name: body.name,
          app: keys,
          user,
          extra: body.extra,
        })
        return { status: 201, body: succeeded(credential(made)) }
      }),
  })

  route.get('/conf-credentials', {
    summary: 'List stored credentials, oldest first',
    description: 'All of them at once. Names, e-mail addresses and display names match in part, in any case.',
    querystring: credentialQuery,
    answer: success(z.array(credentialSchema)),
    async handle(request) {
      const { query } = request
      const rows = await listConnections(database, callerOf(request).teamId, {
        name: query.name,
        email: query.conf_email,
        displayName: query.conf_display_name,
        platforms: query.platform,
        userId: query.conf_user_id,
        types: query.credential_type,
        states: query.state,
        extra: query.extra,
      })
      return succeeded(rows.map(credential))
    },
  })

  route.get('/conf-credentials/:credential_id', {
    summary: 'A stored credential',
    params: credentialParams,
    answer: success(credentialSchema),
    refusals: [404],
    async handle(request) {
      const { credential_id: id } = request.params
      const row = await readConnection(database, callerOf(request).teamId, id)
      if (row === undefined) throw refusals.credentialNotFound(id)
      return succeeded(credential(row))
    },
  })

  route.patch('/conf-credentials/:credential_id', {
    summary: 'Rename a credential, change its keys, or authorize it again',
    description:
      '`client_id` and `client_secret` change together. With `authorization_code`, `redirect_uri` and both keys the user authorizes the app again: the state is active and the profile is read again.',
    params: credentialParams,
    body: changeCredentialBody,
    example: () => ({ name: 'Our Zoom app' }),
    answer: success(credentialSchema),
    refusals: [404],
    async handle(request) {
      const { body } = request
      const { credential_id: id } = request.params
      const { teamId } = callerOf(request)
      // Before the code is spent.
      const before = await readConnection(database, teamId, id)
      if (before === undefined) throw refusals.credentialNotFound(id)
      const isTeams = before.platform === 'teams'
      if (isTeams ? body.authorization_code : body.tenant_id)
        throw refusals.validation(`body/${isTeams ? 'authorization_code' : 'tenant_id'} belongs to another platform`)
      const tenantId = body.tenant_id ?? before.tenant_id ?? undefined
      const keys =
        body.client_id === undefined
          ? undefined
          : { clientId: body.client_id, clientSecret: body.client_secret!, tenantId }
      const user = (keys && (await userOf(keys, body))) ?? undefined
      const change = { name: body.name, extra: body.extra, app: keys, user }
      const row = await changeConnection(database, seals, { teamId, id }, change)
      if (row === undefined) throw refusals.credentialNotFound(id)
      return succeeded(credential(row))
    },
  })

  route.delete('/conf-credentials/:credential_id', {
    summary: 'Delete a credential with its secrets and tokens',
    description:
      'Bots that name it fail with CONF_OBF_TOKEN_ERROR at their start; bots of Microsoft Teams join as guests then.',
    params: credentialParams,
    answer: message,
    refusals: [404],
    async handle(request) {
      const { credential_id: id } = request.params
      if (!(await deleteConnection(database, callerOf(request).teamId, id))) throw refusals.credentialNotFound(id)
      return done('Conf credential deleted successfully')
    },
  })

  /** Null if the body has no code. */
  async function userOf(
    { tenantId, ...keys }: { clientId: string; clientSecret: string; tenantId: string | undefined },
    body: { authorization_code?: string | null | undefined; redirect_uri?: string | null | undefined },
  ) {
    if (tenantId !== undefined) await checkTeamsApp(dependencies, { ...keys, tenantId })
    if (!body.authorization_code) return null
    return authorizedUser(dependencies, keys, { code: body.authorization_code, redirectUri: body.redirect_uri! })
  }
}

/** A credential as it is answered: without secrets and tokens. */
function credential(row: ShownConnection): z.output<typeof credentialSchema> {
  const scopes = row.scopes as string[]
  return {
    credential_id: row.id,
    name: row.name,
    platform: row.platform as 'zoom' | 'teams',
    tenant_id: row.tenant_id,
    credential_type: row.type as 'app' | 'user',
    conf_user_id: row.user_id,
    conf_account_id: row.account_id,
    conf_email: row.email,
    conf_display_name: row.display_name,
    scopes: scopes.length === 0 ? null : scopes.join(','),
    state: row.state as 'active' | 'invalid',
    last_error_message: row.last_error_message,
    last_error_at: at(row.last_error_at),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    extra: row.extra as Record<string, unknown> | null,
  }
}
