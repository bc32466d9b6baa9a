/** API keys of the team. */
import { z } from 'zod'
import { createKey, listKeys, PERMISSIONS, revokeKey, sealForTeam } from '../../store/teams/keys.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { refusals } from '../http/errors.ts'
import { type App, callerOf } from '../http/generation.ts'
import { at, done, message, requestTime, succeeded, success, time, uuid } from '../v2/common.ts'

const keySchema = z
  .object({
    key_id: z.uuid(),
    name: z.string(),
    prefix: z.string(),
    permission: z.enum(PERMISSIONS),
    last_used_at: time.nullable(),
    expires_at: time.nullable(),
    revoked_at: time.nullable(),
  })
  .meta({ id: 'Key' })
const newKey = z.strictObject({
  name: z.string().trim().min(1).max(100),
  permission: z.enum(PERMISSIONS).default('full'),
  expires_at: requestTime.nullish(),
})

export function keyRoutes(app: App, { database, seals }: ApiDependencies): void {
  const owner = { role: 'owner' } as const

  app.get('/keys', { config: owner, schema: { response: { 200: success(z.array(keySchema)) } } }, async (request) => {
    const keys = await listKeys(database, callerOf(request).teamId)
    return succeeded(
      keys.map((key) => ({
        ...key,
        last_used_at: at(key.last_used_at),
        expires_at: at(key.expires_at),
        revoked_at: at(key.revoked_at),
      })),
    )
  })

  app.post(
    '/keys',
    {
      config: owner,
      schema: {
        body: newKey,
        response: { 201: success(z.object({ key_id: z.uuid(), key: z.string().describe('Shown this once.') })) },
      },
    },
    async (request, reply) => {
      const { teamId } = callerOf(request)
      const { name, permission, expires_at: expiresAt } = request.body
      if (expiresAt && expiresAt.getTime() <= Date.now())
        throw refusals.validation('body/expires_at must be in the future')
      const seal = await sealForTeam(database, seals, teamId)
      const { keyId, key } = await createKey(database, { teamId, name, permission, seal, expiresAt: expiresAt ?? null })
      reply.code(201)
      return succeeded({ key_id: keyId, key })
    },
  )

  app.delete(
    '/keys/:key_id',
    { config: owner, schema: { params: z.strictObject({ key_id: uuid }), response: { 200: message } } },
    async (request) => {
      const { teamId } = callerOf(request)
      const isOwn = (await listKeys(database, teamId)).some(({ key_id }) => key_id === request.params.key_id)
      if (!isOwn || !(await revokeKey(database, request.params.key_id))) throw refusals.unknown('key')
      return done('The key is revoked')
    },
  )
}
