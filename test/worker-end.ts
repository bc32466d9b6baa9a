/** Servers and browsers that the files of a test worker share. The worker closes them when it ends (`set-up/closing-runner.ts`). */

const closers: (() => Promise<unknown>)[] = []

/** The last one that was added is closed first. */
export function atWorkerEnd(close: () => Promise<unknown>): void {
  closers.unshift(close)
}

export async function endWorker(): Promise<void> {
  for (const close of closers.splice(0)) await close()
}
