/** Changes one bot, as decided under the lock of its row. */
import type { BotCommand } from '@standin/wire/commands.ts'
import { logChange } from '../../store/audit-log.ts'
import { lockBot } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import { addCommand } from '../../store/bots/commands.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import type { BotPatch, BotRow } from '../../store/rows/index.ts'
import type { BotChange } from '../change.ts'

/**
 * `decide` gets the bot and the database's time, and returns null if the bot is not in the expected state. `also` is
 * written with the change, and gets the bot as it was before. Resolves with whether something was changed.
 */
export async function changeBot(
  database: Database,
  botId: string,
  decide: (bot: BotRow, now: Date) => BotChange | null,
  also?: (tx: Tx, bot: BotRow) => Promise<void>,
): Promise<boolean> {
  const isAnyBot = () => true
  const changed = await withBot(database, botId, isAnyBot, async (tx, bot, now) => {
    const change = decide(bot, now)
    if (change === null) return false
    await applyChanges(tx, [{ bot, change }])
    await also?.(tx, bot)
    return true
  })
  return changed === true
}

/** Changes columns of a bot, and says so in its timeline. `decide` answers the patch, or why there is none. */
export function changeOnRequest<Refused>(
  db: Database,
  botId: string,
  isMeant: (bot: BotRow) => boolean,
  decide: (bot: BotRow, now: Date) => { patch: BotPatch; reason: string } | { refuse: Refused },
  effects?: (tx: Tx, bot: BotRow) => Promise<void>,
): Promise<'changed' | 'not_found' | { refuse: Refused }> {
  return withBot(db, botId, isMeant, async (tx, bot, now) => {
    const decision = decide(bot, now)
    if ('refuse' in decision) return decision
    const step = { at: now, attempt: null, kind: 'changed' as const, reason: decision.reason }
    await applyChanges(tx, [{ bot, change: { patch: decision.patch, steps: [step], messages: [], ledger: [] } }])
    await effects?.(tx, bot)
    await logChange(tx, { teamId: bot.team_id, action: 'bot.change', target: botId })
    return 'changed'
  })
}

/**
 * Stores a command if the bot's status is one of `allowed`, and resolves with its id. `isMeant` decides whether the caller
 * may ask this bot. `refused`: the bot's status.
 */
export function askForCommand(
  db: Database,
  botId: string,
  isMeant: (bot: BotRow) => boolean,
  asked: { command: BotCommand; allowed: readonly string[]; expiresInSeconds: number },
): Promise<{ commandId: string } | 'not_found' | { refused: string }> {
  return withBot(db, botId, isMeant, async (tx, bot) => {
    if (!asked.allowed.includes(bot.status) || bot.phase === 'ending' || bot.phase === 'assembling')
      return { refused: bot.status }
    const details = { command: asked.command.type }
    await logChange(tx, { teamId: bot.team_id, action: 'bot.command', target: botId, details })
    return { commandId: await addCommand(tx, bot.id, asked.command, asked.expiresInSeconds) }
  })
}

/** Does the work with the locked row and the database's time. */
export function withBot<T>(
  db: Database,
  botId: string,
  isMeant: (bot: BotRow) => boolean,
  work: (tx: Tx, bot: BotRow, now: Date) => Promise<T>,
): Promise<T | 'not_found'> {
  return db.transaction().execute(async (tx) => {
    const bot = await lockBot(tx, botId)
    return bot === undefined || !isMeant(bot) ? 'not_found' : work(tx, bot, await nowOf(tx))
  })
}
