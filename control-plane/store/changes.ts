/** Writes what the rules decided: row, timeline, messages and tokens in one transaction. */
import { sql } from 'kysely'
import type { BotChange, Step } from '../bots/change.ts'
import { jsonText, writable } from './bots.ts'
import { answerForClosedBot } from './commands.ts'
import type { Tx } from './database.ts'
import { writeLedger } from './ledger.ts'
import { insertMessages } from './messages.ts'
import type { BotRow } from './tables.ts'

/**
 * Writes a change of the bot as it was read. False, and nothing is written, where the row has changed since: the
 * caller reads it again and decides anew. A change without content is written without effect.
 */
export async function applyChange(tx: Tx, bot: BotRow, change: BotChange): Promise<boolean> {
  if (Object.keys(change.patch).length > 0 && !(await patchBot(tx, bot, change))) return false
  await writeEffects(tx, [{ bot, change }])
  return true
}

async function patchBot(tx: Tx, bot: BotRow, { patch }: BotChange): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('bots')
    .set({ ...writable(patch), version: bot.version + 1, updated_at: sql`now()` })
    .where('id', '=', bot.id)
    .where('version', '=', bot.version)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) return false
  if (patch.phase === 'closed') await answerForClosedBot(tx, bot.id)
  return true
}

/** Changes of several bots that the transaction has locked. Throws where one of them has changed since it was read. */
export async function applyChanges(tx: Tx, changes: readonly { bot: BotRow; change: BotChange }[]): Promise<void> {
  for (const { bot, change } of changes) {
    if (Object.keys(change.patch).length > 0 && !(await patchBot(tx, bot, change)))
      throw new Error(`The row of bot ${bot.id} changed under its lock`)
  }
  await writeEffects(tx, changes)
}

/** Everything beside the row, for bots that were just inserted with the change's patch. */
export async function writeEffects(
  tx: Tx,
  changes: readonly { bot: Pick<BotRow, 'id'>; change: BotChange }[],
): Promise<void> {
  await addSteps(
    tx,
    changes.flatMap(({ bot, change }) => change.steps.map((step) => ({ botId: bot.id, step }))),
  )
  await insertMessages(
    tx,
    changes.flatMap(({ change }) => change.messages),
  )
  await writeLedger(
    tx,
    changes.flatMap(({ change }) => change.ledger),
  )
}

async function addSteps(tx: Tx, steps: readonly { botId: string; step: Step }[]): Promise<void> {
  if (steps.length === 0) return
  const rows = steps.map(({ botId, step }) => ({
    bot_id: botId,
    attempt: step.attempt,
    at: step.at,
    kind: step.kind,
    reason: step.reason,
    evidence: step.evidence === undefined ? null : jsonText(step.evidence),
  }))
  await tx.insertInto('bot_steps').values(rows).execute()
}
