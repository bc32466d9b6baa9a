export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

/** Runs at most `most` tasks at a time; the others wait, first come, first served. */
export function inTurn(most: number): InTurn {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < most) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The place is handed on, so that a newcomer cannot take it.
      if (next === undefined) running--
      else next()
    }
  }
}
