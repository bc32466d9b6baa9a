/** Stored messages of a team's webhooks, also those that no endpoint wants. */
import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { type PageRequest, type Places, readPage } from '../pages.ts'

export interface SentMessage {
  /** `msg_…` */
  id: string
  bot_id: string | null
  /** With placeholders for links. */
  body: Record<string, unknown>
  is_compat: boolean
  /** ISO 8601 with microseconds. */
  message_created_at: string
}

/** `id` of a message. */
export const MESSAGE_ID = /^msg_[0-9A-Za-z]{27}$/

const COLUMNS = sql`id, bot_id, body, is_compat,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as message_created_at`

/** Newest first. `kinds`: of events. `after`: inclusive. */
export function listSentMessages(
  db: Database,
  { teamId, kinds, after }: { teamId: string; kinds: readonly string[]; after: Date | undefined },
  page: PageRequest,
): Promise<Places & { rows: SentMessage[] }> {
  const conditions = [sql`team_id = ${teamId}`, ...(after === undefined ? [] : [sql`created_at >= ${after}`])]
  const filters = [sql`generation = 'webhooks'`, sql`event = any (${[...kinds]}::text[])`]
  const order = { column: sql.ref('created_at'), id: sql.ref('id'), direction: 'desc', idType: 'text' } as const
  return readPage<SentMessage>(db, { columns: COLUMNS, from: sql`messages`, conditions, filters, order }, page)
}
