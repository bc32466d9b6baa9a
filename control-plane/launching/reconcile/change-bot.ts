/** A change of one bot, decided under the lock of its row. */
import type { BotChange } from '../../bots/change.ts'
import type { BotRow } from '../../rows/index.ts'
import { lockBot } from '../../store/bots/bots.ts'
import { applyChange } from '../../store/bots/changes.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database, Tx } from '../../store/database.ts'

/**
 * `decide` gets the bot and the database's time, and returns null where the bot is not in the expected state. `also` is
 * written with the change, and gets the bot as it was before. Resolves with whether something was changed.
 */
export async function changeBot(
  database: Database,
  botId: string,
  decide: (bot: BotRow, now: Date) => BotChange | null,
  also?: (tx: Tx, bot: BotRow) => Promise<void>,
): Promise<boolean> {
  return database.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, botId)
    const change = bot && decide(bot, await nowOf(tx))
    if (bot === undefined || !change || !(await applyChange(tx, bot, change))) return false
    await also?.(tx, bot)
    return true
  })
}
