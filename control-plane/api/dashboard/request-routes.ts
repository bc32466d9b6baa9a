import { z } from 'zod'
import { listRequests } from '../../store/request-log.ts'
import type { ApiDependencies } from '../dependencies.ts'
import { type App, callerOf } from '../http/generation.ts'
import { limit, succeeded, success, time, uuid } from '../v2/common.ts'
import { rowNumber } from './fields.ts'

const STATUSES = { succeeded: [200, 400], refused: [400, 500], failed: [500, 600] } as const
const requestSchema = z
  .object({
    request: z.int(),
    at: time,
    request_id: z.string(),
    key_id: z.uuid(),
    key_name: z.string(),
    method: z.string(),
    path: z.string().describe('With its query, without secrets, cut at 500 characters.'),
    status: z.int(),
    ms: z.int(),
    error_code: z.string().nullable(),
    error_body: z.string().nullable().describe('JSON without secrets, cut at 2,000 characters.'),
    left_out: z.int().describe('Requests of the same moment that are not listed.'),
  })
  .meta({ id: 'LoggedRequest' })

export function requestRoutes(app: App, { readList }: ApiDependencies): void {
  app.get(
    '/requests',
    {
      config: { role: 'owner' },
      schema: {
        querystring: z.strictObject({
          method: z.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']).optional(),
          status: z.enum(['succeeded', 'refused', 'failed']).optional(),
          key_id: uuid.optional(),
          text: z.string().trim().min(1).max(200).optional(),
          before: rowNumber.optional(),
          limit: limit(100, 50),
        }),
        response: { 200: success(z.array(requestSchema)) },
      },
    },
    async (request) => {
      const { status, key_id: keyId, ...filter } = request.query
      const { teamId } = callerOf(request)
      const statuses = status && STATUSES[status]
      const rows = await readList(teamId, listRequests, teamId, { ...filter, keyId, statuses })
      return succeeded(rows.map(({ id, at, ...row }) => ({ request: id, at: at.toISOString(), ...row })))
    },
  )
}
