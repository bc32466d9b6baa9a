/** Rows of bots. Only `changes.ts` changes them. */

import type { Database, Tx } from '../database.ts'
import type { BotPatch, BotRow, NewBotRow } from '../rows/index.ts'

export function readBot(db: Database | Tx, botId: string): Promise<BotRow | undefined> {
  return db.selectFrom('bots').selectAll().where('id', '=', botId).executeTakeFirst()
}

/** The row for the rest of the transaction; other transactions wait. Rows that refer to the bot may still be inserted. */
export function lockBot(tx: Tx, botId: string): Promise<BotRow | undefined> {
  return tx.selectFrom('bots').selectAll().where('id', '=', botId).forNoKeyUpdate().executeTakeFirst()
}

/** Several at once, always in the order of their ids, so that two transactions cannot wait for each other. */
export function lockBots(tx: Tx, botIds: readonly string[]): Promise<BotRow[]> {
  if (botIds.length === 0) return Promise.resolve([])
  return tx.selectFrom('bots').selectAll().where('id', 'in', botIds).orderBy('id').forNoKeyUpdate().execute()
}

/** Inserts a bot and gives back the whole row. JSON columns are given as plain values. */
export function insertBot(tx: Database | Tx, bot: NewBotRow): Promise<BotRow> {
  return tx.insertInto('bots').values(writable(bot)).returningAll().executeTakeFirstOrThrow()
}

const JSON_COLUMNS = [
  'extra',
  'request',
  'participants',
  'speakers',
  'report',
  'transcription_ids',
  'charged',
  'parts',
  'pending_end',
] as const

/** The driver would write lists as arrays of PostgreSQL and text as it is, so JSON is turned into text here. */
export function writable<Row extends NewBotRow | BotPatch>(row: Row): Row {
  const copy: Record<string, unknown> = { ...row }
  for (const column of JSON_COLUMNS) {
    const value = copy[column]
    if (value !== undefined && value !== null) copy[column] = jsonText(value)
  }
  return copy as Row
}

/** PostgreSQL's JSON holds every character but NUL; lone surrogates it refuses too. Keys and values are cleaned of both. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  return /\\u(?:0000|d[89a-f])/.test(text) ? JSON.stringify(value, (_key, inner: unknown) => cleaned(inner)) : text
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), inner]))
}

function cleanText(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
