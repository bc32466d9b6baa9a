/** Reports to the database how many bots this process can still start, for people who look at the system's figures. */
import { randomUUID } from 'node:crypto'
import type { Launcher, Log } from '../../ports.ts'
import { removeCapacity, writeCapacity } from '../../store/capacity.ts'
import type { Database } from '../../store/database.ts'

/** Milliseconds; a jitter keeps many processes apart. */
const EVERY_MS = 10_000

export interface CapacityReportSettings {
  database: Database
  launcher: Pick<Launcher, 'kind' | 'capacity'>
  /** Version of this program. */
  version: string
  /** Image of the bots' containers; null if bots are processes of this program. */
  image: string | null
  log: Log
  everyMs?: number
}

export function startCapacityReport(settings: CapacityReportSettings): { close(): Promise<void> } {
  const { database, launcher, version, image, log, everyMs = EVERY_MS } = settings
  const id = randomUUID()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let working = report()

  async function report(): Promise<void> {
    try {
      const capacity = await launcher.capacity()
      await writeCapacity(database, id, { launcher: launcher.kind, version, image, ...capacity })
    } catch (error) {
      log.warn({ error: String(error) }, 'The capacity for bots could not be reported')
    }
    if (isClosed) return
    timer = setTimeout(() => (working = report()), everyMs * (0.9 + Math.random() / 5))
    timer.unref()
  }

  return {
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
      await removeCapacity(database, id).catch(() => {
        // It is not shown any more a minute later.
      })
    },
  }
}
