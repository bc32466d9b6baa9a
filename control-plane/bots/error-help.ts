/** The cure for a bot that failed, as callers get it. */
import { helpOf } from '@standin/wire/error-help.ts'
import type { BotRow } from '../rows/index.ts'

/** The page about all codes, below the public address of the service (`docs/errors.md`). */
export const HELP_PATH = '/help/errors'

/** Null if the bot has not failed. */
export function errorHelpOf({ error_code, end_cause }: Pick<BotRow, 'error_code' | 'end_cause'>) {
  return error_code === null ? null : { cause: end_cause, ...helpOf(error_code, end_cause) }
}
