interface Waiting {
  dueAt: number
  timer: NodeJS.Timeout
  action: () => void
}

/**
 * Timers that belong to a part of a visit and end with it. Callbacks run in the order of their due times. Node does not
 * promise this: after a process stalled, its timers run in the order of their lengths.
 */
export class Timers {
  private readonly waiting = new Set<Waiting>()
  private readonly speed: number

  constructor(speed: number) {
    this.speed = speed
  }

  /** `ms` at speed 1. */
  after(ms: number, action: () => void): void {
    if (!Number.isFinite(ms)) return
    const dueMs = ms / this.speed
    const dueAt = performance.now() + dueMs
    const timer = setTimeout(() => this.runUntil(dueAt), dueMs)
    timer.unref()
    this.waiting.add({ dueAt, timer, action })
  }

  clear(): void {
    for (const { timer } of this.waiting) clearTimeout(timer)
    this.waiting.clear()
  }

  private runUntil(latest: number): void {
    const due = [...this.waiting].filter(({ dueAt }) => dueAt <= latest).sort((one, other) => one.dueAt - other.dueAt)
    for (const entry of due) {
      // One that came before it may have cleared them all.
      if (!this.waiting.delete(entry)) continue
      clearTimeout(entry.timer)
      entry.action()
    }
  }
}
