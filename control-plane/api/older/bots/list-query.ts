/** The query of `GET /bots/bots_with_metadata`. */

import { z } from 'zod'
import { readInstant } from '../../../platform/instant.ts'
import type { ExtraOrder, OlderFilter } from '../../../store/bots/older-list.ts'
import { text } from '../fields.ts'

const MAX_TEXT_LENGTH = 500
const MAX_FILTER_LENGTH = 2000
const MAX_CONDITIONS = 20
const DEFAULT_LIMIT = 10
const MAX_LIMIT = 50

/** `YYYY-MM-DDThh:mm:ss` in UTC; a fraction and a zone may follow. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(Z|[+-]\d\d:\d\d)?$/i
const readTime = (value: string) => readInstant(TIME.exec(value)?.[1] ? value : `${value}Z`)

const time = z
  .string()
  .max(40)
  .refine((value) => TIME.test(value) && readTime(value) !== null, {
    error: 'must be a time such as 2026-11-21T10:00:00',
  })

const search = text(MAX_TEXT_LENGTH)

export const listQuerySchema = z.strictObject({
  bot_name: search.optional().describe('A part of the name, in any case of letters.'),
  meeting_url: search.optional().describe('A part of the meeting link, in any case of letters.'),
  speaker_name: search.optional().describe("A part of a speaker's name, in any case of letters."),
  created_after: time.optional().describe('UTC, inclusive.'),
  created_before: time.optional().describe('UTC, inclusive.'),
  ended_after: time.optional().describe('UTC, inclusive.'),
  cursor: text(500).optional().describe('`next_cursor` of the page before.'),
  limit: z
    .string()
    .regex(/^-?\d{1,10}$/, { error: 'must be a whole number' })
    .optional()
    .describe('1 to 50, default 10; other numbers are moved to the nearest bound.')
    // A query is text; the document says what the text means.
    .meta({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, pattern: undefined }),
  filter_by_extra: text(MAX_FILTER_LENGTH)
    .refine((value) => readFilter(value) !== null, {
      error: `must be of the form field:value or field1:value1,field2:value2, with at most ${MAX_CONDITIONS} conditions`,
    })
    .optional()
    .describe('`field:value`, several with commas between: all must match exactly, bots without the field drop out.'),
  sort_by_extra: text(MAX_TEXT_LENGTH)
    .refine((value) => readOrder(value) !== null, { error: 'must be of the form field, field:asc or field:desc' })
    .optional()
    .describe('`field`, `field:asc` or `field:desc`: compared as text, bots without the field come last.'),
})
export type ListQuery = z.infer<typeof listQuerySchema>

export function filterOf(query: ListQuery): OlderFilter {
  const at = (value: string | undefined) => (value === undefined ? undefined : (readTime(value) ?? undefined))
  return {
    botName: query.bot_name || undefined,
    meetingUrl: query.meeting_url || undefined,
    speakerName: query.speaker_name || undefined,
    createdAfter: at(query.created_after),
    createdBefore: at(query.created_before),
    endedAfter: at(query.ended_after),
    extra: query.filter_by_extra ? (readFilter(query.filter_by_extra) ?? []) : [],
  }
}

export function orderOf(query: ListQuery): ExtraOrder | null {
  return query.sort_by_extra ? readOrder(query.sort_by_extra) : null
}

export function limitOf(query: ListQuery): number {
  const limit = query.limit === undefined ? DEFAULT_LIMIT : Number(query.limit)
  return Math.min(MAX_LIMIT, Math.max(1, limit))
}

/** Null if the text has another form. Values may hold colons, and no commas. */
export function readFilter(value: string): OlderFilter['extra'] | null {
  if (value === '') return []
  const conditions = value.split(',').map((condition) => {
    const colon = condition.indexOf(':')
    return { field: condition.slice(0, Math.max(0, colon)).trim(), value: condition.slice(colon + 1).trim() }
  })
  const isWhole = conditions.every(({ field }) => field !== '')
  return isWhole && conditions.length <= MAX_CONDITIONS ? conditions : null
}

/** Null if the text has another form. */
export function readOrder(value: string): ExtraOrder | null {
  const [field = '', direction = 'asc', ...rest] = value.split(':').map((part) => part.trim())
  const isKnown = direction === 'asc' || direction === 'desc'
  return field !== '' && isKnown && rest.length === 0 ? { field, direction } : null
}

/**
 * A cursor names the last bot of its page and the order of the list. The position of that bot is looked up again, so
 * that the cursor stays short even for a long value of the order.
 */
export function writeCursor(number: number, order: ExtraOrder | null): string {
  return Buffer.from(JSON.stringify([number, orderText(order)])).toString('base64url')
}

/** The number of the bot; null if the cursor was not made by this list, or for another order. */
export function readCursor(cursor: string, order: ExtraOrder | null): number | null {
  let content: unknown
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64').toString('utf8'))
  } catch {
    return null
  }
  if (!Array.isArray(content) || content.length !== 2) return null
  const [number, ordered] = content as unknown[]
  return Number.isSafeInteger(number) && ordered === orderText(order) ? (number as number) : null
}

function orderText(order: ExtraOrder | null): string {
  return order === null ? '' : `${order.field}:${order.direction}`
}
