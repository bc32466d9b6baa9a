/**
 * The calendars of the service. Every process with the API has the operations; processes with the role `jobs` also do
 * the due work: syncs, subscriptions, and the stopping of old subscriptions.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { spread } from '@standin/wire/time/backoff.ts'
import { endsWithin, systemClock, within } from '@standin/wire/time/deadline.ts'
import { type Loop, startLoop } from '@standin/wire/time/loop.ts'
import type { Meters } from '../platform/meters.ts'
import { type Log, ProviderError, type Seals } from '../platform/ports.ts'
import { readCalendar } from '../store/calendars/calendars.ts'
import {
  askForPush,
  askForPushOf,
  channelOf,
  channelStopped,
  claimDuePushes,
  claimOldPush,
  claimPush,
  secondsToNextDue,
} from '../store/calendars/channels.ts'
import { askForFullSync, claimDueSyncs, claimSync, hintSync } from '../store/calendars/syncs.ts'
import type { Database } from '../store/database.ts'
import type { Claim } from '../store/row-lease.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import { createHint } from '../store/wake-ups.ts'
import {
  type ConnectTools,
  connect,
  createExchange,
  disconnect,
  listOthers,
  listRaw,
  requireCalendar,
  update,
} from './connect.ts'
import type { CalendarName, CalendarOperations, SyncResult } from './operations.ts'
import type { CalendarPlatform, CalendarProvider } from './ports.ts'
import { NO_ADDRESS, newPushClaim, type PushOutcome, pushCalendar, stopChannels } from './push.ts'
import { cancelBots, changeBots, scheduleBots } from './schedule.ts'
import { newClaim, type SyncOutcome, syncCalendar } from './sync.ts'
import { DEBOUNCE_SECONDS } from './sync-times.ts'
import { createTokens } from './tokens.ts'

/** Longest pause between two polls without hints; the time at which the next known calendar is due ends it earlier. */
const MAX_PAUSE_MS = 1_000
/** While calendars are due for which this process has no room. */
const FULL_PAUSE_MS = 1_000
const JITTER = 0.1
const AFTER_ERROR_MS = 1_000
const LOOK_FOR_OLD_CHANNELS_MS = 60_000
/** Calendars at once: a provider's limits are separate for each account. */
const SYNCS_AT_ONCE = 4
const PUSHES_AT_ONCE = 2
/** How long a caller waits for a sync or a subscription; existing clients give up after 30 s. */
const PATIENCE_MS = 25_000
const AGAIN_MS = 200
const CLOSE_PATIENCE_MS = 5_000

export interface CalendarSettings {
  database: Database
  /** For notifications, whose team is not known yet, if `database` is that of callers. */
  acrossTeams?: Database
  seals: Seals
  log: Log
  meters?: Meters
  providers: Readonly<Record<CalendarPlatform, CalendarProvider>>
  /** The address under which providers reach this service; null: they cannot, and changes are only polled. */
  publicUrl: string | null
  jitsiHosts: readonly string[]
  /** The operator has an app at Zoom. */
  hasZoomApp?: boolean
  /** How long callers wait, for tests. */
  patienceMs?: number
}

export interface Calendars {
  operations: CalendarOperations
  /** Starts the work that is due, from now on. `maxSleepMs`: longest sleep, given the longest one without hints. */
  start(maxSleepMs?: (withoutHintsMs: number) => number): void
  /** Looks for due work now. */
  wake(): void
  /** Opens and renews every subscription that is past its half life, and stops the ones that were replaced. */
  renew(): Promise<{ renewed: number; failed: number; polled: number }>
  /** Does every sync and subscription that is due, and resolves when nothing is. For tests and measurements. */
  settle(): Promise<void>
  close(): Promise<void>
}

export function openCalendars(settings: CalendarSettings): Calendars {
  const { database, log, meters, acrossTeams = database, patienceMs = PATIENCE_MS } = settings
  const tools: ConnectTools = { ...settings, tokens: createTokens(settings) }
  const exchange = createExchange(settings)
  const hint = (due: 'bots' | 'calendars') =>
    createHint(acrossTeams, due, (error) =>
      log.warn({ due, error: String(error) }, 'A change of a calendar was not notified'),
    )
  const hintLaunchers = hint('bots')
  const hintWorkers = hint('calendars')
  const stop = new AbortController()
  const underWay = new Set<Promise<unknown>>()
  const counts = { syncs: 0, pushes: 0 }
  let loop: Loop | undefined
  let oldChannelsAt = 0

  function track<T>(work: Promise<T>, what: string): Promise<T | undefined> {
    const tracked: Promise<T | undefined> = work
      .catch((error) => {
        log.error({ error: String(error) }, what)
        return undefined
      })
      .finally(() => {
        underWay.delete(tracked)
        // There is room now for what was due beside it, and its own calendar may be due again.
        loop?.wake()
      })
    underWay.add(tracked)
    return tracked
  }

  /** Null if another process does it. `isAwaited`: by a caller that may give up, while `close` waits for it. */
  async function sync(calendarId: string, { isAwaited = false } = {}): Promise<SyncOutcome | null> {
    const claim = newClaim()
    const calendar = await claimSync(database, calendarId, claim)
    if (calendar === null) return null
    const work = syncClaimed(calendar, claim)
    if (isAwaited) void track(work, 'A calendar was not synced')
    return work
  }

  async function syncClaimed(calendar: CalendarRow, claim: Claim): Promise<SyncOutcome> {
    const outcome = await syncCalendar(tools, calendar, claim)
    // The bot of an event may be due before launchers would look again.
    if (outcome.outcome === 'stored' && outcome.changed > 0) hintLaunchers()
    return outcome
  }

  /** As `sync`. */
  async function push(calendarId: string, { isNew = false, isAwaited = false } = {}): Promise<PushOutcome | null> {
    const claim = newPushClaim()
    const calendar = await claimPush(database, calendarId, claim)
    if (calendar === null) return null
    const work = pushCalendar(tools, calendar, claim, isNew)
    if (isAwaited) void track(work, 'A subscription was not made')
    return work
  }

  /** Runs at once if there is room; otherwise the calendar stays due, and the next poll does it. */
  function inBackground({ id }: CalendarRow, isNewChannel = false): void {
    if (counts.syncs < SYNCS_AT_ONCE) begin('syncs', sync(id), 'The first sync of a calendar was not made')
    if (counts.pushes < PUSHES_AT_ONCE)
      begin('pushes', push(id, { isNew: isNewChannel }), 'The subscription to a calendar was not made')
  }

  function begin(kind: keyof typeof counts, work: Promise<unknown>, what: string): void {
    counts[kind]++
    void track(
      work.finally(() => counts[kind]--),
      what,
    )
  }

  /** Starts due work while there is room. Returns how much. */
  async function startDue(): Promise<number> {
    const claim = newClaim()
    const syncs = await claimDueSyncs(database, claim, Math.max(0, SYNCS_AT_ONCE - counts.syncs))
    if (syncs.length > 0) meters?.count('claims', { queue: 'calendar_syncs' }, syncs.length)
    for (const calendar of syncs) begin('syncs', syncClaimed(calendar, claim), 'A calendar was not synced')
    const pushClaim = newPushClaim()
    const pushes = await claimDuePushes(database, pushClaim, Math.max(0, PUSHES_AT_ONCE - counts.pushes))
    if (pushes.length > 0) meters?.count('claims', { queue: 'calendar_subscriptions' }, pushes.length)
    for (const calendar of pushes)
      begin('pushes', pushCalendar(tools, calendar, pushClaim), 'A subscription was not made')
    return syncs.length + pushes.length
  }

  async function round(maxSleepMs: (withoutHintsMs: number) => number): Promise<number> {
    const nextIn = await secondsToNextDue(database)
    if (nextIn !== null && nextIn <= 0) await startDue()
    if (performance.now() > oldChannelsAt) {
      oldChannelsAt = performance.now() + LOOK_FOR_OLD_CHANNELS_MS
      void track(stopChannels(tools), 'Old subscriptions were not stopped')
    }
    const longestMs = spread(maxSleepMs(MAX_PAUSE_MS), JITTER)
    if (nextIn === null) return longestMs
    return nextIn > 0 ? Math.min(longestMs, Math.ceil(nextIn * 1000) + 1) : FULL_PAUSE_MS
  }

  const operations: CalendarOperations = {
    listRaw: (platform, credentials) => listRaw(tools, exchange, platform, credentials),
    listOthers: (name) => listOthers(tools, name),
    async connect(caller, connection) {
      const calendar = await connect(tools, exchange, caller, connection)
      inBackground(calendar)
      return calendar
    },
    async update(name, credentials, options = {}) {
      const calendar = await update(tools, exchange, name, credentials, options)
      inBackground(calendar, true)
      return calendar
    },
    disconnect: (name) => disconnect(tools, name),
    sync: (name) => fullSync(name),
    resubscribe: (name) => resubscribe(name),
    scheduleBots: (target, bot, apiKeyId) => scheduleBots(tools, target, bot, apiKeyId),
    changeBots: (target, change) => changeBots(tools, target, change),
    cancelBots: (target) => cancelBots(tools, target),
    async notified(notification) {
      const known = await takeNotification(acrossTeams, notification)
      if (known === 'known') hintWorkers()
      return known
    },
  }

  async function fullSync(name: CalendarName): Promise<SyncResult> {
    const { id } = await requireCalendar(tools, name)
    const askedAt = await askForFullSync(database, id)
    return untilDone(patienceMs, 'The sync is still running and did not end in time', async () => {
      const outcome = await sync(id, { isAwaited: true })
      if (outcome?.outcome === 'stored' && outcome.isFull) return { changed: outcome.changed }
      if (outcome?.outcome === 'failed') throw outcome.problem
      const calendar = await readCalendar(database, id)
      if (calendar === undefined) throw new ProviderError('calendar_not_found', 'The calendar was disconnected')
      // Another process made the sync.
      const isDone = askedAt !== null && calendar.sync_lease_owner === null && calendar.full_due_at > askedAt
      return isDone ? { changed: 0 } : null
    })
  }

  async function resubscribe(name: CalendarName): Promise<{ resubscribedAt: Date; problem: string | null }> {
    const { id } = await requireCalendar(tools, name)
    return untilDone(patienceMs, 'A subscription is still being made and did not end in time', async () => {
      const outcome = await push(id, { isNew: true, isAwaited: true })
      if (outcome === null) return null
      if (outcome.state === 'failed') throw outcome.problem
      return { resubscribedAt: new Date(), problem: outcome.state === 'on' ? null : outcome.message }
    })
  }

  return {
    operations,
    wake: () => loop?.wake(),
    start: (maxSleepMs = (ms) => ms) => {
      if (settings.publicUrl !== null)
        void track(askForPushOf(database, NO_ADDRESS), 'Subscriptions were not asked for')
      loop = startLoop(() => round(maxSleepMs), {
        onError: (error) => log.error({ error: String(error) }, 'Due calendars could not be looked for'),
        afterErrorMs: AFTER_ERROR_MS,
      })
    },
    renew: () => renewOld(tools),
    async settle() {
      while (!stop.signal.aborted) {
        const started = await startDue()
        if (started === 0 && underWay.size === 0) return
        await Promise.race([...underWay, sleep(50)])
      }
    },
    async close() {
      stop.abort()
      await loop?.close()
      await endsWithin(systemClock, CLOSE_PATIENCE_MS, Promise.all(underWay))
      await tools.tokens.close(CLOSE_PATIENCE_MS)
    },
  }
}

/** Makes attempts until one has a result, not null. A caller waits `ms` at most; the attempt under way goes on then. */
async function untilDone<T>(ms: number, tooLate: string, attempt: () => Promise<T | null>): Promise<T> {
  const over = new AbortController()
  const attempts = async () => {
    for (;;) {
      const result = await attempt()
      if (result !== null) return result
      await sleep(AGAIN_MS, undefined, { signal: over.signal })
    }
  }
  const late = () => new ProviderError('unavailable', tooLate)
  return within(systemClock, ms, attempts(), late).finally(() => over.abort())
}

/** Opens and renews every subscription that is past its half life. */
async function renewOld(tools: ConnectTools): ReturnType<Calendars['renew']> {
  const done = { renewed: 0, failed: 0, polled: 0 }
  const seen = new Set<string>()
  for (;;) {
    // One at a time: a provider may be slow, and the claim is not renewed.
    const claim = newPushClaim()
    const calendar = await claimOldPush(tools.database, claim, [...seen])
    if (calendar === null) break
    seen.add(calendar.id)
    const { state } = await pushCalendar(tools, calendar, claim)
    done[state === 'on' ? 'renewed' : state === 'off' ? 'polled' : 'failed']++
  }
  await stopChannels(tools)
  return done
}

/** Makes the sync or the subscription due that a notification of a provider asks for. */
async function takeNotification(
  database: Database,
  notification: Parameters<CalendarOperations['notified']>[0],
): ReturnType<CalendarOperations['notified']> {
  const { platform, token } = notification
  const name = notification.platform === 'google' ? notification.channelId : notification.subscriptionId
  const channel = await channelOf(database, platform, name, token)
  if (channel === undefined) return 'unknown'
  const { calendar_id: calendarId } = channel
  if (notification.platform === 'google') {
    if (notification.state !== 'sync') await hintSync(database, calendarId, DEBOUNCE_SECONDS)
    return 'known'
  }
  if (notification.kind === 'removed') {
    await channelStopped(database, channel.id)
    await askForFullSync(database, calendarId)
  }
  if (notification.kind === 'removed' || notification.kind === 'reauthorize') await askForPush(database, calendarId)
  else await hintSync(database, calendarId, DEBOUNCE_SECONDS)
  return 'known'
}
