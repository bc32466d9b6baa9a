/** Pieces of the older generation's schemas. */
import { z } from 'zod'
import { documentedRoutes } from '../http/documented-routes.ts'
import type { App } from '../http/generation.ts'
import { problems } from '../v2/common.ts'
import { OLDER_ERROR_CODES } from './errors.ts'

export const errorSchema = z
  .object({
    error: z.string().describe('One sentence.'),
    code: z.enum(OLDER_ERROR_CODES),
    problems: problems.optional().describe('With 422 what is wrong where in the request.'),
  })
  .meta({ id: 'OlderError' })

/** The answers common to all operations, and those of one operation. */
const errors = (...statuses: number[]) =>
  Object.fromEntries([400, 401, 403, 413, 415, 422, 429, 500, 503, ...statuses].map((status) => [status, errorSchema]))

/** Adds routes with their documentation under the tag. */
export const documented = (app: App, tag: string) => documentedRoutes(app, tag, errors)

/** A UUID, or the running number that lists answer as `id`. */
export const botId = z
  .string()
  .max(40)
  .transform((value) => (/^\d{1,15}$/.test(value) ? Number(value) : value.toLowerCase()))
  .pipe(z.union([z.int(), z.uuid()], { error: 'is not a bot id' }))

export const flag = z.enum(['true', 'false']).transform((value) => value === 'true')
