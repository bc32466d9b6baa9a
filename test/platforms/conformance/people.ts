/** The participants of the suite's meetings, and the events that report them. */

import type { ChatMessage, MeetingEvent, Participant } from '../../../packages/core/meeting/meeting.ts'
import type { MockMeeting, MockPerson } from '../../../packages/mock/types.ts'
import { until } from './ground.ts'

/** Looks come in the order in which people are named. */
export const PEOPLE: MockPerson[] = [
  { id: 'ann', name: 'Ann Host', isHost: true, camera: true },
  { id: 'ben', name: 'Ben <b>Bold</b> & "Sons"', camera: true },
  { id: 'cleo', name: 'Cléo Ñandú', camera: true },
]

/** States of a page that has left, or that never became one: on its way through the platform's redirects. */
export const OUT = ['left', 'closed', 'none', 'redirecting']

/** Resolves once the page has left. */
export const whenOut = (meeting: MockMeeting): Promise<void> =>
  until(
    () => OUT.includes(meeting.state),
    () => `the page is left; it is in ${meeting.state}`,
  )

/** Who is there now, as told, in the order of coming. */
export function peopleOf(events: readonly MeetingEvent[]): Participant[] {
  const present = new Map<string, Participant>()
  for (const event of events) {
    if (event.type === 'participant_joined' || event.type === 'participant_changed')
      present.set(event.participant.id, event.participant)
    if (event.type === 'participant_left') present.delete(event.participantId)
  }
  return [...present.values()]
}

export function turnsOf(
  events: readonly MeetingEvent[],
  id: string | undefined,
): { from: number; to: number | null }[] {
  const turns: { from: number; to: number | null }[] = []
  for (const event of events) {
    if (event.type !== 'speaking' || event.participantId !== id) continue
    if (event.isSpeaking) turns.push({ from: event.at, to: null })
    else if (turns.length > 0) turns.at(-1)!.to = event.at
  }
  return turns
}

export function heard(events: readonly MeetingEvent[]): ChatMessage[] {
  return events.flatMap((event) => (event.type === 'chat_message' ? [event.message] : []))
}

/** The chat messages of the bot, as they arrived in the meeting. */
export function chatOf(meeting: MockMeeting): string[] {
  return meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)
}

/** Sound and speech go at natural speed. */
export function seconds(count: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, count * 1000))
}
