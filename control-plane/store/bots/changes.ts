/** Writes what the rules decided: row, timeline, messages and tokens in one transaction. */
import { sql } from 'kysely'
import type { BotChange, Step } from '../../bots/change.ts'
import type { LaunchHandle } from '../../platform/ports.ts'
import type { Database, Tx } from '../database.ts'
import { PREPARED } from '../prepared.ts'
import type { BotPatch, BotRow } from '../rows/index.ts'
import { writeLedger } from '../teams/ledger.ts'
import { insertMessages } from '../webhooks/messages.ts'
import { jsonText } from './bots.ts'
import { answerForClosedBots } from './commands.ts'
import { stepRows } from './steps.ts'

/**
 * Writes a change of the bot as it was read. False, and nothing is written, if the row has changed since: the
 * caller reads it again and decides again. A change without content is written without effect.
 */
export async function applyChange(tx: Tx, bot: BotRow, change: BotChange): Promise<boolean> {
  if (Object.keys(change.patch).length > 0 && !(await patchBot(tx, bot, change))) return false
  await writeEffects(tx, [{ bot, change }])
  return true
}

async function patchBot(tx: Tx, bot: BotRow, change: BotChange): Promise<boolean> {
  return (await patchBots(tx, [{ bot, change }])) === 1
}

/** Changes of several bots that the transaction has locked. Throws if one of them has changed since it was read. */
export async function applyChanges(tx: Tx, changes: readonly { bot: BotRow; change: BotChange }[]): Promise<void> {
  const patched = changes.filter(({ change }) => Object.keys(change.patch).length > 0)
  if ((await patchBots(tx, patched)) !== patched.length) throw new Error('The row of a bot changed under its lock')
  await writeEffects(tx, changes)
}

/** A change without messages and tokens, of a bot that was not locked since it was read; with the attempt's handle. */
export interface StartedChange {
  bot: Pick<BotRow, 'id' | 'version' | 'attempt'>
  change: BotChange
  handle: LaunchHandle
}

/**
 * Writes what follows from starts, all in one statement: rows of bots that are as they were read, their steps and their
 * launches. Resolves with the ids of these bots; for the others nothing is written.
 */
export async function applyStarted(db: Database, changes: readonly StartedChange[]): Promise<Set<string>> {
  const columns = [...new Set(changes.flatMap(({ change }) => Object.keys(change.patch)))]
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(columns.map((column) => sql`patched.${sql.ref(column)}`))
  const of = <T>(value: (change: StartedChange) => T) => changes.map(value)
  const steps = changes.flatMap(({ bot, change }) => stepRows(bot.id, change.steps))
  const { rows } = await sql<{ id: string }>`
    ${PREPARED} with given as materialized (
      select * from unnest(${of(({ bot }) => bot.id)}::uuid[], ${of(({ bot }) => bot.version)}::int[],
        ${of(({ bot }) => bot.attempt)}::int[], ${of(({ handle }) => jsonText(handle))}::text[],
        ${of(({ change }) => jsonText(inJson(change.patch)))}::text[]) as given (bot, read, attempt, handle, patch)
    ), held as materialized (
      select bots.id, given.attempt, given.handle, given.patch from bots join given on given.bot = bots.id
      where bots.version = given.read order by bots.id for no key update of bots
    ), patched as (
      update bots set (version, updated_at, ${names}) =
        (select bots.version + 1, now(), ${values} from jsonb_populate_record(bots, held.patch::jsonb) patched)
      from held where bots.id = held.id
    ), launch as (
      update launches set handle = held.handle::jsonb, started_at = coalesce(launches.started_at, now())
      from held where launches.bot_id = held.id and launches.attempt = held.attempt
    ), step as (
      insert into bot_steps (bot_id, attempt, at, kind, reason, evidence) ${stepsIn(steps)}
      where step.bot_id = any (array(select id from held))
    )
    select id from held`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/**
 * Patches rows that still have the version that was read, all in one statement; gives back how many had. Only columns
 * that one of the patches names are written: a row without it keeps its value.
 */
async function patchBots(tx: Tx, changes: readonly { bot: BotRow; change: BotChange }[]): Promise<number> {
  if (changes.length === 0) return 0
  const columns = [...new Set(changes.flatMap(({ change }) => Object.keys(change.patch)))]
  const names = sql.join(columns.map((column) => sql.ref(column)))
  const values = sql.join(columns.map((column) => sql`patched.${sql.ref(column)}`))
  const patches = changes.map(({ change }) => jsonText(inJson(change.patch)))
  // Arrays, whose length the planner knows: it would read the whole table for a few rows otherwise.
  const { rows: written } = await sql<{ id: string }>`
    update bots set (version, updated_at, ${names}) =
      (select bots.version + 1, now(), ${values} from jsonb_populate_record(bots, change.patch::jsonb) patched)
    from unnest(${changes.map(({ bot }) => bot.id)}::uuid[], ${changes.map(({ bot }) => bot.version)}::int[],
      ${patches}::text[]) as change (bot, read, patch)
    where bots.id = change.bot and bots.version = change.read
    returning bots.id`.execute(tx)
  const done = new Set(written.map(({ id }) => id))
  const closed = changes.filter(({ bot, change }) => change.patch.phase === 'closed' && done.has(bot.id))
  await answerForClosedBots(
    tx,
    closed.map(({ bot }) => bot.id),
  )
  return written.length
}

/** Bytes as PostgreSQL reads them; everything else is JSON already. */
function inJson(patch: BotPatch): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(patch).map(([column, value]) => [
      column,
      Buffer.isBuffer(value) ? `\\x${value.toString('hex')}` : value,
    ]),
  )
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

/** One parameter, however many there are. */
const stepsIn = (rows: ReturnType<typeof stepRows>) => sql`
  select step.bot_id, step.attempt, step.at, step.kind, step.reason, step.evidence::jsonb
  from json_to_recordset(${jsonText(rows)}::json)
    as step (bot_id uuid, attempt int, at timestamptz, kind text, reason text, evidence text)`

async function addSteps(tx: Tx, steps: readonly { botId: string; step: Step }[]): Promise<void> {
  if (steps.length === 0) return
  const rows = steps.flatMap(({ botId, step }) => stepRows(botId, [step]))
  await sql`${PREPARED} insert into bot_steps (bot_id, attempt, at, kind, reason, evidence) ${stepsIn(rows)}`.execute(
    tx,
  )
}
