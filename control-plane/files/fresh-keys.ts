/** New keys for a bot that still runs: those of its job end sooner than a long meeting. */
import type { StorageKeys } from '@standin/wire/job.ts'
import { isClosed } from '../bots/row.ts'
import type { PrefixKeys } from '../platform/ports.ts'
import { readBot } from '../store/bots/bots.ts'
import type { Database } from '../store/database.ts'

/** An attempt that was replaced still stores its recording, so it gets keys too. */
export async function freshKeysOf(
  database: Database,
  prefixKeys: PrefixKeys,
  { botId, attempt }: { botId: string; attempt: number },
): Promise<{ keys: StorageKeys } | { message: string }> {
  const bot = await readBot(database, botId)
  if (bot === undefined || isClosed(bot)) return { message: 'The bot is over.' }
  return { keys: await prefixKeys(botId, attempt) }
}
