/** The result of `standin check`: which signs of a meeting's page were seen. It holds no content of people. */
import { z } from 'zod'
import { MEETING_PLATFORMS } from './platforms.ts'

/** `good`: all signs are there. `changed`: some are not. `failed`: the page was not reached, or it keeps bots out. */
export const CHECK_STATES = ['good', 'changed', 'failed'] as const
export type CheckState = (typeof CHECK_STATES)[number]

const names = z.array(z.string().max(100)).max(1000)

export const pageCheckSchema = z.strictObject({
  platform: z.enum(MEETING_PLATFORMS),
  checked_at: z.iso.datetime(),
  program_version: z.string().max(40),
  words_version: z.string().max(20),
  state: z.enum(CHECK_STATES),
  /** How far the bot came. */
  reached: z.enum(['nothing', 'entrance', 'meeting']),
  /** Signs that have to be there and were not seen; alternatives are separated by `|`. */
  missing: names,
  /** Names of selectors and words, such as `selectors.join` and `labels.join`. */
  found: names,
  not_found: names,
  /** States in which the driver saw the page, such as `green room`. */
  pages: names,
  /** Polls at which each signal answered (`packages/wire/page-signals.ts`). */
  signals: z.record(z.string().max(100), z.int().min(0)),
  error: z.strictObject({ code: z.string().max(60), reason: z.string().max(60).nullable() }).nullable(),
})
export type PageCheck = z.infer<typeof pageCheckSchema>

/** Signs of which no alternative was found. */
export function missingIn(wanted: readonly (readonly string[])[], found: ReadonlySet<string>): string[] {
  return wanted.filter((signs) => !signs.some((sign) => found.has(sign))).map((signs) => signs.join('|'))
}
