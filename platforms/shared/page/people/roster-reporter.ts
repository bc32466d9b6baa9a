/**
 * Turns states of the roster into events. Pure: states go in with their time, and changes come out. The platform's own
 * roster decides who is there; this one only compares.
 */
import type { PageEvent, PageParticipant } from '../types.ts'

/**
 * Without a mark of the bot itself, people are reported after this time all the same; names equal to ours are held
 * back. Milliseconds.
 */
const SELF_UNKNOWN_MS = 8000

interface Present {
  /** Others in the meeting, in the order in which they came. */
  people: readonly PageParticipant[]
  /** Whether the bot itself is known, so that it is surely not among the people. */
  selfIsKnown: boolean
  /** Participants who share a screen. */
  sharing: Iterable<string>
}

export type RosterReporter = ReturnType<typeof createRosterReporter>

export function createRosterReporter(botName: string, emit: (event: PageEvent) => void) {
  const reported = new Map<string, PageParticipant>()
  const reportedSharing = new Set<string>()
  let begunAt: number | null = null

  return {
    /** From now on the roster is reported. */
    begin(at: number): void {
      begunAt ??= at
    },
    update({ people, selfIsKnown, sharing }: Present, at: number): void {
      if (begunAt === null) return
      if (!selfIsKnown && at - begunAt < SELF_UNKNOWN_MS) return
      const present = people.filter(({ name }) => selfIsKnown || name !== botName)
      const ids = new Set(present.map(({ id }) => id))
      for (const id of [...reported.keys()].filter((known) => !ids.has(known))) {
        reported.delete(id)
        emit({ type: 'participant_left', participantId: id, at })
      }
      for (const participant of present) {
        const before = reported.get(participant.id)
        if (before && before.name === participant.name && before.isHost === participant.isHost) continue
        reported.set(participant.id, { ...participant })
        const type = before ? 'participant_changed' : 'participant_joined'
        emit({ type, participant: { ...participant }, at })
      }
      const now = new Set(sharing)
      for (const id of [...reportedSharing].filter((known) => !now.has(known))) {
        reportedSharing.delete(id)
        emit({ type: 'screen_share', participantId: id, isSharing: false, at })
      }
      for (const id of now) {
        if (reportedSharing.has(id)) continue
        reportedSharing.add(id)
        emit({ type: 'screen_share', participantId: id, isSharing: true, at })
      }
    },
  }
}
