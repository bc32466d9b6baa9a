/** Commands to bots: a row first, then the link that holds the bot sends it, and the answer goes into the row. */
import { setTimeout as wait } from 'node:timers/promises'
import type { BotCommand } from '@standin/wire/commands.ts'
import type { Answer } from '@standin/wire/control-link.ts'
import { sql } from 'kysely'
import type { Database, Tx } from '../database.ts'
import { jsonText } from './bots.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
/** Milliseconds between two polls of a command that waits for its answer. */
const FIRST_LOOK_MS = 20
const MAX_LOOK_MS = 200

/**
 * Stores a command for a bot and gives back its id. A bot is asked to leave once: a second `leave` would make it skip
 * its transcript, so it is the first one's id that comes back.
 */
export async function addCommand(
  tx: Database | Tx,
  botId: string,
  command: BotCommand,
  expiresInSeconds: number,
): Promise<string> {
  if (command.type === 'leave') {
    const earlier = await tx
      .selectFrom('bot_commands')
      .select('id')
      .where('bot_id', '=', botId)
      .where(sql<boolean>`command ->> 'type' = 'leave'`)
      .executeTakeFirst()
    if (earlier) return earlier.id
  }
  const row = await tx
    .insertInto('bot_commands')
    .values({
      bot_id: botId,
      command: jsonText(command),
      expires_at: sql<Date>`now() + make_interval(secs => ${expiresInSeconds})`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return row.id
}

/** The bot's answer, or null if none came in time. Polls, so it works with a pooler and across replicas. */
export async function waitForAnswer(
  db: Database,
  commandId: string,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<Answer | null> {
  const until = performance.now() + timeoutMs
  for (let pause = FIRST_LOOK_MS; ; pause = Math.min(pause * 1.5, MAX_LOOK_MS)) {
    const row = await db.selectFrom('bot_commands').select('answer').where('id', '=', commandId).executeTakeFirst()
    if (row === undefined) return null
    if (row.answer !== null) return row.answer as Answer
    const left = until - performance.now()
    if (left <= 0 || signal?.aborted) return null
    await wait(Math.min(pause, left))
  }
}

export interface OpenCommand {
  id: string
  bot_id: string
  command: BotCommand
}

/** A request to leave never expires: a bot that connects again after hours has to receive it. */
const isOpen = sql<boolean>`answered_at is null and (expires_at > now() or command ->> 'type' = 'leave')`

/** Everything that these bots have not answered, oldest first: sent again after each welcome. */
export async function openCommands(db: Database | Tx, botIds: readonly string[]): Promise<OpenCommand[]> {
  if (botIds.length === 0) return []
  const rows = await db
    .selectFrom('bot_commands')
    .select(['id', 'bot_id', 'command'])
    .where('bot_id', 'in', botIds)
    .where(isOpen)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return rows as OpenCommand[]
}

/**
 * Commands that no link has sent yet, of all bots that are not over, with the attempt that each is for. Also commands
 * that were sent some seconds ago without an answer, because the link may have been dead. The newest, oldest first.
 */
export async function unsentCommands(db: Database, limit: number): Promise<(OpenCommand & { attempt: number })[]> {
  const { rows } = await sql<OpenCommand & { attempt: number }>`
    select command.id, command.bot_id, command.command, coalesce(bots.joined_attempt, bots.attempt) as attempt
    from bot_commands command join bots on bots.id = command.bot_id
    where (command.sent_at is null or command.sent_at < now() - interval '3 seconds')
      and command.answered_at is null and bots.phase <> 'closed'
      and (command.expires_at > now() or command.command ->> 'type' = 'leave')
    order by command.created_at desc, command.id limit ${limit}`.execute(db)
  return rows.reverse()
}

export async function markSent(db: Database, commandIds: readonly string[]): Promise<void> {
  if (commandIds.length === 0) return
  // Rows that are being answered need no mark, and waiting for them could become a circle.
  await sql`
    update bot_commands set sent_at = now() where id in (
      select id from bot_commands where id = any(${commandIds}::uuid[]) and sent_at is null
      order by id for no key update skip locked)`.execute(db)
}

/** Keeps the first answer. False if the command is not the bot's, or was answered before. */
export async function storeAnswer(db: Database, botId: string, answer: Answer): Promise<boolean> {
  if (!UUID.test(answer.id)) return false
  const { numUpdatedRows } = await db
    .updateTable('bot_commands')
    // The answer proves that it was sent; `markSent` may have found the row locked by this very statement.
    .set({ answer: jsonText(answer), answered_at: sql`now()`, sent_at: sql`coalesce(sent_at, now())` })
    .where('id', '=', answer.id)
    .where('bot_id', '=', botId)
    .where('answered_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Whether the last switch of the bot's agent that the bot answered with success was off. */
export async function wasAgentSwitchedOff(db: Database, botId: string): Promise<boolean> {
  const last = await db
    .selectFrom('bot_commands')
    .select(sql<string>`command ->> 'enabled'`.as('enabled'))
    .where('bot_id', '=', botId)
    .where(sql<boolean>`command ->> 'type' = 'agent' and answer ->> 'ok' = 'true'`)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return last?.enabled === 'false'
}

/** Answers the open commands of closed bots, so that their callers do not wait. The bots have left, so `leave` has worked. */
export async function answerForClosedBots(tx: Tx, botIds: readonly string[]): Promise<void> {
  if (botIds.length === 0) return
  const refusal = { type: 'answer', ok: false, code: 'COMMAND_FAILED', message: 'The bot ended before it answered.' }
  await sql`
    update bot_commands set answered_at = now(), answer = jsonb_build_object('id', id) ||
      case when command ->> 'type' = 'leave' then '{"type": "answer", "ok": true}'::jsonb
        else ${jsonText(refusal)}::jsonb end
    where bot_id = any(${botIds}::uuid[]) and answered_at is null`.execute(tx)
}
