/** Query parameters that lists of bots share. */

import { MEETING_PLATFORMS } from '@standin/wire/platforms.ts'
import { z } from 'zod'
import { LIST_DAYS } from '../../store/bots/list.ts'
import { refusals } from '../http/errors.ts'
import { commaList, cursor, limit, requestTime } from './common.ts'

const MAX_TEXT = 500
const MAX_EXTRA_CONDITIONS = 20
const text = z.string().min(1).max(MAX_TEXT)

/** `k:v` or `k:v,k2:v2`. The value may hold colons. */
const extra = text
  .refine((value) => value.split(',').every((pair) => pair.indexOf(':') > 0), {
    error: 'must be field:value, several separated by commas',
  })
  .transform((value) =>
    value
      .split(',')
      .map((pair) => ({ field: pair.slice(0, pair.indexOf(':')), value: pair.slice(pair.indexOf(':') + 1) })),
  )
  .refine((pairs) => pairs.length <= MAX_EXTRA_CONDITIONS, {
    error: `must not have more than ${MAX_EXTRA_CONDITIONS} conditions`,
  })
  .describe('field:value, several separated by commas; all must match, exact and case-sensitive.')

export const botFilters = {
  bot_name: text.optional().describe('A part of the name.'),
  meeting_url: text.optional().describe('A part of the link.'),
  bot_id: text.optional().describe('A part of the id.'),
  extra: extra.optional(),
  meeting_platform: commaList(MEETING_PLATFORMS).optional(),
  limit: limit(250, 50),
  cursor,
}

export const filterTime = requestTime.optional()

/** Rejects with 400 if the time is not within the days that lists reach. */
export function checkWithinDays(name: string, time: Date | undefined, now: number, isFutureAllowed: boolean): void {
  if (time === undefined) return
  const span = LIST_DAYS * 86_400_000
  // A minute for clocks that differ.
  const tolerance = 60_000
  if (time.getTime() < now - span - tolerance)
    throw refusals.validation(`querystring/${name} must not be more than ${LIST_DAYS} days back`)
  if (!isFutureAllowed && time.getTime() > now + tolerance)
    throw refusals.validation(`querystring/${name} must not be in the future`)
  if (time.getTime() > now + span + tolerance)
    throw refusals.validation(`querystring/${name} must not be more than ${LIST_DAYS} days ahead`)
}
