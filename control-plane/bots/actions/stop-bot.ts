/** A caller asks a bot to leave. */

import { logChange } from '../../store/audit-log.ts'
import { lockBot } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import { addCommand } from '../../store/bots/commands.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import type { BotRow } from '../../store/rows/index.ts'
import type { BotChange } from '../change.ts'
import { needsLeave, stopAsked } from '../stop.ts'

/** Of the row; a request to leave is sent for as long as the bot has not answered it. */
const EXPIRES_SECONDS = 24 * 3600

/** `refused`: the public status of a bot that has left its meeting already. */
export type StopAnswer = 'asked' | 'not_found' | { refused: string }

/** Cancels a bot that is not launched, and sends `leave` to one that is. A repeated request changes nothing. */
export async function askToLeave(db: Database, botId: string): Promise<StopAnswer> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, botId)
    if (bot === undefined) return 'not_found'
    const change = stopAsked(bot, await nowOf(tx))
    if ('refused' in change) return change
    await apply(tx, [{ bot, change }])
    await logChange(tx, { teamId: bot.team_id, action: 'bot.stop', target: botId })
    return 'asked'
  })
}

/** The same for several bots that the transaction has locked. Those that have left their meeting already are passed over. */
export async function stopBots(tx: Tx, bots: readonly BotRow[], now: Date): Promise<void> {
  const changes = bots.flatMap((bot) => {
    const change = stopAsked(bot, now)
    return 'refused' in change ? [] : [{ bot, change }]
  })
  await apply(tx, changes)
}

async function apply(tx: Tx, changes: readonly { bot: BotRow; change: BotChange }[]): Promise<void> {
  await applyChanges(tx, changes)
  for (const { bot, change } of changes)
    if (needsLeave(change)) await addCommand(tx, bot.id, { type: 'leave' }, EXPIRES_SECONDS)
}
