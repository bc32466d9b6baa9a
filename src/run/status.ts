import type { Status } from '@standin/wire/codes.ts'
import type { BotEvent } from '@standin/wire/events.ts'
import type { UsagePhase } from '@standin/wire/usage.ts'
import type { ControlPlane, UsageMeter } from '../../packages/core/ports.ts'
import { LEGAL_MOVES, type State } from './states.ts'

type Details = Omit<Extract<BotEvent, { type: 'status_change' }>, 'type' | 'status'>

/** The phase of each status. It stays while another browser rejoins. The end begins a phase before its status. */
const PHASES: Readonly<Partial<Record<Status, UsagePhase>>> = {
  joining_call: 'joining',
  in_waiting_room: 'waiting_room',
  in_call_not_recording: 'in_call',
  in_call_recording: 'recording',
  recording_paused: 'paused',
  recording_resumed: 'recording',
}

/** The bot's state; moves only along the table, and every move is reported. */
export class StatusReport {
  #state: State = 'created'
  readonly #control: Pick<ControlPlane, 'report'>
  readonly #usage: Pick<UsageMeter, 'enter'>

  constructor(control: Pick<ControlPlane, 'report'>, usage: Pick<UsageMeter, 'enter'>) {
    this.#control = control
    this.#usage = usage
  }

  get state(): State {
    return this.#state
  }

  /** Entering the state one is in already is no move. Throws on a move that the table does not have: a defect. */
  enter(status: Status, details: Details = {}): void {
    if (status === this.#state) return
    if (!LEGAL_MOVES[this.#state].includes(status)) throw new Error(`No move leads from ${this.#state} to ${status}`)
    this.#state = status
    const phase = PHASES[status]
    if (phase !== undefined) this.#usage.enter(phase)
    this.#control.report({ type: 'status_change', status, ...details })
  }
}
