/** Watches for `standin service drain`, which another process writes into the database. */
import type { Log } from '../ports.ts'
import type { Database } from '../store/database.ts'
import { isDrainAskedSince } from '../store/drain.ts'

const LOOK_MS = 2_000

/** Calls `drain` once, when it is asked for after `since` (UTC milliseconds of the database's clock). Returns what ends the watch. */
export function watchDrain(
  database: Database,
  since: number,
  drain: () => Promise<void>,
  log: Log,
): () => Promise<void> {
  let looking: Promise<void> = Promise.resolve()
  const look = async () => {
    try {
      if (!(await isDrainAskedSince(database, since))) return
      clearInterval(timer)
      log.info({}, 'Draining: no more bots are started')
      drain().catch((error) => log.error({ error: String(error) }, 'Draining failed'))
    } catch (error) {
      log.warn({ error: String(error) }, 'Whether to drain could not be read')
    }
  }
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, LOOK_MS)
  return async () => {
    clearInterval(timer)
    await looking
  }
}
