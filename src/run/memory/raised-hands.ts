/** Remembers raised hands across documents that each report them again. Pure. */
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'

type Hand = Extract<MeetingEvent, { type: 'hand_raised' }>

export class RaisedHands {
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
