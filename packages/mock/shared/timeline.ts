/** Runs the steps of a scenario. Their times count from when the page enters a state. */
import type { Step } from './scenario.ts'
import { Timers } from './timers.ts'

interface TimelineOptions {
  speed: number
  /** As in the options of a meeting. */
  hostReady?: Promise<unknown> | undefined
}

export class Timeline {
  private readonly steps: readonly Step[]
  private readonly run: (step: Step) => void
  private readonly hostReady: Promise<unknown> | undefined
  private readonly timers: Timers
  /** States whose steps are under way in this visit. */
  private readonly begun = new Set<string>()

  constructor(steps: readonly Step[], run: (step: Step) => void, { speed, hostReady }: TimelineOptions) {
    this.steps = steps
    this.hostReady = hostReady
    this.run = run
    this.timers = new Timers(speed)
  }

  /** Starts the timers of the state's steps. Timers run until the visit is over, and each step runs once. */
  enter(state: string): void {
    if (this.begun.has(state)) return
    this.begun.add(state)
    for (const step of this.steps) {
      if (step.in === state) this.timers.after(step.afterMs, () => void this.due(step))
    }
  }

  private async due(step: Step): Promise<void> {
    if (step.do === 'admit' || step.in === 'lobby') await this.hostReady
    if (this.begun.has(step.in)) this.run(step)
  }

  /** A visit is over, or another one begins. */
  forget(): void {
    this.timers.clear()
    this.begun.clear()
  }
}
