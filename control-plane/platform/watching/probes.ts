/** `/healthz`, `/readyz` and `/metrics`: the same answers in every process, with any roles. */
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import type { Registry } from 'prom-client'
import type { Database } from '../../store/database.ts'
import { probeDatabase } from '../../store/gauges.ts'
import { isReadOnlyError } from '../../store/moved-database.ts'
import type { Probes } from '../ports.ts'

const READY_TIMEOUT_MS = 3000
const JSON_TYPE = 'application/json; charset=utf-8'

export interface ProbeSettings {
  database: Database
  /** Checks of `/readyz` besides the database, by name. A check rejects with a sentence without secrets. */
  readiness?: Readonly<Record<string, () => Promise<void>>>
  /** Sentences about faults with which the process can work nevertheless, by name; null: none. */
  warnings?: Readonly<Record<string, () => string | null>>
  metrics: Registry
}

/** Makes the probes of a process; each answers at its key, a path. */
export function createProbes({ database, readiness, warnings = {}, metrics }: ProbeSettings): Probes {
  // The driver's own message may hold the address of the database.
  const askDatabase = () =>
    probeDatabase(database).catch((cause: unknown) => {
      throw new Error(`The database ${isReadOnlyError(cause) ? 'takes no writes' : 'does not answer'}`, { cause })
    })
  const checks = Object.entries({ database: askDatabase, ...readiness })
  const json = (status: number, body: object) => ({
    status,
    headers: { 'content-type': JSON_TYPE },
    body: JSON.stringify(body),
  })

  return {
    '/healthz': async () => json(200, { status: 'ok' }),
    '/readyz': async () => {
      const results = await Promise.all(checks.map(async ([name, check]) => [name, await problemOf(check)] as const))
      const isReady = results.every(([, problem]) => problem === null)
      return json(isReady ? 200 : 503, {
        status: isReady ? 'ready' : 'not ready',
        checks: Object.fromEntries(results.map(([name, problem]) => [name, problem ?? 'ok'])),
        warnings: Object.fromEntries(
          Object.entries(warnings).flatMap(([name, warning]) => {
            const sentence = warning()
            return sentence === null ? [] : [[name, sentence]]
          }),
        ),
      })
    },
    '/metrics': async () => ({
      status: 200,
      headers: { 'content-type': metrics.contentType },
      body: await metrics.metrics(),
    }),
  }
}

/** Null: fine. */
async function problemOf(check: () => Promise<void>): Promise<string | null> {
  const late = () => new Error(`no answer within ${READY_TIMEOUT_MS / 1000} s`)
  return within(systemClock, READY_TIMEOUT_MS, check(), late).then(
    () => null,
    (error: unknown) => (error instanceof Error && error.message !== '' ? error.message : 'failed').slice(0, 200),
  )
}
