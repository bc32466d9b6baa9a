/** The cost of keeping 100 calendars of 500 events each: time, memory, and requests to the providers. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Calendars } from '../../control-plane/calendars/index.ts'
import { NO_METERS } from '../../control-plane/meters.ts'
import { createSeals, newSealKey, parseSealKeys } from '../../control-plane/secrets/seals.ts'
import { type Database, openDatabase } from '../../control-plane/store/database.ts'
import { migrate } from '../../control-plane/store/migrate.ts'
import { startOwnPostgres } from '../../control-plane/store/own-postgres.ts'
import { openServiceCalendars } from '../../control-plane/wiring/calendars.ts'
import type { Ask, StandInAnswer } from './calendar-stand-ins.ts'
import { type Figure, inLanes, type Options, progress } from './measure.ts'

/** Of each calendar: daily series of 30 occurrences in the window, and single events. */
const SERIES = 10
const SINGLES = 200
const MEGABYTE = 2 ** 20
/** A poll of every calendar has to be over before the next one. */
const POLL_SECONDS = 15 * 60

export async function measure({ isSmall }: Options): Promise<Figure[]> {
  const count = isSmall ? 10 : 100
  const folder = mkdtempSync(join(tmpdir(), 'standin-bench-calendars-'))
  chmodSync(folder, 0o755)
  const standIns = fork(new URL('calendar-stand-ins.ts', import.meta.url))
  await once(standIns, 'message')
  const postgres = await startOwnPostgres({ folder })
  const database = openDatabase({ url: postgres.url, role: 'bench', connections: 8 })
  try {
    await migrate(database as never)
    return await measureSyncs(database, standIns, count)
  } finally {
    await database.destroy()
    await postgres.stop()
    standIns.kill()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureSyncs(database: Database, standIns: ChildProcess, count: number): Promise<Figure[]> {
  const ask = async (asked: Ask): Promise<StandInAnswer> => {
    const answered = once(standIns, 'message')
    standIns.send(asked)
    return (await answered)[0] as StandInAnswer
  }
  const {
    addresses,
    client,
    calendars: given,
  } = await ask({ ask: 'fill', calendars: count, series: SERIES, singles: SINGLES })
  const app = { clientId: null, clientSecret: null }
  const config = {
    providers: { ...addresses, googleConsent: '', zoom: null },
    apps: { google: app, microsoft: { ...app, tenant: 'common' }, zoom: app },
    prefersLocation: false,
    jitsiHosts: [],
    allowPrivateAddresses: false,
  }
  const log = {
    info() {},
    warn() {},
    error: (fields: object, message: string) => progress(`${message} ${JSON.stringify(fields)}`),
  }
  const seals = createSeals(parseSealKeys(newSealKey('bench')))
  // Without an address that providers reach: what is measured is reading.
  const engine = openServiceCalendars(config, {
    database,
    seals,
    log,
    meters: NO_METERS,
    publicUrl: 'http://127.0.0.1',
  })
  const teamId = (
    await database.insertInto('teams').values({ name: 'Bench' }).returning('id').executeTakeFirstOrThrow()
  ).id
  const memory = watchMemory()

  const phase = async (work: () => Promise<unknown>) => {
    const before = (await ask({ ask: 'count' })).requests
    const startedAt = performance.now()
    await work()
    const seconds = (performance.now() - startedAt) / 1000
    return { seconds, requests: ((await ask({ ask: 'count' })).requests - before) / count }
  }

  const names: { teamId: string; generation: 'v2'; calendarId: string }[] = []
  const first = await phase(async () => {
    await inLanes(8, count, async (number) => {
      const { platform, rawCalendarId, refreshToken } = given[number]!
      const caller = { teamId, apiKeyId: null, generation: 'v2' as const, isCompat: false }
      const credentials = { ...client, refreshToken, tenantId: 'common' }
      const calendar = await engine.operations.connect(caller, { platform, credentials, rawCalendarId })
      names.push({ teamId, generation: 'v2', calendarId: calendar.id })
    })
    await engine.settle()
  })
  const { events } = await database
    .selectFrom('calendar_events')
    .select((select) => select.fn.countAll<number>().as('events'))
    .executeTakeFirstOrThrow()
  const failed = await database
    .selectFrom('calendars')
    .select('sync_error')
    .where('sync_status', '<>', 'success')
    .execute()
  if (failed.length > 0) throw new Error(`${failed.length} calendars were not synced: ${failed[0]!.sync_error}`)
  progress(`${events} events of ${count} calendars`)

  const bots = await phase(() => inLanes(4, count, (number) => scheduleSeries(database, engine, names[number]!)))
  const quiet = await phase(() => pollAll(database, engine))
  await ask({ ask: 'edit' })
  const edited = await phase(() => pollAll(database, engine))
  const full = await phase(async () => {
    await database
      .updateTable('calendars')
      .set({ full_due_at: new Date(0) })
      .execute()
    await pollAll(database, engine)
  })
  const peak = memory.stop()
  await engine.close()

  const of = `of ${count} calendars with ${Math.round(events / count)} events`
  const time = (measure: string, value: number): Figure => ({
    measure,
    value,
    unit: 's',
    plain: null,
    goal: { atMost: POLL_SECONDS },
  })
  const requests = (measure: string, value: number): Figure => ({
    measure,
    value,
    unit: 'requests',
    plain: null,
    goal: null,
  })
  return [
    time(`connection and first sync ${of}`, first.seconds),
    requests('for each of them', first.requests),
    time('a bot for every occurrence of one series of each', bots.seconds),
    time(`poll ${of}, nothing changed`, quiet.seconds),
    requests('for each of them', quiet.requests),
    time(`poll ${of}, one event of each changed`, edited.seconds),
    requests('for each of them', edited.requests),
    time(`full sync ${of}`, full.seconds),
    requests('for each of them', full.requests),
    {
      measure: 'memory of the process on top of what it had before',
      value: peak,
      unit: 'MB',
      plain: null,
      goal: { atMost: 300 },
    },
  ]
}

async function scheduleSeries(
  database: Database,
  engine: Calendars,
  name: { teamId: string; generation: 'v2'; calendarId: string },
): Promise<void> {
  const series = await database
    .selectFrom('calendar_series')
    .select('id')
    .where('calendar_id', '=', name.calendarId)
    .where('event_type', '=', 'recurring')
    .limit(1)
    .executeTakeFirstOrThrow()
  const bot = {
    bot_name: 'Bot',
    recording_mode: 'speaker_view',
    extra: null,
  }
  const target = { ...name, seriesId: series.id, eventId: null, allOccurrences: true }
  await engine.operations.scheduleBots(target, bot, null)
}

async function pollAll(database: Database, engine: Calendars): Promise<void> {
  await database
    .updateTable('calendars')
    .set({ sync_due_at: new Date(0) })
    .execute()
  await engine.settle()
}

function watchMemory(): { stop(): number } {
  const before = process.memoryUsage().rss
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss)
  }, 50)
  return {
    stop: () => {
      clearInterval(timer)
      return (peak - before) / MEGABYTE
    },
  }
}
