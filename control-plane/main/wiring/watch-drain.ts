/** Watches for `standin service drain`, which another process writes into the database. */
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Log } from '../../platform/ports.ts'
import type { Database } from '../../store/database.ts'
import { isDrainAskedSince } from '../../store/drain.ts'

const LOOK_MS = 5_000

/** Calls `drain` once, when it is asked for after `since` (UTC milliseconds of the database's clock). Returns what ends the watch. */
export function watchDrain(
  database: Database,
  since: number,
  drain: () => Promise<void>,
  log: Log,
): () => Promise<void> {
  async function poll(): Promise<number | null> {
    if (!(await isDrainAskedSince(database, since))) return LOOK_MS
    log.info({}, 'Draining: no more bots are started')
    drain().catch((error) => log.error({ error: String(error) }, 'Draining failed'))
    return null
  }
  const onError = (error: unknown) => log.warn({ error: String(error) }, 'Whether to drain could not be read')
  return startLoop(poll, { onError, afterErrorMs: LOOK_MS }).close
}
