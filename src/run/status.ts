import type { Status } from '@standin/wire/codes.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import type { ControlPlane } from '../../core/ports.ts'
import { LEGAL_MOVES, type State } from './states.ts'

type Details = Omit<Extract<BotEvent, { type: 'status_change' }>, 'type' | 'status'>

/** The bot's state; moves only along the table, and every move is reported. */
export class StatusReport {
  #state: State = 'created'
  readonly #control: Pick<ControlPlane, 'report'>

  constructor(control: Pick<ControlPlane, 'report'>) {
    this.#control = control
  }

  get state(): State {
    return this.#state
  }

  /** Entering the state one is in already is no move. Throws on a move that the table does not have: a defect. */
  enter(status: Status, details: Details = {}): void {
    if (status === this.#state) return
    if (!LEGAL_MOVES[this.#state].includes(status)) throw new Error(`No move leads from ${this.#state} to ${status}`)
    this.#state = status
    this.#control.report({ type: 'status_change', status, ...details })
  }
}
