/** Stores events of bots once and in order, together with everything that follows from them. */
import type { Artifact, NumberedEvent } from '@standin/wire/events.ts'
import { jsonText, lockBots } from '../../store/bots/bots.ts'
import { applyChanges } from '../../store/bots/changes.ts'
import {
  insertEvents,
  type JournalBatch,
  journalHeads,
  keyOf,
  type NewEvent,
  newEvent,
  numberEvents,
  transcriptsOfOthers,
  upsertArtifacts,
  writeHeads,
} from '../../store/bots/events.ts'
import { type ReportedUsage, upsertUsage } from '../../store/bots/usage.ts'
import { nowOf } from '../../store/clock.ts'
import type { Database, Tx } from '../../store/database.ts'
import type { BotRow } from '../../store/rows/index.ts'
import { type BotChange, emptyChange } from '../change.ts'
import { fold } from '../fold.ts'
import { type Standing, standingOf, withPatch } from '../row.ts'

export interface Stored {
  /** The highest number of the journal that is stored: may be acknowledged. */
  lastSeq: number
  /** How the service saw the bot before these events: a bot that reports its own end is not yet `closed`. */
  standing: Standing
  /** The bot after these events; null if none of them was stored. */
  bot: BotRow | null
  /** Transcripts that the bot reported and that belong to another team: deleting its data would delete them. */
  foreignTranscripts: string[]
}

/**
 * Stores batches of events in one transaction: the events, the bots' changes, webhook messages, tokens and files.
 * Events that were stored before are skipped. Events after a gap are left out, so the returned number requests them
 * again. Null for a bot that is unknown. Nothing is acknowledged before this resolves.
 */
export async function appendEvents(db: Database, batches: readonly JournalBatch[]): Promise<(Stored | null)[]> {
  return db.transaction().execute(async (tx) => {
    // All writes for one bot happen under the lock of its row, so two links of one journal take turns.
    const bots = new Map(
      (await lockBots(tx, [...new Set(batches.map(({ botId }) => botId))])).map((bot) => [bot.id, bot]),
    )
    const now = await nowOf(tx)
    const known = batches.filter(({ botId }) => bots.has(botId))
    const heads = await journalHeads(tx, known)
    const changes = new Map<string, { bot: BotRow; change: BotChange }>()
    const rows: NewEvent[] = []
    const files: { botId: string; attempt: number; artifact: Artifact }[] = []
    const used: ReportedUsage[] = []
    const results = batches.map((batch) => {
      const stored = bots.get(batch.botId)
      if (stored === undefined) return null
      const key = keyOf(batch)
      const head = heads.get(key) ?? 0
      const fresh = consecutive(batch.events, head)
      const entry = changes.get(stored.id) ?? { bot: stored, change: emptyChange() }
      changes.set(stored.id, entry)
      const before = withPatch(stored, entry.change.patch)
      const standing = standingOf(before, batch.attempt)
      const foreignTranscripts: string[] = []
      if (fresh.length === 0) return { lastSeq: head, standing, bot: null, foreignTranscripts }
      const lastSeq = head + fresh.length
      heads.set(key, lastSeq)
      // The content of a deleted bot is not kept, and acknowledged all the same.
      if (stored.data_deleted_at !== null) return { lastSeq, standing, bot: null, foreignTranscripts }
      rows.push(...fresh.map((event) => newEvent(batch, event, now)))
      const { change, artifacts, usage } = fold(before, { ...batch, events: fresh, now })
      files.push(...artifacts.map((artifact) => ({ botId: stored.id, attempt: batch.attempt, artifact })))
      if (usage !== null) used.push({ botId: stored.id, attempt: batch.attempt, journalId: batch.journalId, usage })
      entry.change = joined(entry.change, change)
      return { lastSeq, standing, bot: withPatch(before, change.patch), foreignTranscripts }
    })
    for (const result of results) await removeForeign(tx, result, changes)
    await writeHeads(tx, known, heads)
    // Before the messages that follow: the inbox that it locks keeps live webhooks of the bot from overtaking them.
    await insertEvents(tx, rows)
    await upsertArtifacts(tx, files)
    await upsertUsage(tx, used, { isFinal: true })
    await applyChanges(tx, [...changes.values()])
    await numberEvents(tx, rows)
    return results
  })
}

/** The first report of a transcript counts, so that a bot cannot have the transcript of another team deleted. */
async function removeForeign(
  tx: Tx,
  result: Stored | null,
  changes: Map<string, { change: BotChange }>,
): Promise<void> {
  const bot = result?.bot
  const patch = bot && changes.get(bot.id)!.change.patch
  const ids = patch?.transcription_ids as string[] | undefined
  if (!bot || !ids || ids.length === 0) return
  const foreign = await transcriptsOfOthers(tx, bot.team_id, ids)
  if (foreign.size === 0) return
  result.foreignTranscripts.push(...foreign)
  patch!.transcription_ids = ids.filter((id) => !foreign.has(id))
}

/** The events that follow `head` without a gap; repeats are left out. */
function consecutive(events: readonly NumberedEvent[], head: number): NumberedEvent[] {
  const fresh: NumberedEvent[] = []
  for (const event of events) if (event.seq === head + fresh.length + 1) fresh.push(storable(event))
  return fresh
}

/** The event without characters that PostgreSQL refuses in JSON, which would keep everything behind it from being stored. */
function storable(event: NumberedEvent): NumberedEvent {
  return /\\u(0000|d[89a-f])/i.test(JSON.stringify(event)) ? JSON.parse(jsonText(event)) : event
}

function joined(first: BotChange, second: BotChange): BotChange {
  return {
    patch: { ...first.patch, ...second.patch },
    steps: [...first.steps, ...second.steps],
    messages: [...first.messages, ...second.messages],
    ledger: [...first.ledger, ...second.ledger],
  }
}
