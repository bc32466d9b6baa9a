/** Who was present and who spoke, with true times; the evidence for the files about people. */

import type { Person } from '@standin/wire/events.ts'
import { milliseconds } from '@standin/wire/time/written-time.ts'
import type { MeetingEvent, Participant, SpeakerSource } from '../../packages/core/meeting/meeting.ts'
import type { RecordedSpan } from '../../packages/core/recording.ts'
import { offsetAt, recordedParts } from './recording-clock.ts'
import { type SpeechQuality, speechQuality, UNNAMED } from './speech-quality.ts'
import { SpeechTurns } from './speech-turns.ts'

interface Presence {
  person: Person
  /** UTC milliseconds; a person may come back. */
  visits: { joinedAt: number; leftAt: number | null }[]
}

/** One line of `diarization.jsonl`; times in seconds of the recording, pauses removed. */
export interface DiarizationSegment {
  speaker: string
  start_time: number
  end_time: number
  user_id: number
  source: SpeakerSource
  confidence: number
  start_utc: string
}

export class Timeline {
  readonly #presence = new Map<string, Presence>()
  readonly #turns = new SpeechTurns()
  /** When the recording was not silent, UTC milliseconds. */
  readonly #sounds: { startedAt: number; endedAt: number | null }[] = []
  readonly #spans: () => readonly RecordedSpan[]

  /** `spans` are the recorded stretches so far; offsets are counted from them. */
  constructor(spans: () => readonly RecordedSpan[]) {
    this.#spans = spans
  }

  /** Seconds of the recording at a UTC instant; null if it was not recorded. */
  offset(at: number): number | null {
    return offsetAt(this.#spans(), at)
  }

  /** The person with a platform's id. A participant who speaks before the roster names them is `Unknown` until then. */
  person(platformId: string): Person {
    return this.#presenceOf({ id: platformId, name: UNNAMED }).person
  }

  onEvent(event: MeetingEvent): void {
    switch (event.type) {
      case 'participant_joined': {
        const presence = this.#presenceOf(event.participant)
        this.#rename(presence, event.participant)
        if (presence.visits.at(-1)?.leftAt !== null) presence.visits.push({ joinedAt: event.at, leftAt: null })
        break
      }
      case 'participant_changed':
        this.#rename(this.#presenceOf(event.participant), event.participant)
        break
      case 'participant_left': {
        endVisit(this.#presence.get(event.participantId), event.at)
        this.#turns.stop(event.participantId, event.at)
        break
      }
      case 'speaking':
        this.person(event.participantId)
        this.#turns.onSpeaking(event)
        break
    }
  }

  /** The recorded sound became audible, or silent. */
  onSound(isAudible: boolean, at: number): void {
    const last = this.#sounds.at(-1)
    const isOpen = last?.endedAt === null
    if (isAudible && !isOpen) this.#sounds.push({ startedAt: at, endedAt: null })
    else if (!isAudible && isOpen) last.endedAt = at
  }

  /** Null for a participant whom the roster never named. */
  known(platformId: string | null): Person | null {
    return (platformId !== null && this.#presence.get(platformId)?.person) || null
  }

  /** Ends all open visits when the bot left, and speech and sound when the recording ended, which may be earlier. */
  close(leftAt: number, recordedTo = leftAt): void {
    for (const presence of this.#presence.values()) endVisit(presence, leftAt)
    this.#turns.close(recordedTo)
    this.onSound(false, recordedTo)
  }

  participants(): Person[] {
    return [...this.#presence.values()].map((presence) => presence.person)
  }

  speakers(): Person[] {
    const ids = new Set(this.#turns.all().map((turn) => turn.platformId))
    return this.participants().filter((person) => ids.has(person.platform_id))
  }

  diarization(): DiarizationSegment[] {
    const spans = this.#spans()
    return this.#turns
      .all()
      .flatMap((turn) =>
        recordedParts(spans, turn.startedAt, turn.endedAt ?? Number.POSITIVE_INFINITY).map((part) => {
          const person = this.person(turn.platformId)
          return {
            speaker: person.name,
            start_time: milliseconds(part.start),
            end_time: milliseconds(part.end),
            user_id: person.id,
            source: turn.source,
            confidence: turn.confidence,
            start_utc: new Date(part.startedAt).toISOString(),
          }
        }),
      )
      .sort((a, b) => a.start_time - b.start_time)
  }

  /** To be asked when the recording is over. */
  speechQuality(): SpeechQuality {
    const spans = this.#spans()
    const audible = this.#sounds.flatMap(({ startedAt, endedAt }) =>
      recordedParts(spans, startedAt, endedAt ?? Number.POSITIVE_INFINITY),
    )
    return speechQuality(this.diarization(), audible)
  }

  participantsFile() {
    const spokenSeconds = new Map<number, number>()
    for (const segment of this.diarization())
      spokenSeconds.set(
        segment.user_id,
        (spokenSeconds.get(segment.user_id) ?? 0) + segment.end_time - segment.start_time,
      )
    return [...this.#presence.values()].map(({ person, visits }) => ({
      ...person,
      visits: visits.map((visit) => ({
        joined_at: new Date(visit.joinedAt).toISOString(),
        left_at: visit.leftAt === null ? null : new Date(visit.leftAt).toISOString(),
        joined_offset: this.offset(visit.joinedAt),
        left_offset: visit.leftAt === null ? null : this.offset(visit.leftAt),
      })),
      speaking_seconds: milliseconds(spokenSeconds.get(person.id) ?? 0),
    }))
  }

  #presenceOf(participant: Participant): Presence {
    const known = this.#presence.get(participant.id)
    if (known) return known
    const person: Person = { id: this.#presence.size + 1, name: participant.name, platform_id: participant.id }
    if (participant.isHost !== undefined) person.is_host = participant.isHost
    const presence: Presence = { person, visits: [] }
    this.#presence.set(participant.id, presence)
    return presence
  }

  #rename(presence: Presence, participant: Participant): void {
    presence.person.name = participant.name
    if (participant.isHost !== undefined) presence.person.is_host = participant.isHost
  }
}

/** An end that is known only roughly may be before the visit began. */
function endVisit(presence: Presence | undefined, at: number): void {
  const visit = presence?.visits.at(-1)
  if (visit?.leftAt === null) visit.leftAt = Math.max(visit.joinedAt, at)
}
