/** Conferencing users of the older generation: `/conf_oauth_connections`. They are the newer one's credentials of type `user`. */
import { z } from 'zod'
import {
  connectUser,
  deleteConnection,
  listConnections,
  readConnection,
  type ShownConnection,
} from '../../../store/connections/connections.ts'
import { authorizedUser } from '../../authorizing.ts'
import type { ApiDependencies } from '../../dependencies.ts'
import { refusals } from '../../http/errors.ts'
import { type App, callerOf } from '../../http/generation.ts'
import { onceOutside } from '../../http/idempotency.ts'
import { documented } from '../common.ts'
import { text } from '../fields.ts'

const required = (longest: number) => text(longest).min(1)

const connectBody = z.strictObject({
  authorization_code: required(2000).describe('Of the page of consent; works once and for about 10 minutes.'),
  redirect_uri: required(2048).refine((value) => URL.canParse(value), { error: 'must be an address' }),
  conf_client_id: required(256).refine((value) => !value.includes(':'), { error: 'must not contain a colon' }),
  conf_client_secret: required(256),
})

const params = z.strictObject({ uuid: z.uuid().transform((value) => value.toLowerCase()) })

const connectionSchema = z
  .object({
    uuid: z.uuid(),
    conf_user_id: z.string().describe('Goes into `conf_obf_token_user_id` of a bot.'),
    conf_account_id: z.string().nullable(),
    state: z.enum(['connected', 'refresh_failed']),
    scopes: z.string().nullable().describe('Separated by spaces.'),
    created_at: z.string().describe('UTC, without a zone.'),
    updated_at: z.string().describe('UTC, without a zone.'),
    connection_failure_data: z
      .object({ message: z.string().nullable(), failed_at: z.string().nullable() })
      .optional()
      .describe('Only with `refresh_failed`.'),
  })
  .meta({ id: 'ConfConnection' })

export function confConnectionRoutes(app: App, dependencies: ApiDependencies): void {
  const route = documented(app, 'Conferencing users')
  const { database, seals } = dependencies

  route.post('/conf_oauth_connections', {
    config: { isIdempotent: true },
    summary: 'Connect a conferencing user',
    description:
      'Exchanges the code for tokens and reads the profile. A user whom the account has connected already is authorized again.',
    body: connectBody,
    status: 201,
    answer: connectionSchema,
    handle: async (request, reply) =>
      onceOutside(database, request, reply, async () => {
        const { body } = request
        const keys = { clientId: body.conf_client_id, clientSecret: body.conf_client_secret }
        const grant = { code: body.authorization_code, redirectUri: body.redirect_uri }
        const user = await authorizedUser(dependencies, keys, grant)
        const { teamId } = callerOf(request)
        const made = await connectUser(database, seals, { teamId, name: nameOf(user), app: keys, user, extra: null })
        return { status: 201, body: connection(made) }
      }),
  })

  route.get('/conf_oauth_connections', {
    summary: 'List connected conferencing users, oldest first',
    answer: z.array(connectionSchema),
    async handle(request) {
      const rows = await listConnections(database, callerOf(request).teamId, { types: ['user'] })
      return rows.map(connection)
    },
  })

  route.get('/conf_oauth_connections/:uuid', {
    summary: 'A connected conferencing user',
    params,
    answer: connectionSchema,
    refusals: [404],
    async handle(request) {
      const { uuid } = request.params
      const row = await readConnection(database, callerOf(request).teamId, uuid)
      if (row?.type !== 'user') throw refusals.credentialNotFound(uuid)
      return connection(row)
    },
  })

  route.delete('/conf_oauth_connections/:uuid', {
    summary: 'Delete the connection of a conferencing user with its tokens',
    description: 'Bots that name the user fail with CONF_OBF_TOKEN_ERROR at their start.',
    params,
    status: 204,
    answer: z.null().describe('Deleted.'),
    refusals: [404],
    async handle(request, reply) {
      const { uuid } = request.params
      const { teamId } = callerOf(request)
      const isUser = (await readConnection(database, teamId, uuid))?.type === 'user'
      if (!isUser || !(await deleteConnection(database, teamId, uuid))) throw refusals.credentialNotFound(uuid)
      return reply.send()
    },
  })
}

function nameOf({
  profile,
}: {
  profile: { displayName: string | null; email: string | null; userId: string }
}): string {
  return (profile.displayName ?? profile.email ?? profile.userId).slice(0, 100)
}

function connection(row: ShownConnection): z.output<typeof connectionSchema> {
  const scopes = row.scopes as string[]
  const isConnected = row.state === 'active'
  return {
    uuid: row.id,
    conf_user_id: row.user_id!,
    conf_account_id: row.account_id,
    state: isConnected ? 'connected' : 'refresh_failed',
    scopes: scopes.length === 0 ? null : scopes.join(' '),
    created_at: naive(row.created_at),
    updated_at: naive(row.updated_at),
    ...(!isConnected && {
      connection_failure_data: {
        message: row.last_error_message,
        failed_at: row.last_error_at && naive(row.last_error_at),
      },
    }),
  }
}

/** `2026-11-21T10:00:00.123`, in UTC. */
const naive = (time: Date): string => time.toISOString().replace(/Z$/, '')
