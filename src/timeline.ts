/** Who was present, who spoke and what was written, with true times; the evidence for the files about people. */
import type { ChatMessage, MeetingEvent, Participant, SpeakerSource } from './meeting.ts'
import type { RecordedSpan } from './ports.ts'
import { offsetAt, recordedParts } from './recording-clock.ts'
import type { Person } from './wire/events.ts'

/** Two turns of one person closer than this are one turn: a breath, not an end. */
const JOIN_TURNS_MS = 300

interface Presence {
  person: Person
  /** UTC milliseconds; a person may come back. */
  visits: { joinedAt: number; leftAt: number | null }[]
}

interface Turn {
  platformId: string
  startedAt: number
  endedAt: number | null
  source: SpeakerSource
  confidence: number
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
  readonly #turns: Turn[] = []
  readonly #chat: { message: ChatMessage; senderId: number | null }[] = []
  readonly #chatIds = new Set<string>()
  readonly #spans: () => readonly RecordedSpan[]

  /** `spans` are the recorded stretches so far; offsets are counted from them. */
  constructor(spans: () => readonly RecordedSpan[]) {
    this.#spans = spans
  }

  /** Seconds of the recording at a UTC instant; null where it was not recorded. */
  offset(at: number): number | null {
    return offsetAt(this.#spans(), at)
  }

  /** The person behind a platform's id. Somebody who speaks before the roster names them is `Unknown` until it does. */
  person(platformId: string): Person {
    return this.#presenceOf({ id: platformId, name: 'Unknown' }).person
  }

  take(event: MeetingEvent): void {
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
        const visit = this.#presence.get(event.participantId)?.visits.at(-1)
        if (visit?.leftAt === null) visit.leftAt = event.at
        this.#stopTurn(event.participantId, event.at)
        break
      }
      case 'speaking':
        if (event.isSpeaking) this.#startTurn(event)
        else this.#stopTurn(event.participantId, event.at)
        break
    }
  }

  /** False for a message that is known already. */
  takeChat(message: ChatMessage): boolean {
    if (this.#chatIds.has(message.id)) return false
    this.#chatIds.add(message.id)
    this.#chat.push({ message, senderId: this.senderId(message) })
    return true
  }

  /** Null for the bot's own messages (as the specification says) and for senders the roster never named. */
  senderId(message: ChatMessage): number | null {
    if (message.isOwn || message.senderId === null) return null
    return this.#presence.get(message.senderId)?.person.id ?? null
  }

  /** Ends whatever is still open, at the time the bot left. */
  close(at: number): void {
    for (const presence of this.#presence.values()) {
      const visit = presence.visits.at(-1)
      if (visit?.leftAt === null) visit.leftAt = at
    }
    for (const turn of this.#turns) turn.endedAt ??= at
  }

  participants(): Person[] {
    return [...this.#presence.values()].map((presence) => presence.person)
  }

  speakers(): Person[] {
    const ids = new Set(this.#turns.map((turn) => turn.platformId))
    return this.participants().filter((person) => ids.has(person.platform_id))
  }

  diarization(): DiarizationSegment[] {
    const spans = this.#spans()
    return this.#turns
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

  chatFile() {
    return [...this.#chat]
      .sort((a, b) => a.message.at - b.message.at)
      .map(({ message, senderId }) => ({
        message_id: message.id,
        sender_name: message.senderName,
        sender_id: senderId,
        text: message.text,
        timestamp: new Date(message.at).toISOString(),
        is_own: message.isOwn,
        offset: this.offset(message.at),
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

  #startTurn(event: Extract<MeetingEvent, { type: 'speaking' }>): void {
    this.person(event.participantId)
    const last = this.#turns.findLast((turn) => turn.platformId === event.participantId)
    if (last?.endedAt === null) return
    if (last && event.at - (last.endedAt ?? 0) < JOIN_TURNS_MS) {
      last.endedAt = null
      return
    }
    this.#turns.push({
      platformId: event.participantId,
      startedAt: event.at,
      endedAt: null,
      source: event.source,
      confidence: event.confidence,
    })
  }

  #stopTurn(platformId: string, at: number): void {
    const turn = this.#turns.findLast((candidate) => candidate.platformId === platformId)
    if (turn?.endedAt === null) turn.endedAt = Math.max(at, turn.startedAt)
  }
}

function milliseconds(seconds: number): number {
  return Math.round(seconds * 1000) / 1000
}
