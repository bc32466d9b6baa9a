/** The cure for a bot that failed, as callers get it. */
import { helpOf } from '@standin/wire/error-help.ts'
import type { BotRow } from '../rows/index.ts'

/** Below the public address of the service: the table of all codes. */
export const HELP_PATH = '/help/errors'

/** Null if the bot has not failed. */
export function errorHelpOf({ error_code, end_cause }: Pick<BotRow, 'error_code' | 'end_cause'>) {
  return error_code === null ? null : { cause: end_cause, ...helpOf(error_code, end_cause) }
}
