/** Work that takes longer than the lease under which it is done. */

/** Renewals that may fail in a row: as many as one lease has. */
const MAX_MISSES = 3

export interface Lease {
  seconds: number
  /** Renews the lease. False: another has it, or had it meanwhile. */
  keep: () => Promise<boolean>
  log: { warn(fields: object, message: string): void }
  /** Say whose lease it is, in the log. */
  fields: object
  /** Ends the work. */
  signal?: AbortSignal
}

/**
 * Renews the lease while the work lasts. If another process has it, or may have it because three renewals in a row failed,
 * the signal of the work is aborted, as it is with the caller's signal.
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
        (isHeld) => {
          misses = 0
          if (!isHeld) lost.abort(new Error('The lease was lost'))
        },
        (error: unknown) => {
          misses += 1
          log.warn({ ...fields, misses, error: String(error) }, 'A lease could not be kept')
          if (misses >= MAX_MISSES) lost.abort(new Error('The lease was lost'))
        },
      )
    },
    (seconds * 1000) / MAX_MISSES,
  )
  try {
    return await work(signal === undefined ? lost.signal : AbortSignal.any([signal, lost.signal]))
  } finally {
    clearInterval(keeping)
  }
}
