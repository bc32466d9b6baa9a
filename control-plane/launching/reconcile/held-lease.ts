/** Work that takes longer than the lease under which it is done. */
import type { Log } from '../../ports.ts'

interface Lease {
  seconds: number
  keep: () => Promise<unknown>
  log: Log
  /** Fields of the log lines about the lease. */
  fields: object
}

/** Keeps the lease with `keep` while the work lasts. Three misses in a row lose it. */
export async function whileHeld<Result>(
  { seconds, keep, log, fields }: Lease,
  work: () => Promise<Result>,
): Promise<Result> {
  const keeping = setInterval(
    () => {
      keep().catch((error: unknown) =>
        log.warn({ ...fields, error: String(error) }, 'The lease of a dead bot could not be kept'),
      )
    },
    (seconds * 1000) / 3,
  )
  try {
    return await work()
  } finally {
    clearInterval(keeping)
  }
}
