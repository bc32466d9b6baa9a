/** Periodic work. One process at a time does each job, however many processes run. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { spread } from '@standin/wire/time/backoff.ts'
import { startLoop } from '@standin/wire/time/loop.ts'
import { whileHeld } from '../../platform/lease.ts'
import { hasOpenDeletions } from '../../store/bots/deletions.ts'
import { removePastEvents } from '../../store/calendars/events.ts'
import { endTurn, keepTurn, takeTurn } from '../../store/job-turns.ts'
import { forgetOldSessions } from '../../store/people/sessions.ts'
import { removeOldIdempotencyKeys } from '../../store/teams/idempotency.ts'
import { auditLedger } from './audit.ts'
import { type DeletionTools, deleteDue } from './deletion.ts'
import { type KeptDays, removeOldRows } from './old-rows.ts'
import { requestRetentionDeletions } from './retention.ts'

const DAY = 24 * 3600
const LEASE_SECONDS = 60
/** Between two looks of `run` whether another process has done the job. */
const AGAIN_MS = 500
/** Spreads the polls of several processes. */
const JITTER = 0.1

export const JOB_NAMES = ['deletions', 'retention', 'audit', 'idempotency', 'sessions', 'renewals', 'checks'] as const
type JobName = (typeof JOB_NAMES)[number]

export interface JobsSettings extends DeletionTools {
  /** Opens and renews old subscriptions to calendars. Absent: there is no such job. */
  renewals?: () => Promise<unknown>
  /** Checks the pages of the operator's test meetings. Absent: there is no such job. */
  checks?: { run(signal: AbortSignal): Promise<unknown>; everySeconds: number }
  /** For how long rows are kept. */
  keep: KeptDays
  /** Jobs that are done again and again; all if it is left out. `run` does any. */
  periodic?: readonly JobName[]
  /** Seconds between two polls of a job, for tests. */
  lookEverySeconds?: Partial<Record<JobName, number>>
}

export interface Jobs {
  /** Does a job now, due or not, after the process that does it. Resolves with what it did; rejects if it fails. */
  run(name: JobName): Promise<unknown>
  /** Starts no job any more and waits for the ones under way. */
  close(): Promise<void>
}

/** Seconds: how often a process looks whether a job is due, and how often it is due. */
const SCHEDULE: Record<JobName, { look: number; every: number }> = {
  deletions: { look: 5, every: 4 },
  retention: { look: 600, every: DAY },
  audit: { look: 600, every: DAY },
  idempotency: { look: 600, every: 3600 },
  sessions: { look: 600, every: 3600 },
  // The calendars renew their subscriptions themselves; this job finds the ones that they missed.
  renewals: { look: 600, every: 6 * 3600 },
  // How often they are due is a setting.
  checks: { look: 5, every: 3600 },
}

/** Past events are shown for so long. */
const EVENT_DAYS = 30

export function startJobs(settings: JobsSettings): Jobs {
  const { database, log, lookEverySeconds = {} } = settings
  const owner = randomUUID()
  const stop = new AbortController()
  const work: Record<JobName, (signal: AbortSignal) => Promise<unknown>> = {
    deletions: (signal) => deleteDue(settings, () => signal.aborted),
    retention: async (signal) => ({
      // The job `deletions` does them.
      requested: await requestRetentionDeletions(database, log),
      events: await removePastEvents(database, EVENT_DAYS),
      ...(await removeOldRows(database, settings.keep, signal)),
    }),
    audit: () => auditLedger(database, log),
    idempotency: () => removeOldIdempotencyKeys(database),
    sessions: () => forgetOldSessions(database),
    renewals: async () => settings.renewals?.() ?? {},
    checks: async (signal) => settings.checks?.run(signal) ?? {},
  }

  /** Undefined: the job is not due, or another process does it. */
  async function turn(name: JobName, everySeconds: number): Promise<{ done: unknown } | undefined> {
    if (!(await takeTurn(database, name, owner, { everySeconds, leaseSeconds: LEASE_SECONDS }))) return undefined
    const keep = () => keepTurn(database, name, owner, LEASE_SECONDS)
    const lease = { seconds: LEASE_SECONDS, keep, log, fields: { job: name }, signal: stop.signal }
    return { done: await whileHeld(lease, work[name]).finally(() => endTurn(database, name, owner)) }
  }

  async function runNow(name: JobName): Promise<unknown> {
    for (;;) {
      const turned = await turn(name, 0)
      if (turned !== undefined) return turned.done
      await sleep(AGAIN_MS, undefined, { signal: stop.signal })
    }
  }

  function repeat(name: JobName) {
    const { look } = SCHEDULE[name]
    const every = name === 'checks' ? (settings.checks?.everySeconds ?? 0) : SCHEDULE[name].every
    const lookMs = (lookEverySeconds[name] ?? look) * 1000
    const round = async () => {
      // Deletions are due every few seconds, and write nothing while there is nothing to do.
      if (name !== 'deletions' || (await hasOpenDeletions(database)))
        await turn(name, Math.min(every, lookEverySeconds[name] ?? every))
      return spread(lookMs, JITTER)
    }
    const onError = (error: unknown) => log.error({ job: name, error: String(error) }, 'A periodic job failed')
    return startLoop(round, { onError, afterErrorMs: lookMs, signal: stop.signal })
  }

  const isOffered = (name: JobName) => (name !== 'renewals' && name !== 'checks') || settings[name] !== undefined
  const names = JOB_NAMES.filter(isOffered)
  const loops = (settings.periodic ?? names).map(repeat)
  const asked = new Set<Promise<unknown>>()
  return {
    async run(name) {
      const running = isOffered(name) ? runNow(name) : Promise.resolve({})
      asked.add(running)
      return running.finally(() => asked.delete(running))
    },
    async close() {
      stop.abort()
      await Promise.allSettled([...loops.map(({ ended }) => ended), ...asked])
    },
  }
}
