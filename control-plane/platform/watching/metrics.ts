/** The registry behind `/metrics`: what the rooms count and time, what this process holds, and what the database says. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Database, PoolCounts } from '../../store/database.ts'
import type { Counted, Meters, Timed } from '../meters.ts'
import type { Log } from '../ports.ts'
import { registerDatabaseGauges } from './database-gauges.ts'
import { SERIES } from './series.ts'

/** The smallest delay that shows. Sampling more often costs an idle service time. */
const EVENT_LOOP_STEP_MS = 200

const FINE = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
const COARSE = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]

type Of<Names> = { [Name in keyof Names]: { help: string; labels: (keyof Names[Name] & string)[] } }

const COUNTERS: Of<Counted> = {
  claims: { help: 'Rows that this process took from a queue.', labels: ['queue'] },
  lease_losses: { help: 'Leases that ended before their work.', labels: ['work', 'how'] },
  reconciler_actions: { help: 'Actions of the reconciler about attempts of bots.', labels: ['action', 'reason'] },
  token_refresh_failures: { help: 'Refreshes of access tokens that failed.', labels: ['of', 'reason'] },
  webhook_attempts: { help: 'Webhook requests, by the answer.', labels: ['answer'] },
  webhooks_finished: { help: 'Webhook deliveries that are over, by their result.', labels: ['result'] },
  links_opened: { help: 'Control links that bots opened.', labels: [] },
  events_stored: { help: 'Events of bots that were committed.', labels: [] },
  signal_reports: { help: 'Final reports that count the signals of the page.', labels: ['platform'] },
  page_checks: { help: 'Checks of the pages of test meetings, by their result.', labels: ['platform', 'state'] },
  refusals: { help: 'Final reports of bots that a meeting kept out, by reason.', labels: ['platform', 'reason'] },
  bot_core_seconds: { help: 'Processor time of bots, by their final reports.', labels: ['platform', 'mode'] },
  bot_memory_gigabyte_seconds: {
    help: 'Highest memory of bots times the seconds of their lives, by their final reports.',
    labels: ['platform', 'mode'],
  },
  bot_bytes: {
    help: 'Bytes that bots received, sent and stored, by their final reports.',
    labels: ['platform', 'mode', 'kind'],
  },
  bot_phase_seconds: {
    help: 'Seconds of bots in each phase, by their final reports.',
    labels: ['platform', 'mode', 'phase'],
  },
  page_signals: { help: 'Those of them in which the signal answered.', labels: ['platform', 'signal'] },
}

const HISTOGRAMS: Of<Timed> & Record<keyof Timed, { buckets: number[] }> = {
  start_lateness: {
    help: 'From the time at which a bot was wanted until its launcher was asked for it.',
    labels: [],
    buckets: COARSE,
  },
  launch: { help: 'Time that the launcher took to answer.', labels: ['launcher', 'outcome'], buckets: COARSE },
  event_commit: { help: 'From the arrival of an event to its commit.', labels: [], buckets: FINE },
  webhook_delivery: { help: 'From the commit of a message to its delivery.', labels: ['attempt'], buckets: COARSE },
}

export interface Metrics {
  registry: Registry
  meters: Meters
  /** A gauge that is read at the scrape. */
  gauge(name: string, help: string, read: () => number): void
  /** A counter that is read at the scrape. */
  counter(name: string, help: string, read: () => number): void
  /** Follows a pool of database connections. */
  pool(name: string, counts: () => PoolCounts): (seconds: number) => void
  /** Something that happens again and again did so now. */
  ran(what: string): void
}

export interface MetricsSettings {
  /** The source of the gauges of the database; absent: there are none. */
  database?: Database
  log: Log
  /** How long what was read is shown again. Default 5,000. */
  cacheMs?: number
}

export function createMetrics({ database, log, cacheMs }: MetricsSettings): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_STEP_MS })
  const registers = [registry]
  const counters = mapped(COUNTERS, (name, { help, labels }) => {
    const counter = new Counter<string>({ name: `standin_${name}_total`, help, labelNames: labels, registers })
    for (const series of SERIES[name]) counter.inc(series, 0)
    return counter
  })
  const histograms = mapped(HISTOGRAMS, (name, { help, labels, buckets }) => {
    return new Histogram<string>({ name: `standin_${name}_seconds`, help, labelNames: labels, buckets, registers })
  })
  const pools = new Map<string, () => PoolCounts>()
  new Gauge({
    name: 'standin_database_connections',
    help: 'Connections of each pool of this process, and requests that wait for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, counts] of pools)
        for (const [state, count] of Object.entries(counts())) this.set({ pool, state }, count)
    },
  })
  const waits = new Histogram({
    name: 'standin_database_wait_seconds',
    help: 'Time until a connection of the pool was free.',
    labelNames: ['pool'],
    buckets: FINE,
    registers,
  })
  const lastRuns = new Gauge({
    name: 'standin_last_run_timestamp_seconds',
    help: 'When this process last did what it does again and again.',
    labelNames: ['what'],
    registers,
  })
  if (database) registerDatabaseGauges(registry, { database, log, ...(cacheMs !== undefined && { cacheMs }) })

  return {
    registry,
    meters: {
      count: (name, labels, by = 1) => counters[name].inc(labels, by),
      time: (name, seconds, labels) => histograms[name].observe(labels, Math.max(0, seconds)),
    },
    gauge(name, help, read) {
      new Gauge({
        name: `standin_${name}`,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    counter(name, help, read) {
      new Counter({
        name: `standin_${name}_total`,
        help,
        registers,
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    },
    pool(name, counts) {
      pools.set(name, counts)
      return (seconds) => waits.observe({ pool: name }, seconds)
    },
    ran: (what) => lastRuns.setToCurrentTime({ what }),
  }
}

function mapped<Table extends object, Made>(
  table: Table,
  make: (name: keyof Table & string, value: Table[keyof Table]) => Made,
): Record<keyof Table, Made> {
  const entries = Object.entries(table).map(([name, value]) => [name, make(name as keyof Table & string, value)])
  return Object.fromEntries(entries) as Record<keyof Table, Made>
}
