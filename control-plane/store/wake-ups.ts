/**
 * Hints between processes that something is due. They are sent outside of transactions, because a `notify` inside makes
 * commits wait for each other. The listener also looks by itself, so a lost hint costs only time.
 */
import { randomUUID } from 'node:crypto'
import { spread } from '@standin/wire/time/backoff.ts'
import { sql } from 'kysely'
import pg from 'pg'
import type { Database } from './database.ts'
import { onReadOnly } from './moved-database.ts'
import { enterSession, settingsOfLender } from './session.ts'

/** Launchers listen for bots, dispatchers for deliveries, the API for events of bots that are followed, jobs for calendars. */
type Due = 'bots' | 'deliveries' | 'events' | 'calendars'
const CHANNELS: Record<Due, string> = {
  bots: 'standin_due',
  deliveries: 'standin_deliveries',
  events: 'standin_events',
  calendars: 'standin_calendars',
}
const PROBE_CHANNEL = 'standin_probe'
export const PARTIALS_CHANNEL = 'standin_partials'
/** Between two hints of one process. */
const MIN_PAUSE_MS = 25
/** Of one hint, which PostgreSQL limits to 8,000 bytes. A hint without ids means any row. */
const MAX_IDS = 200
const RECONNECT_MS = 2_000
const JITTER = 0.3
/**
 * Longest sleep of a loop that hints wake. Nothing else may come later than by this, such as a hint that was lost, a row
 * that another program wrote, or a due time that the database's clock jumped over.
 */
const MAX_SLEEP_MS = 10_000

export interface WakeUps {
  /** How long a loop may sleep that is woken by these hints, milliseconds; `withoutHintsMs` while none arrive. */
  maxSleepMs(withoutHintsMs: number): number
  close(): Promise<void>
}

/** Call the result after each commit that made something due, with the ids of what it is if the listener asks for them. */
export function createHint(db: Database, due: Due, onError: (error: unknown) => void): (...ids: string[]) => void {
  const wanted = new Set<string>()
  let isPausing = false
  let isWanted = false

  function give(...ids: string[]): void {
    isWanted = true
    for (const id of ids) wanted.add(id)
    if (isPausing) return
    isWanted = false
    isPausing = true
    sendHint(db, due, wanted.size <= MAX_IDS ? [...wanted] : []).catch(onError)
    wanted.clear()
    setTimeout(() => {
      isPausing = false
      if (isWanted) give()
    }, MIN_PAUSE_MS).unref()
  }

  return give
}

/** A hint that fails costs only time. */
export async function sendHint(db: Database, due: Due, ids: readonly string[] = []): Promise<void> {
  await sql`select pg_notify(${CHANNELS[due]}, ${ids.join(',')})`.execute(db)
}

async function notifyOnce(url: string, probe: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'standin probe' })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select pg_notify($1, $2)', [PROBE_CHANNEL, probe])
  } finally {
    await client.end()
  }
}

/**
 * Calls `onWake` for every hint, over a separate connection that is opened again when it breaks. No ids: look at all.
 * When the connection breaks, `onError` is called, and then `onWake`. `others`: what is done with the messages of further
 * channels.
 */
export function listenForWakeUps(
  url: string,
  due: Due,
  onWake: (ids: readonly string[]) => void,
  onError: (error: Error) => void,
  others: Readonly<Record<string, (payload: string) => void>> = {},
): WakeUps {
  const listeners = {
    [CHANNELS[due]]: (payload: string) => onWake(payload === '' ? [] : payload.split(',')),
    ...others,
  }
  let isClosed = false
  let isListening = false
  let timer: NodeJS.Timeout | undefined
  let client: pg.Client | undefined

  async function connect(): Promise<void> {
    // Nothing arrives over a session that is lent for a transaction.
    if (settingsOfLender(url)) return onWake([])
    const probe = randomUUID()
    const next = new pg.Client({ connectionString: url, application_name: 'standin wake-ups', keepAlive: true })
    client = next
    let isBroken = false
    const retry = (error: Error) => {
      if (isBroken || isClosed) return
      isBroken = true
      const wasListening = isListening
      isListening = false
      onError(error)
      // A loop that sleeps for long has to look more often now.
      if (wasListening) onWake([])
      stopWatching()
      next.end().catch(() => {})
      timer = setTimeout(connect, spread(RECONNECT_MS, JITTER))
    }
    // It may lead to a server that was replaced, where nothing is notified any more.
    const stopWatching = onReadOnly(url, () => retry(new Error('The database takes no writes')))
    next.on('error', retry)
    next.on('end', () => {
      stopWatching()
      retry(new Error('The connection for wake-ups was closed'))
    })
    next.on('notification', ({ channel, payload = '' }) => {
      if (channel !== PROBE_CHANNEL) return listeners[channel]?.(payload)
      if (payload === probe) isListening = !isBroken && !isClosed
    })
    try {
      await next.connect()
      await enterSession(next, url)
      for (const channel of [PROBE_CHANNEL, ...Object.keys(listeners)]) await next.query(`listen ${channel}`)
      // Hints may have been lost in between.
      onWake([])
      // Over a separate connection: a pooler such as PgBouncer accepts `listen` and passes no notification on.
      await notifyOnce(url, probe).catch(() => {})
    } catch (error) {
      retry(error as Error)
    }
  }

  void connect()
  return {
    maxSleepMs: (withoutHintsMs) => (isListening ? MAX_SLEEP_MS : withoutHintsMs),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await client?.end().catch(() => {})
    },
  }
}
