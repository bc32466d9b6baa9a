/** What a test worker shares between its files, and closes when it ends (`real-time-runner.ts` says when). */

const closers: (() => Promise<unknown>)[] = []

/** The last one that was added is closed first. */
export function atWorkerEnd(close: () => Promise<unknown>): void {
  closers.unshift(close)
}

export async function endWorker(): Promise<void> {
  for (const close of closers.splice(0)) await close()
}
