/** Work that takes longer than the lease under which it is done. */
import type { Log } from '../../ports.ts'

/** Renewals that may fail in a row: as many as one lease has. */
const MAX_MISSES = 3

interface Lease {
  seconds: number
  keep: () => Promise<unknown>
  log: Log
  /** Fields of the log lines about the lease. */
  fields: object
  /** Ends the work. */
  signal: AbortSignal
}

/**
 * Renews the lease with `keep` while the work lasts. If three renewals in a row fail, another process may have the lease
 * by now: the signal of the work is aborted then, as it is with the caller's signal.
 */
export async function whileHeld<Result>(
  { seconds, keep, log, fields, signal }: Lease,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController()
  let misses = 0
  const keeping = setInterval(
    () => {
      keep().then(
        () => {
          misses = 0
        },
        (error: unknown) => {
          misses += 1
          log.warn({ ...fields, misses, error: String(error) }, 'The lease of a dead bot could not be kept')
          if (misses >= MAX_MISSES) lost.abort(new Error('The lease of the dead bot was lost'))
        },
      )
    },
    (seconds * 1000) / MAX_MISSES,
  )
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(keeping)
  }
}
