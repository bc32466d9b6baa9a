/**
 * Reports to the database how many bots this process can still start, for people who look at the system's figures. Also reports
 * which providers of transcripts are configured here, for processes that serve the API without their keys.
 */
import { randomUUID } from 'node:crypto'
import type { SpeechProblems } from '@standin/wire/speech-access.ts'
import { spread } from '@standin/wire/time/backoff.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Launcher, Log } from '../../platform/ports.ts'
import { removeCapacity, writeCapacity } from '../../store/capacity.ts'
import type { Database } from '../../store/database.ts'

const EVERY_MS = 10_000
/** A report that says what the one before said is written only as often. */
const REPEATED_EVERY_MS = 30_000
/** Keeps many processes apart. */
const JITTER = 0.1

export interface CapacityReportSettings {
  database: Database
  launcher: Pick<Launcher, 'kind' | 'capacity'>
  /** Version of this program. */
  version: string
  /** Image of the bots' containers; null if bots are processes of this program. */
  image: string | null
  speech: SpeechProblems
  log: Log
  everyMs?: number
}

export function startCapacityReport(settings: CapacityReportSettings): { close(): Promise<void> } {
  const { database, launcher, version, image, speech, log, everyMs = EVERY_MS } = settings
  const id = randomUUID()
  let written = { text: '', at: 0 }

  async function report(): Promise<number> {
    const { modes, ...places } = (await launcher.capacity()) ?? {}
    const report = { launcher: launcher.kind, version, image, speech, ...places }
    const text = JSON.stringify(report)
    if (text !== written.text || performance.now() - written.at > REPEATED_EVERY_MS - everyMs) {
      await writeCapacity(database, id, report)
      written = { text, at: performance.now() }
    }
    return spread(everyMs, JITTER)
  }

  const loop = startLoop(report, {
    onError: (error) => log.warn({ error: String(error) }, 'The capacity for bots could not be reported'),
    afterErrorMs: everyMs,
  })
  return {
    async close() {
      await loop.close()
      await removeCapacity(database, id).catch(() => {
        // It is not shown any more a minute later.
      })
    },
  }
}
