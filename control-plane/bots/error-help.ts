/** Why a bot failed, or was kept out, and what helps, as callers get it. */
import type { EndCause } from '@standin/wire/codes.ts'
import { CAUSE_TABLE, helpOf } from '@standin/wire/error-help.ts'
import type { FinalReport } from '@standin/wire/events.ts'
import { REASON_TABLE, type Reason } from '@standin/wire/reasons.ts'
import type { BotRow } from '../store/rows/index.ts'

/** The page about all codes, below the public address of the service (`docs/errors.md`). */
export const HELP_PATH = '/help/errors'

/** Null if the bot has not failed. */
export function errorHelpOf({ error_code, end_cause }: Pick<BotRow, 'error_code' | 'end_cause'>) {
  return error_code === null ? null : { cause: end_cause, ...helpOf(error_code, end_cause) }
}

/** Why a bot failed or was kept out, in one sentence, and the part that failed. Null where the error code says as much. */
export function failureOf({ end_cause, reason }: Pick<BotRow, 'end_cause' | 'reason'>) {
  const cause = CAUSE_TABLE[end_cause as EndCause]
  const part = cause?.label ?? null
  if (cause !== undefined) return { why: cause.what, part }
  const known = reason === null || reason === 'unknown' ? undefined : REASON_TABLE[reason as Reason]
  return known === undefined ? null : { why: `${known.title}.`, part }
}

/** `linkOf` makes an address of a path of the service. */
export function reasonHelpOf<Link>(bot: Pick<BotRow, 'reason' | 'report'>, linkOf: (path: string) => Link) {
  if (bot.reason === null) return { reason: null, reason_help: null }
  // One of a newer version is not known here.
  const reason = Object.hasOwn(REASON_TABLE, bot.reason) ? (bot.reason as Reason) : 'unknown'
  const { title, host, developer, setting } = REASON_TABLE[reason]
  // It goes when the data of the bot is deleted.
  const evidence = (bot.report as FinalReport | null)?.reason_evidence ?? []
  return { reason, reason_help: { title, host, developer, setting, link: linkOf(`/help/hosts/${reason}`), evidence } }
}
