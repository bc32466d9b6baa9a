/** A caller asks a bot to leave. */
import { sql } from 'kysely'
import { needsLeave, stopAsked } from '../../bots/stop.ts'
import type { BotRow } from '../../rows/index.ts'
import type { Database, Tx } from '../database.ts'
import { lockBot } from './bots.ts'
import { applyChange, applyChanges } from './changes.ts'
import { addCommand } from './commands.ts'

/** Of the row; a request to leave is sent for as long as the bot has not answered it. */
const EXPIRES_SECONDS = 24 * 3600

/** `refused`: the public status of a bot that has left its meeting already. */
export type StopAnswer = 'asked' | 'not_found' | { refused: string }

/** Cancels a bot that is not launched, and sends `leave` to one that is. A repeated request changes nothing. */
export async function askToLeave(db: Database, botId: string): Promise<StopAnswer> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, botId)
    if (bot === undefined) return 'not_found'
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
    const change = stopAsked(bot, rows[0]!.now)
    if ('refused' in change) return change
    if (!(await applyChange(tx, bot, change))) throw new Error(`The row of bot ${botId} changed under its lock`)
    if (needsLeave(change)) await addCommand(tx, botId, { type: 'leave' }, EXPIRES_SECONDS)
    return 'asked'
  })
}

/** The same for several bots that the transaction has locked. Those that have left their meeting already are passed over. */
export async function stopBots(tx: Tx, bots: readonly BotRow[], now: Date): Promise<void> {
  const changes = bots.flatMap((bot) => {
    const change = stopAsked(bot, now)
    return 'refused' in change ? [] : [{ bot, change }]
  })
  await applyChanges(tx, changes)
  for (const { bot, change } of changes)
    if (needsLeave(change)) await addCommand(tx, bot.id, { type: 'leave' }, EXPIRES_SECONDS)
}
