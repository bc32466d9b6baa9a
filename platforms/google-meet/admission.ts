/** Whether the bot is in. Pure: looks go in with their time, and only proof that holds comes out as admission. */
import type { Situation } from './situation.ts'
import type { Waits } from './waits.ts'

export type Verdict = 'admitted' | 'waiting' | 'undecided'

export type Holds = Pick<Waits, 'holdAfterLobbyMs' | 'holdWithoutLobbyMs' | 'holdWithRosterMs'>

export class AdmissionJudge {
  readonly #holds: Holds
  #sawLobby = false
  #provenSince: number | null = null

  constructor(holds: Holds) {
    this.#holds = holds
  }

  get sawLobby(): boolean {
    return this.#sawLobby
  }

  /** Any sign of the waiting room, and anything that is no proof, begins the wait anew. */
  observe({ kind, proofs }: Situation, at: number): Verdict {
    if (kind === 'lobby' || kind === 'waiting_for_host') {
      this.#sawLobby = true
      this.#provenSince = null
      return 'waiting'
    }
    if (kind !== 'in_call') {
      this.#provenSince = null
      return 'undecided'
    }
    this.#provenSince ??= at
    const agrees = proofs.includes('roster') && proofs.length > 1
    const usual = this.#sawLobby ? this.#holds.holdAfterLobbyMs : this.#holds.holdWithoutLobbyMs
    // The roster is another witness than the picture; where both agree nothing is left to wait for but a late dialog.
    const hold = agrees ? Math.min(usual, this.#holds.holdWithRosterMs) : usual
    return at - this.#provenSince >= hold ? 'admitted' : 'undecided'
  }
}
