/** The past states of a meeting's page, and the promises that wait for one. */

const DEFAULT_DEADLINE_MS = 30_000

export class StateWatch {
  private readonly waiting = new Set<{ state: string; settle(error?: Error): void }>()
  private last = 'none'

  /** Resolves at once or when the state is entered; rejects after the deadline. */
  when(state: string, current: () => string, deadlineMs = DEFAULT_DEADLINE_MS): Promise<void> {
    if (current() === state) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        entry.settle(new Error(`The page is in state ${current()}, not ${state}, after ${deadlineMs} ms`))
      }, deadlineMs)
      const entry = {
        state,
        settle: (error?: Error) => {
          clearTimeout(timer)
          this.waiting.delete(entry)
          if (error) reject(error)
          else resolve()
        },
      }
      this.waiting.add(entry)
    })
  }

  /** Resolves the waiting promises. */
  enter(state: string): void {
    this.last = state
    for (const entry of [...this.waiting]) if (entry.state === state) entry.settle()
  }

  close(): void {
    for (const entry of [...this.waiting]) entry.settle(new Error(`The mock was closed in state ${this.last}`))
  }
}
