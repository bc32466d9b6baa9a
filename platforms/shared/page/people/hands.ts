/** Detects raised hands, from marks on the page and from its notices. Pure. */
import type { PageEvent } from '../types.ts'

/** Pages render themselves again; a mark that is missing in one poll only is not gone. */
const LOOKS_WITHOUT_MARK = 3

interface Hand {
  name: string
  /** The page itself shows the mark, so its absence is a sign too. */
  isMarked: boolean
  looksWithout: number
}

export interface Raiser {
  id: string
  name: string
}

export class Hands {
  readonly #emit: (event: PageEvent) => void
  readonly #up = new Map<string, Hand>()

  constructor(emit: (event: PageEvent) => void) {
    this.#emit = emit
  }

  /** One poll of the place where this person's mark would be. */
  update(person: Raiser, hasMark: boolean, at: number): void {
    const hand = this.#up.get(person.id)
    if (hasMark) {
      if (hand) Object.assign(hand, { isMarked: true, looksWithout: 0 })
      else this.#raise(person, true, at)
    } else if (hand?.isMarked && ++hand.looksWithout >= LOOKS_WITHOUT_MARK) this.set(person, false, at)
  }

  /** The platform reports the hand itself. */
  set(person: Raiser, isRaised: boolean, at: number): void {
    if (isRaised === this.#up.has(person.id)) return
    if (isRaised) {
      this.#raise(person, false, at)
      return
    }
    this.#up.delete(person.id)
    this.#emit({ type: 'hand_raised', participantId: person.id, name: person.name, isRaised: false, at })
  }

  /** A person who leaves has no raised hand any more. */
  forget(id: string): void {
    this.#up.delete(id)
  }

  #raise({ id, name }: Raiser, isMarked: boolean, at: number): void {
    this.#up.set(id, { name, isMarked, looksWithout: 0 })
    this.#emit({ type: 'hand_raised', participantId: id, name, isRaised: true, at })
  }
}
