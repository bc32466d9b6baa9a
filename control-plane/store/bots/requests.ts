/** Requests to an existing bot: to run a command, to be changed. */
import type { BotCommand } from '@standin/wire/commands.ts'
import { sql } from 'kysely'
import type { BotChange } from '../../bots/change.ts'
import type { BotPatch, BotRow } from '../../rows/index.ts'
import type { Database, Tx } from '../database.ts'
import { lockBot } from './bots.ts'
import { applyChange } from './changes.ts'
import { addCommand } from './commands.ts'

export type Asked<T> = T | 'not_found' | { refused: string }

/**
 * Stores a command where the bot's status is one of `allowed`. The id of the command. `isMeant` decides whether the row is
 * one that the caller may ask.
 */
export async function askForCommand(
  db: Database,
  botId: string,
  isMeant: (bot: BotRow) => boolean,
  asked: { command: BotCommand; allowed: readonly string[]; expiresInSeconds: number },
): Promise<Asked<{ commandId: string }>> {
  return withBot(db, botId, isMeant, async (tx, bot) => {
    if (!asked.allowed.includes(bot.status) || bot.phase === 'ending' || bot.phase === 'assembling')
      return { refused: bot.status }
    return { commandId: await addCommand(tx, bot.id, asked.command, asked.expiresInSeconds) }
  })
}

/** Changes columns of a bot, and says so in its timeline. `decide` answers the patch, or why there is none. */
export async function changeOnRequest<Refused>(
  db: Database,
  botId: string,
  isMeant: (bot: BotRow) => boolean,
  decide: (bot: BotRow, now: Date) => { patch: BotPatch; reason: string } | { refuse: Refused },
  effects?: (tx: Tx, bot: BotRow) => Promise<void>,
): Promise<'changed' | 'not_found' | { refuse: Refused }> {
  const result = await withBot(db, botId, isMeant, async (tx, bot, now) => {
    const decision = decide(bot, now)
    if ('refuse' in decision) return decision
    const step = { at: now, attempt: null, kind: 'changed' as const, reason: decision.reason }
    await apply(tx, bot, { patch: decision.patch, steps: [step], messages: [], ledger: [] })
    await effects?.(tx, bot)
    return 'changed' as const
  })
  return result as 'changed' | 'not_found' | { refuse: Refused }
}

/** The work with the locked row and the database's time. */
async function withBot<T>(
  db: Database,
  botId: string,
  isMeant: (bot: BotRow) => boolean,
  work: (tx: Tx, bot: BotRow, now: Date) => Promise<T>,
): Promise<T | 'not_found'> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, botId)
    if (bot === undefined || !isMeant(bot)) return 'not_found'
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(tx)
    return work(tx, bot, rows[0]!.now)
  })
}

async function apply(tx: Tx, bot: BotRow, change: BotChange): Promise<void> {
  if (!(await applyChange(tx, bot, change))) throw new Error(`The row of bot ${bot.id} changed under its lock`)
}
