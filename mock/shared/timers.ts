/** Timers that belong to a stretch of a visit and end with it. */
export class Timers {
  private readonly running = new Set<NodeJS.Timeout>()
  private readonly speed: number

  constructor(speed: number) {
    this.speed = speed
  }

  /** `ms` at speed 1. */
  after(ms: number, action: () => void): void {
    if (!Number.isFinite(ms)) return
    const timer = setTimeout(() => {
      this.running.delete(timer)
      action()
    }, ms / this.speed)
    timer.unref()
    this.running.add(timer)
  }

  clear(): void {
    for (const timer of this.running) clearTimeout(timer)
    this.running.clear()
  }
}
