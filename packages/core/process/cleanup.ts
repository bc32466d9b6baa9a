import { toError } from '@standin/wire/text/error-text.ts'
import { systemClock, within } from '@standin/wire/time/deadline.ts'

/** A cleanup step that failed; later steps ran all the same. */
export interface CleanupFailure {
  step: string
  error: Error
}

const DEFAULT_DEADLINE_MS = 10_000

/** Undo steps, collected while things are set up and run last first. */
export type Cleanup = ReturnType<typeof createCleanup>

/** `onFailure` is called for each failing step, for the log. */
export function createCleanup(onFailure: (failure: CleanupFailure) => void = () => {}) {
  const steps: Array<{ step: string; undo: () => unknown; deadlineMs: number }> = []
  const failures: CleanupFailure[] = []
  let running: Promise<CleanupFailure[]> | null = null

  async function undoAll(): Promise<CleanupFailure[]> {
    for (let entry = steps.pop(); entry !== undefined; entry = steps.pop()) {
      try {
        const { undo, deadlineMs } = entry
        const late = () => new Error(`not done within ${deadlineMs} ms`)
        await within(systemClock, deadlineMs, Promise.resolve().then(undo), late)
      } catch (thrown) {
        const error = toError(thrown)
        const failure = { step: entry.step, error }
        failures.push(failure)
        onFailure(failure)
      }
    }
    return failures
  }

  return {
    /**
     * Adds a step. A step that is added once the run has begun is undone at once: what it belongs to came too late and
     * would outlive the bot otherwise.
     */
    add(step: string, undo: () => unknown, deadlineMs = DEFAULT_DEADLINE_MS): void {
      steps.push({ step, undo, deadlineMs })
      // A run in progress takes the step by itself; one that is over has to be taken up again.
      if (running !== null) running = running.then(undoAll)
    },
    /** Runs every step, last first, each within its deadline. Repeatable: the same run is waited for. Never rejects. */
    run(): Promise<CleanupFailure[]> {
      // Starting in a later turn lets a step that throws synchronously fail like any other.
      running ??= Promise.resolve().then(undoAll)
      return running
    },
  }
}
