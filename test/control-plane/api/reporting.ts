/** A bot inside of a meeting, whose events are stored as its control link stores them. */
import { randomUUID } from 'node:crypto'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { appendEvents } from '../../../control-plane/bots/actions/append-events.ts'
import type { Database } from '../../../control-plane/store/database.ts'

/** `at`: the time of an event by its number. */
export async function startReporting(
  database: Database,
  botId: string,
  at: (seq: number) => Date = () => new Date(),
): Promise<{ journalId: string; report(...events: NumberedEvent['event'][]): Promise<unknown> }> {
  await database
    .updateTable('bots')
    .set({ phase: 'running', attempt: 1, joined_attempt: 1, status: 'in_call_recording' })
    .where('id', '=', botId)
    .execute()
  const journalId = randomUUID()
  let seq = 0
  const numbered = (event: NumberedEvent['event']): NumberedEvent => {
    seq += 1
    return { type: 'event', seq, bot_id: botId, at: at(seq).toISOString(), event }
  }
  return {
    journalId,
    report: (...events) => appendEvents(database, [{ botId, attempt: 1, journalId, events: events.map(numbered) }]),
  }
}

const letters = (count: number) =>
  Array.from({ length: count }, () => String.fromCharCode(97 + Math.floor(Math.random() * 26))).join('')

/** The link of a new meeting. */
export const freshMeet = () => `https://meet.google.com/${letters(3)}-${letters(4)}-${letters(3)}`

/** A final line of the transcript. */
export const said = (text: string): NumberedEvent['event'] => ({
  ...{ type: 'transcript', text, is_final: true, speaker: { id: 1, name: 'Ada', platform_id: 'p-1' } },
  ...{ start: 1, end: 2, language: 'en' },
})
