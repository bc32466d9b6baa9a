/** Subscriptions to changes. They only save time: the next poll finds the changes in any case. */
import { randomBytes, randomUUID } from 'node:crypto'
import { type Log, ProviderError } from '../platform/ports.ts'
import { channelStopped, endPush, openChannel, storeChannel, takeChannelsToStop } from '../store/calendars/channels.ts'
import { askForFullSync } from '../store/calendars/syncs.ts'
import type { Database } from '../store/database.ts'
import type { Claim } from '../store/row-lease.ts'
import type { CalendarRow, ChannelRow } from '../store/rows/index.ts'
import type { CalendarPlatform, CalendarProvider, Subscription, WatchRequest } from './ports.ts'
import { lastingStatus, problemText } from './status.ts'
import type { Tokens } from './tokens.ts'

const LEASE_SECONDS = 120
const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STOPPED_AT_ONCE = 20

export interface PushTools {
  database: Database
  providers: Readonly<Record<CalendarPlatform, CalendarProvider>>
  tokens: Tokens
  log: Log
  /** The address under which providers reach this service; null: they cannot. */
  publicUrl: string | null
}

export const NO_ADDRESS =
  'Changes are polled every 15 minutes: the public address of this service is none that the provider can reach by https'

export const newPushClaim = (): Claim => ({ owner: randomUUID(), leaseSeconds: LEASE_SECONDS })

export type PushOutcome = { state: 'on' } | { state: 'off' | 'failed'; message: string; problem: unknown }

/** Opens the channel of a calendar that was claimed, or renews it. `isNew`: also if one is open. Rejects for the database only. */
export async function pushCalendar(
  tools: PushTools,
  calendar: CalendarRow,
  claim: Claim,
  isNew = false,
): Promise<PushOutcome> {
  const { database, log, publicUrl } = tools
  const end = async (outcome: Exclude<PushOutcome, { state: 'on' }>, nextInSeconds: number): Promise<PushOutcome> => {
    const state = outcome.state === 'off' ? 'off' : isOpen ? null : 'wanted'
    await endPush(database, calendar.id, claim.owner, { state, message: outcome.message, nextInSeconds })
    return outcome
  }
  let isOpen = false
  if (publicUrl === null) return end({ state: 'off', message: NO_ADDRESS, problem: null }, DAY)
  try {
    const open = await openChannel(database, calendar.id)
    isOpen = open !== undefined
    const request = requestOf(publicUrl, calendar.platform)
    const subscription = await subscribe(tools, calendar, isNew ? undefined : open, request)
    const channel = { ...subscription, providerId: subscription.id, token: request.token }
    const isStored = await storeChannel(database, calendar, claim.owner, channel)
    // A subscription that was only prolonged still belongs to the calendar, also if another process has the claim now.
    if (!isStored && subscription.id !== open?.provider_id) await stopQuietly(tools, calendar, subscription)
    await stopChannels(tools, calendar.id)
    return { state: 'on' }
  } catch (problem) {
    if (!(problem instanceof ProviderError)) throw problem
    const message = `Changes are polled every 15 minutes: ${problemText(problem)}`
    if (problem.kind === 'push_not_supported') return end({ state: 'off', message, problem }, 7 * DAY)
    log.warn(
      { team: calendar.team_id, calendar: calendar.id, problem: problem.kind },
      'No subscription to the changes of a calendar',
    )
    const wait = lastingStatus(problem) === null ? 5 * MINUTE : HOUR
    return end({ state: 'failed', message, problem }, Math.max(wait, (problem.retryAfterMs ?? 0) / 1000))
  }
}

function requestOf(publicUrl: string, platform: string): WatchRequest {
  return {
    channelId: randomUUID(),
    token: randomBytes(32).toString('base64url'),
    address: `${publicUrl}/hooks/${platform}`,
    lifecycleAddress: `${publicUrl}/hooks/${platform}/lifecycle`,
  }
}

async function subscribe(
  tools: PushTools,
  calendar: CalendarRow,
  open: ChannelRow | undefined,
  request: WatchRequest,
): Promise<Subscription> {
  const provider = tools.providers[calendar.platform as CalendarPlatform]
  const watch = () =>
    tools.tokens.withToken(calendar.id, (token) => provider.watch(token, calendar.raw_calendar_id, request))
  if (open === undefined) return watch()
  try {
    return await tools.tokens.withToken(calendar.id, (token) =>
      provider.renew(token, calendar.raw_calendar_id, subscriptionOf(open), request),
    )
  } catch (problem) {
    if (!(problem instanceof ProviderError) || problem.kind !== 'not_found') throw problem
    // The start of the silence is unknown.
    await askForFullSync(tools.database, calendar.id)
    return watch()
  }
}

/** Stops channels that were replaced; both deliver until then, which costs one extra hint at most. */
export async function stopChannels(tools: PushTools, calendarId?: string): Promise<void> {
  for (const channel of await takeChannelsToStop(tools.database, STOPPED_AT_ONCE, calendarId)) {
    // Without the calendar's credentials the channel cannot be stopped: it expires.
    const isOver = !channel.is_connected || channel.expires_at.getTime() < Date.now()
    if (isOver || (await stopOne(tools, channel))) await channelStopped(tools.database, channel.id)
  }
}

async function stopOne({ providers, tokens, log }: PushTools, channel: ChannelRow): Promise<boolean> {
  const provider = providers[channel.platform as CalendarPlatform]
  try {
    await tokens.withToken(channel.calendar_id, (token) => provider.unwatch(token, subscriptionOf(channel)))
    return true
  } catch (problem) {
    log.warn({ calendar: channel.calendar_id, error: problemText(problem) }, 'An old subscription could not be stopped')
    return false
  }
}

async function stopQuietly(tools: PushTools, calendar: CalendarRow, subscription: Subscription): Promise<void> {
  const provider = tools.providers[calendar.platform as CalendarPlatform]
  await tools.tokens
    .withToken(calendar.id, (token) => provider.unwatch(token, subscription))
    .catch((problem) =>
      tools.log.warn(
        { team: calendar.team_id, calendar: calendar.id, error: problemText(problem) },
        'An obsolete subscription could not be removed',
      ),
    )
}

export const subscriptionOf = (channel: ChannelRow): Subscription => ({
  id: channel.provider_id,
  resourceId: channel.resource_id,
  expiresAt: channel.expires_at,
})
