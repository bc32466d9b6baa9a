/** Undoes a start in order, within bounds. */
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { Log } from '../../platform/ports.ts'

/** Of one step. All work ends at once, so two such times stay within the grace of the process in practice. */
const STEP_PATIENCE_MS = 8_000

interface Step {
  name: string
  close: () => Promise<unknown>
}

/** A step that fails or hangs is logged, and does not keep the others from running. */
export class Closing {
  private readonly works: Step[] = []
  private readonly supplies: Step[] = []
  private readonly log: Log
  private readonly patienceMs: number
  private ran: Promise<void> | null = null

  constructor(log: Log, patienceMs = STEP_PATIENCE_MS) {
    this.log = log
    this.patienceMs = patienceMs
  }

  /** Parts that do the service's work, such as a server or a loop: all of them are ended first, at the same time. */
  addWork(name: string, close: Step['close']): void {
    this.works.push({ name, close })
  }

  /** Resources of that work, such as a pool of connections: ended afterwards, one after the other, the last one first. */
  add(name: string, close: Step['close']): void {
    this.supplies.push({ name, close })
  }

  /** Repeatable; never rejects. */
  run(): Promise<void> {
    this.ran ??= this.runAll()
    return this.ran
  }

  private async runAll(): Promise<void> {
    await Promise.all(this.works.map((step) => this.end(step)))
    for (const step of this.supplies.reverse()) await this.end(step)
  }

  private async end({ name, close }: Step): Promise<void> {
    try {
      await within(systemClock, this.patienceMs, close(), () => new Error('it took too long'))
    } catch (error) {
      this.log.warn({ step: name, error: String(error) }, 'A step of closing failed')
    }
  }
}
