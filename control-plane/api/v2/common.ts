/** Pieces of the newer generation's schemas. */

import { z } from 'zod'
import { readInstant } from '../../platform/instant.ts'
import { documentedRoutes } from '../http/documented-routes.ts'
import type { App } from '../http/generation.ts'

/** Versions 1 to 8 of RFC 9562, the nil and the max UUID; in lower case, as they are stored. */
export const uuid = z.uuid().transform((text) => text.toLowerCase())

export const botParams = z.strictObject({ bot_id: uuid.describe('The id of the bot.') })

/** The place in a list from which a page begins. */
export const cursor = z
  .string()
  .max(400)
  .optional()
  .describe('`cursor` or `prev_cursor` of another page; absent: the first page.')

export const isSuccess = z.literal(true).describe('False in the body of an error.')

/** Every answer but errors. */
export const success = <T extends z.ZodType>(data: T) =>
  z.object({ success: isSuccess, data: data.meta() === undefined ? data.describe('The answer.') : data })

export const list = <T extends z.ZodType>(item: T) =>
  success(z.array(item).describe('The items of this page.')).extend({
    cursor: z.string().nullable().describe('Of the next page; null at the end.'),
    prev_cursor: z.string().nullable().describe('Of the page before; null at the start.'),
  })

export const message = success(z.object({ message: z.string().describe('One sentence for people.') }))

export const succeeded = <T>(data: T) => ({ success: true as const, data })
export const done = (text: string) => succeeded({ message: text })

/** As they are answered: ISO 8601 in UTC. */
export const time = z.iso.datetime()

/** Of a request that is refused. */
export const problems = z.array(
  z.object({
    path: z.string().describe('Where: `body`, `querystring`, `params` or `headers`, and the names below it.'),
    message: z.string().describe('The problem there.'),
  }),
)

export const errorSchema = z
  .object({
    success: z.literal(false).describe('True in every other answer.'),
    error: z.string().describe('Label of the HTTP status.'),
    code: z.string().describe('Such as FST_ERR_VALIDATION.'),
    statusCode: z.int().describe('The HTTP status.'),
    message: z.string().describe('One sentence.'),
    details: z.string().nullable().describe('Further words, if there are any.'),
    problems: problems
      .optional()
      .describe('With 400 what is wrong where, such as {path: "body/bot_name", message: "is missing"}.'),
    retryAfter: z.int().optional().describe('Seconds; with 429, and also in the header retry-after.'),
  })
  .meta({ id: 'Error', description: 'Decide by `code`; the texts may change.' })

/** The answers common to all operations, and those of one operation. */
const errors = (...statuses: number[]) =>
  Object.fromEntries([400, 401, 403, 413, 415, 429, 500, 503, ...statuses].map((status) => [status, errorSchema]))

/** Adds routes with their documentation under the tag. */
export const documented = (app: App, tag: string) => documentedRoutes(app, tag, errors)

/** A time in a request: ISO 8601 with zone; seconds may be left out. */
export const requestTime = z
  .string()
  .max(40)
  .refine((text) => /t/i.test(text) && readInstant(text) !== null, {
    error: 'must be a time such as 2026-11-21T10:00:00Z',
  })
  .transform((text) => new Date(text))

/** A parameter for each of the words, or `a,b,c` in one. */
export const commaList = <const Word extends string>(words: readonly Word[]) =>
  z
    .preprocess(
      (given) => (isText(given) ? [...new Set([given].flat().flatMap((text) => text.split(',').map(asWord)))] : given),
      z.array(z.enum(words)).max(words.length),
    )
    .describe(`One or several of ${words.join(', ')}: a parameter for each, or separated by commas.`)

const isText = (given: unknown): given is string | string[] =>
  [given].flat().every((text) => typeof text === 'string' && text.length <= 500)
const asWord = (text: string) => text.trim().toLowerCase()

/** A number in a query. */
export const limit = (max: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/, { error: `must be a whole number from 1 to ${max}` })
    .transform(Number)
    .pipe(z.int().min(1).max(max))
    .default(fallback)
    .describe(`Default ${fallback}.`)
    // A query is text; the document says what the text means.
    .meta({ type: 'integer', minimum: 1, maximum: max, default: fallback, pattern: undefined })

export const flag = z.enum(['true', 'false']).transform((text) => text === 'true')

export const at = (date: Date | null) => (date === null ? null : date.toISOString())
