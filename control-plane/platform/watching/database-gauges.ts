/** Gauges that are read from the database, at the scrape only and at most once in a few seconds. */
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { Gauge, type Registry } from 'prom-client'
import { PHASES } from '../../bots/phases.ts'
import type { Database } from '../../store/database.ts'
import { type Gauges, readGauges } from '../../store/gauges.ts'
import type { Log } from '../ports.ts'

const CACHE_MS = 5_000
/** A scraper waits for ten seconds at most; what comes later is shown by the next scrape. */
const PATIENCE_MS = 4_000

const noAnswer = () => new Error(`No answer within ${PATIENCE_MS / 1000} s`)

export interface DatabaseGaugeSettings {
  database: Database
  log: Log
  /** Default 5,000. */
  cacheMs?: number
}

/** Where the database does not answer, its gauges are left out, and `standin_database_up` is 0. */
export function registerDatabaseGauges(registry: Registry, { database, log, cacheMs }: DatabaseGaugeSettings): void {
  // The registry asks all gauges at the same time, and scrapers come side by side.
  const read = cached(
    () =>
      within(systemClock, PATIENCE_MS, readGauges(database), noAnswer).catch((error: unknown) => {
        log.warn({ error: String(error) }, 'Metrics of the database could not be read')
        return null
      }),
    cacheMs ?? CACHE_MS,
  )

  function add<Label extends string = never>(
    name: string,
    help: string,
    labelNames: Label[],
    show: (gauge: Gauge<Label>, values: Gauges) => void,
  ): void {
    new Gauge<Label>({
      name: `standin_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const values = await read()
        this.reset()
        // Without labels a reset gauge is 0, which would be a statement.
        if (labelNames.length === 0) this.remove()
        if (values !== null) show(this, values)
      },
    })
  }

  new Gauge({
    name: 'standin_database_up',
    help: '1 where the database answered this scrape.',
    registers: [registry],
    async collect() {
      this.set((await read()) === null ? 0 : 1)
    },
  })
  add('bots', 'Bots that have not ended, by phase.', ['phase'], (gauge, { bots }) => {
    for (const phase of PHASES) if (phase !== 'closed') gauge.set({ phase }, 0)
    for (const { phase, count } of bots) gauge.inc({ phase }, count)
  })
  add('bots_by_status', 'Bots that have not ended, by what callers see.', ['status'], (gauge, { bots }) => {
    for (const { status, count } of bots) gauge.inc({ status }, count)
  })
  add('bot_lateness_seconds', 'How far the bot that waits longest is past its time.', [], (gauge, values) =>
    gauge.set(values.latestBotSeconds),
  )
  add('bots_due', 'Bots that will be started within so many minutes.', ['minutes'], (gauge, { dueBots }) => {
    for (const [minutes, count] of Object.entries(dueBots)) gauge.set({ minutes }, count)
  })
  add('webhook_deliveries', 'Webhook deliveries that are not done, by state.', ['state'], (gauge, values) => {
    for (const state of ['waiting', 'sending']) gauge.set({ state }, 0)
    for (const { state, count } of values.deliveries) gauge.set({ state }, count)
  })
  add(
    'webhook_oldest_seconds',
    'How long the oldest due webhook delivery has waited, by whether its endpoint answers.',
    ['endpoint'],
    (gauge, { oldestDelivery }) => {
      for (const [endpoint, seconds] of Object.entries(oldestDelivery)) gauge.set({ endpoint }, seconds)
    },
  )
  add('webhook_endpoints_failing', 'Endpoints that failed so often that they are only probed.', [], (gauge, values) =>
    gauge.set(values.failingEndpoints),
  )
  add('queue_age_seconds', 'How long the oldest due entry of a queue has waited.', ['queue'], (gauge, { queues }) => {
    for (const [queue, seconds] of Object.entries(queues)) gauge.set({ queue }, seconds)
  })
  add('calendars', 'Connected calendars, by status.', ['status'], (gauge, { calendars }) => {
    for (const { status, count } of calendars.byStatus) gauge.set({ status }, count)
  })
  add('calendar_sync_age_seconds', 'Since the sync of the calendar that was synced longest ago.', [], (gauge, values) =>
    gauge.set(values.calendars.oldestSyncSeconds),
  )
  add(
    'calendar_sync_lateness_seconds',
    'How far the sync that waits longest is past its time.',
    [],
    (gauge, { calendars }) => gauge.set(calendars.latestSyncSeconds),
  )
  add('calendars_without_push', 'Connected calendars whose changes are only polled.', [], (gauge, { calendars }) =>
    gauge.set(calendars.withoutPush),
  )
  add('ledger_difference', 'Micro-tokens between sums and ledger, as the last audit found.', [], (gauge, { audit }) => {
    if (audit !== null) gauge.set(audit.difference)
  })
  add('ledger_open_reserves', 'Ended bots that still hold a reserve, as the last audit found.', [], (gauge, values) => {
    if (values.audit !== null) gauge.set(values.audit.openReserves)
  })
  add('job_age_seconds', 'Since a periodic job was last done by any process.', ['job'], (gauge, { jobs }) => {
    for (const { job, seconds } of jobs) gauge.set({ job }, seconds)
  })
}

/** One reading at a time, shown again for so long. A reading that gave nothing is not kept. */
function cached<Value>(read: () => Promise<Value | null>, ms: number): () => Promise<Value | null> {
  let last: { at: number; value: Promise<Value | null> } | null = null
  return () => {
    if (last !== null && performance.now() - last.at < ms) return last.value
    const reading = { at: performance.now(), value: read() }
    last = reading
    void reading.value.then((value) => {
      if (value === null && last === reading) last = null
    })
    return reading.value
  }
}
