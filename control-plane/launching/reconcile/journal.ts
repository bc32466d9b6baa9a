/** Events that a bot journaled and could not send: read from its files and stored as if they had been sent. */
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isEventSize, type NumberedEvent, parseMessage } from '@standin/wire/events.ts'
import { appendEvents } from '../../bots/actions/append-events.ts'
import { attemptFolder } from '../../bots/file-keys.ts'
import { readEvent } from '../../bots/journaled-event.ts'
import type { FileStore } from '../../platform/ports.ts'
import { journalOfAttempt } from '../../store/bots/events.ts'
import type { Database } from '../../store/database.ts'

/** Longer than the journal of any meeting: hours of lively talk make about 20 MB. */
const MAX_JOURNAL_BYTES = 256 * 1024 * 1024
const EVENTS_AT_ONCE = 500
const JOURNAL = 'events.jsonl'
/** The worker's log (`src/run/artifacts.ts`). */
export const LOG_NAME = 'standin.log'
const LINK_STATE = '.control-link.json'

export interface AttemptFiles {
  botId: string
  attempt: number
  /** The bot's work folder on this machine; null if it cannot be reached. */
  workFolder: string | null
}

/**
 * Stores what is missing of the attempt's events. Resolves with how many were read; 0 if there is no journal. The
 * events of a bot that still runs are stored only under the journal id that it will use itself when it reports again.
 */
export async function ingestJournal(
  db: Database,
  files: FileStore,
  place: AttemptFiles,
  { isOver }: { isOver: boolean },
): Promise<number> {
  const { botId, attempt } = place
  const text = await readOf(files, place, JOURNAL)
  if (text === null) return 0
  const events = eventsOf(text, botId)
  const known = (await journalOfAttempt(db, botId, attempt)) ?? (await writtenId(files, place))
  if (known === null && !isOver) return 0
  const journalId = known ?? madeUpId(place)
  for (let from = 0; from < events.length; from += EVENTS_AT_ONCE) {
    const batch = { botId, attempt, journalId, events: events.slice(from, from + EVENTS_AT_ONCE) }
    await appendEvents(db, [batch])
  }
  return events.length
}

/** The events from the first on, up to a line that is cut off, too large or wrong. */
export function eventsOf(text: string, botId: string): NumberedEvent[] {
  const events: NumberedEvent[] = []
  for (const line of text.split('\n')) {
    const event = isEventSize(Buffer.byteLength(line)) ? readEvent(parseMessage(line)) : null
    if (event === null || event.bot_id !== botId || event.seq !== events.length + 1) break
    events.push(event)
  }
  return events
}

/** The id under which the bot counts its events, as it wrote it down. */
async function writtenId(files: FileStore, place: AttemptFiles): Promise<string | null> {
  const text = await readOf(files, place, LINK_STATE)
  const [, id] = /"journal_id":\s*"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"/.exec(text ?? '') ?? []
  return id ?? null
}

/** Makes an id for a journal whose own id is lost: the same each time. */
function madeUpId({ botId, attempt }: AttemptFiles): string {
  const hex = createHash('sha256').update(`${botId} ${attempt}`).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** The text of a file that the attempt stored, else of one in its work folder; null without either. */
export async function readOf(files: FileStore, place: AttemptFiles, name: string): Promise<string | null> {
  const { botId, attempt, workFolder } = place
  const stored = await files.read(attemptFolder(botId, attempt) + name, MAX_JOURNAL_BYTES)
  if (stored !== null) return Buffer.from(stored).toString('utf8')
  if (workFolder === null) return null
  const file = join(workFolder, botId, name)
  const facts = await stat(file).catch(() => null)
  return facts?.isFile() && facts.size <= MAX_JOURNAL_BYTES ? readFile(file, 'utf8') : null
}
