/**
 * Remembers what was reported about a meeting while its page is reloaded or its browser replaced. The new document
 * lists every participant again, perhaps with other ids; no join, leave or speech is reported twice for that.
 */
import type { MeetingEvent, Participant } from '../../../packages/core/meeting/meeting.ts'
import { ChatMemory } from './chat-memory.ts'

/** People of the old document whom the new one does not list in this time have left. */
const REPEAT_MS = 10_000

type Speaking = Extract<MeetingEvent, { type: 'speaking' }>

export class MeetingMemory {
  readonly #people = new Map<string, Participant>()
  /** Of them, those whom the current document has not listed yet. */
  readonly #unconfirmed = new Set<string>()
  /** Ids of this document for people who were reported under another one. */
  readonly #aliases = new Map<string, string>()
  readonly #turns = new Map<string, Speaking>()
  readonly #sharing = new Set<string | null>()
  readonly #chat = new ChatMemory()
  readonly #hands = new RaisedHands()
  #hasReportedUnread = false
  #renewedAt = 0
  readonly #now: () => number

  /** `now`: UTC milliseconds. */
  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A participant was reported under this id and has not left. */
  knows(id: string): boolean {
    return this.#people.has(id)
  }

  /** A document or browser took the place of another at `at`; open turns ended at `lastAt`, when the old one was last seen. */
  renew(lastAt: number, at: number): MeetingEvent[] {
    this.#renewedAt = at
    this.#aliases.clear()
    this.#chat.renew()
    this.#hands.renew()
    for (const id of this.#people.keys()) this.#unconfirmed.add(id)
    const ended = [...this.#turns.values()].map((turn) => ({ ...turn, isSpeaking: false, at: lastAt }))
    const unshared = [...this.#sharing].map((participantId) => ({
      type: 'screen_share' as const,
      participantId,
      isSharing: false,
      at: lastAt,
    }))
    this.#turns.clear()
    this.#sharing.clear()
    return [...ended, ...unshared]
  }

  /** Events that were not reported before, with the ids under which people were first reported. */
  remember(events: readonly MeetingEvent[]): MeetingEvent[] {
    return events.flatMap((event) => this.#remember(event))
  }

  /** Those whom the new document did not name in its time, once it says who is there (`others` is known). */
  settle(others: number | null, at: number): MeetingEvent[] {
    if (others === null || at - this.#renewedAt < REPEAT_MS) return []
    const lowered = this.#hands.settle(at)
    const gone = [...this.#unconfirmed]
    this.#unconfirmed.clear()
    for (const id of gone) this.#people.delete(id)
    return [...lowered, ...gone.map((participantId) => ({ type: 'participant_left' as const, participantId, at }))]
  }

  #remember(event: MeetingEvent): MeetingEvent[] {
    switch (event.type) {
      case 'participant_joined':
      case 'participant_changed':
        return this.#takePerson({ ...event.participant, id: this.#known(event.participant) }, event.at)
      case 'participant_left': {
        const participantId = this.idOf(event.participantId)
        this.#unconfirmed.delete(participantId)
        this.#hands.forget(participantId)
        return this.#people.delete(participantId) ? [{ ...event, participantId }] : []
      }
      case 'camera':
      case 'voice':
        return [{ ...event, participantId: this.idOf(event.participantId) }]
      case 'speaking': {
        const turn = { ...event, participantId: this.idOf(event.participantId) }
        if (turn.isSpeaking) this.#turns.set(turn.participantId, turn)
        else this.#turns.delete(turn.participantId)
        return [turn]
      }
      case 'screen_share': {
        const participantId = event.participantId === null ? null : this.idOf(event.participantId)
        if (event.isSharing) this.#sharing.add(participantId)
        else this.#sharing.delete(participantId)
        return [{ ...event, participantId }]
      }
      case 'chat_message': {
        const { message } = event
        return this.#chat.remember({ ...message, senderId: this.#someone(message.senderId) }, this.#now())
      }
      case 'caption':
        return [{ ...event, participantId: this.#someone(event.participantId) }]
      case 'chat_message_changed':
        return [{ ...event, messageId: this.#chat.changed(event.messageId, event.content) }]
      case 'reaction':
        return [{ ...event, participantId: this.#someone(event.participantId) }]
      case 'hand_raised':
        return this.#hands.update({ ...event, participantId: this.#someone(event.participantId) })
      case 'new_document':
        return this.renew(event.lastAt, event.at)
      case 'unread_messages': {
        const isKnown = this.#hasReportedUnread
        this.#hasReportedUnread = true
        return isKnown ? [] : [event]
      }
      // Other events have no participant id and need no memory.
      default:
        return [event]
    }
  }

  #takePerson(participant: Participant, at: number): MeetingEvent[] {
    const before = this.#people.get(participant.id)
    this.#unconfirmed.delete(participant.id)
    this.#people.set(participant.id, participant)
    if (!before) return [{ type: 'participant_joined', participant, at }]
    if (before.name === participant.name && before.isHost === participant.isHost) return []
    return [{ type: 'participant_changed', participant, at }]
  }

  /**
   * The id under which this person was reported; a new document may use another one for the only person of that name.
   */
  #known({ id, name }: Participant): string {
    const known = this.idOf(id)
    if (this.#people.has(known)) return known
    const namesakes = [...this.#unconfirmed].filter((other) => this.#people.get(other)?.name === name)
    if (namesakes.length !== 1) return id
    this.#aliases.set(id, namesakes[0]!)
    return namesakes[0]!
  }

  #someone(id: string | null): string | null {
    return id === null ? null : this.idOf(id)
  }

  /** The id under which a participant was first reported, even if later documents use another one. */
  idOf(id: string): string {
    return this.#aliases.get(id) ?? id
  }
}

/** Remembers raised hands across documents that each report them again. Pure. */
type Hand = Extract<MeetingEvent, { type: 'hand_raised' }>

class RaisedHands {
  readonly #up = new Map<string, Hand>()
  /** Raised in an earlier document, and not yet reported by this one. */
  #earlier = new Map<string, Hand>()

  /** No event where it was reported already. */
  update(event: Hand): MeetingEvent[] {
    const who = event.participantId ?? event.name
    const wasUp = this.#up.has(who) || this.#earlier.has(who)
    this.#earlier.delete(who)
    if (event.isRaised) this.#up.set(who, event)
    else this.#up.delete(who)
    return event.isRaised === wasUp ? [] : [event]
  }

  /** Who leaves takes the hand along. */
  forget(participantId: string): void {
    this.#up.delete(participantId)
    this.#earlier.delete(participantId)
  }

  renew(): void {
    this.#earlier = new Map([...this.#earlier, ...this.#up])
    this.#up.clear()
  }

  /** Hands that the new document did not show in its time are down. */
  settle(at: number): MeetingEvent[] {
    const lowered = [...this.#earlier.values()].map((hand) => ({ ...hand, isRaised: false, at }))
    this.#earlier.clear()
    return lowered
  }
}
