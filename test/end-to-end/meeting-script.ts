/** Who is in the meetings of these tests, and what they do. */
import type { MockMeeting, MockPerson } from '../../packages/mock/types.ts'
import type { BotProcess } from './bot-process.ts'

export const FOUR_PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'ben', name: 'Ben <b>Bold</b>', camera: true },
  { id: 'cleo', name: 'Cléo Ñandú', camera: true },
  { id: 'dan', name: 'Dan', camera: false },
]
/** For a recording at whose pictures no test looks. */
export const WITHOUT_CAMERAS = FOUR_PEOPLE.map((person) => ({ ...person, camera: false }))
const PATIENCE_MS = 60_000

/** The mock gives looks in the order people are named. */
export const LOOK: Record<string, number> = { ann: 0, ben: 1, cleo: 2, dan: 3 }

/** A person speaks from now on; to a page that hears the meeting, however long the machine takes to connect it. */
export async function startSpeaking(meeting: MockMeeting, id: string): Promise<void> {
  const patienceUntil = Date.now() + PATIENCE_MS
  while (!meeting.bot.isConnected) {
    if (Date.now() > patienceUntil) throw new Error('The page never heard the meeting')
    await passes(0.1)
  }
  meeting.startSpeaking(id)
}

/** One person speaks for a while; resolves when the voice has ended. */
export async function speak(meeting: MockMeeting, id: string, seconds: number): Promise<void> {
  await startSpeaking(meeting, id)
  await passes(seconds)
  meeting.stopSpeaking(id)
}

/** Time in a meeting is natural time: sound and picture cannot be sped up. */
export function passes(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000))
}

export interface Turn {
  id: string
  name: string
  /** Seconds of the recording, by the script's truth. */
  start: number
  end: number
}

/** When the recording began, Unix milliseconds. */
export function startOf(bot: BotProcess): number {
  for (const { event } of bot.events)
    if (event.type === 'status_change' && event.start_time !== undefined) return event.start_time * 1000
  throw new Error('nothing was recorded')
}

/** Who truly spoke when, on the recording's clock. */
export function truthOf(meeting: MockMeeting, bot: BotProcess): Turn[] {
  const startedAt = startOf(bot)
  return meeting.truth.turns.map(({ personId, name, startedAt: from, endedAt }) => ({
    id: personId,
    name,
    start: (from - startedAt) / 1000,
    end: ((endedAt ?? Date.now()) - startedAt) / 1000,
  }))
}
