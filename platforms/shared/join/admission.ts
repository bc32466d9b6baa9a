/**
 * Decides whether the bot is in. Pure: snapshots go in with their time, and only proof that lasts counts as admission.
 */
import type { PagePhase } from '../page-state.ts'
import type { Waits } from '../waits.ts'

export type Verdict = 'admitted' | 'waiting' | 'undecided'

export type Holds = Pick<Waits, 'holdAfterLobbyMs' | 'holdWithoutLobbyMs' | 'holdWithRosterMs'>

export class AdmissionJudge {
  readonly #holds: Holds
  #sawLobby = false
  #provenSince: number | null = null

  constructor(holds: Holds) {
    this.#holds = holds
  }

  /** UTC milliseconds of the first poll of the present unbroken run of proofs. */
  get provenSince(): number | null {
    return this.#provenSince
  }

  get sawLobby(): boolean {
    return this.#sawLobby
  }

  /** Any sign of the waiting room, and any sign that is no proof, restarts the wait. */
  observe(phase: PagePhase, isCorroborated: boolean, at: number): Verdict {
    if (phase === 'waiting') {
      this.#sawLobby = true
      this.#provenSince = null
      return 'waiting'
    }
    if (phase !== 'in_call') {
      this.#provenSince = null
      return 'undecided'
    }
    this.#provenSince ??= at
    const usual = this.#sawLobby ? this.#holds.holdAfterLobbyMs : this.#holds.holdWithoutLobbyMs
    // Where two independent signs agree, only a late dialog could still appear.
    const hold = isCorroborated ? Math.min(usual, this.#holds.holdWithRosterMs) : usual
    return at - this.#provenSince >= hold ? 'admitted' : 'undecided'
  }
}
