/** Connects calendars, changes their credentials, and disconnects them. */
import { createHash } from 'node:crypto'
import { systemClock, within } from '@standin/wire/time/deadline.ts'
import { stopBots } from '../bots/actions/stop-bot.ts'
import { accessTokenOf } from '../connections/token-answer.ts'
import { ProviderError } from '../platform/ports.ts'
import { logChange } from '../store/audit-log.ts'
import {
  accessTokenPlace,
  calendarsOfAccount,
  changeCalendar,
  credentialsPlace,
  insertCalendar,
  lockCalendar,
  readCalendar,
  removeCalendar,
  writeCalendar,
} from '../store/calendars/calendars.ts'
import { channelStopped, endChannels } from '../store/calendars/channels.ts'
import { lockScheduledBots, removeIntents } from '../store/calendars/intents.ts'
import { nowOf } from '../store/clock.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import { messagesOfConnect, messagesOfDisconnect, messagesOfUpdate } from './messages.ts'
import { type CalendarName, type Caller, isCalendarOf, type NewConnection, type UpdateOptions } from './operations.ts'
import type { CalendarPlatform, OAuthCredentials, RawCalendar } from './ports.ts'
import { type PushTools, subscriptionOf } from './push.ts'
import { lastingStatus, problemText, statusChange } from './status.ts'
import type { SyncTools } from './sync.ts'

export type ConnectTools = SyncTools & PushTools

/** Refresh tokens that a provider replaced while a caller only listed the calendars. */
const REMEMBERED = { count: 1000, ms: 3_600_000 }
/** To get an access token before a calendar is disconnected. */
const TOKEN_PATIENCE_MS = 5_000

export interface Exchange {
  accessToken: string
  accessTokenSeconds: number
  credentials: OAuthCredentials
}

/**
 * Tests credentials that a caller sent. A caller lists the calendars first and then connects one, with the same refresh
 * token: if the provider replaced it in between, the new one is used.
 */
export function createExchange({ providers }: Pick<SyncTools, 'providers'>) {
  const replaced = new Map<string, { refreshToken: string; untilMs: number }>()
  const keyOf = (platform: string, { clientId, clientSecret, refreshToken, tenantId }: OAuthCredentials) =>
    createHash('sha256')
      .update(JSON.stringify([platform, clientId, clientSecret, refreshToken, tenantId]))
      .digest('base64')

  return async (platform: CalendarPlatform, given: OAuthCredentials): Promise<Exchange> => {
    const key = keyOf(platform, given)
    const known = replaced.get(key)
    const refreshToken = known !== undefined && known.untilMs > Date.now() ? known.refreshToken : given.refreshToken
    const answer = await providers[platform].refresh({ ...given, refreshToken })
    const newest = answer.refreshToken ?? refreshToken
    if (newest !== given.refreshToken) {
      replaced.delete(key)
      replaced.set(key, { refreshToken: newest, untilMs: Date.now() + REMEMBERED.ms })
      if (replaced.size > REMEMBERED.count) replaced.delete(replaced.keys().next().value!)
    }
    const { accessTokenSeconds } = answer
    return { accessToken: accessTokenOf(answer), accessTokenSeconds, credentials: { ...given, refreshToken: newest } }
  }
}
export type ExchangeCredentials = ReturnType<typeof createExchange>

export async function listRaw(
  tools: ConnectTools,
  exchange: ExchangeCredentials,
  platform: CalendarPlatform,
  credentials: OAuthCredentials,
): Promise<RawCalendar[]> {
  const { accessToken } = await exchange(platform, credentials)
  return tools.providers[platform].listCalendars(accessToken)
}

export async function listOthers(tools: ConnectTools, name: CalendarName): Promise<RawCalendar[]> {
  const calendar = await requireCalendar(tools, name)
  const { listCalendars } = tools.providers[calendar.platform as CalendarPlatform]
  const found = await tools.tokens.withToken(calendar.id, listCalendars)
  const connected = await calendarsOfAccount(tools.database, calendar)
  return found.filter(({ id }) => !connected.includes(id))
}

export async function connect(
  tools: ConnectTools,
  exchange: ExchangeCredentials,
  caller: Caller,
  { platform, credentials: given, rawCalendarId }: NewConnection,
): Promise<CalendarRow> {
  const { calendar, accessToken, accessTokenSeconds, credentials } = await find(
    tools,
    exchange,
    platform,
    given,
    rawCalendarId,
  )
  const stored = await insertCalendar(
    tools.database,
    tools.seals,
    {
      ...caller,
      platform,
      rawCalendarId: calendar.id,
      name: calendar.name,
      accountEmail: calendar.email,
      isPrimary: calendar.isPrimary,
      providerMetadata: { name: calendar.name, is_primary: calendar.isPrimary },
      credentials: JSON.stringify(credentials),
      accessToken,
      accessTokenSeconds,
    },
    messagesOfConnect,
  )
  if (stored === 'already_connected') throw new ProviderError('already_connected', 'This calendar is connected already')
  if ('limit' in stored)
    throw new ProviderError('limit_reached', `The team may connect ${stored.limit} calendars, and has that many`)
  return stored
}

async function find(
  tools: ConnectTools,
  exchange: ExchangeCredentials,
  platform: CalendarPlatform,
  given: OAuthCredentials,
  rawCalendarId: string | null,
): Promise<Exchange & { calendar: RawCalendar }> {
  const exchanged = await exchange(platform, given)
  const calendars = await tools.providers[platform].listCalendars(exchanged.accessToken)
  // Google accepts this word instead of an id.
  const isPrimary = rawCalendarId === null || (platform === 'google' && rawCalendarId === 'primary')
  const calendar = calendars.find((one) => (isPrimary ? one.isPrimary : one.id === rawCalendarId))
  if (calendar === undefined)
    throw new ProviderError(
      'raw_calendar_not_found',
      isPrimary ? 'The account has no primary calendar' : 'The account has no calendar with this id',
    )
  return { ...exchanged, calendar }
}

export async function requireCalendar(
  { database }: Pick<ConnectTools, 'database'>,
  name: CalendarName,
): Promise<CalendarRow> {
  const calendar = await readCalendar(database, name.calendarId)
  if (calendar === undefined || !isCalendarOf(name, calendar)) throw unknownCalendar()
  return calendar
}

const unknownCalendar = () => new ProviderError('calendar_not_found', 'There is no calendar with this id')

export async function update(
  tools: ConnectTools,
  exchange: ExchangeCredentials,
  name: CalendarName,
  given: OAuthCredentials,
  options: UpdateOptions,
): Promise<CalendarRow> {
  const calendar = await requireCalendar(tools, name)
  const platform = calendar.platform as CalendarPlatform
  if (options.platform !== undefined && options.platform !== platform)
    throw new ProviderError('platform_mismatch', `The calendar is one of ${platform}, which cannot be changed`)
  let found: Exchange
  try {
    found = await exchange(platform, given)
    await tools.providers[platform].listCalendars(found.accessToken).then((calendars) => {
      if (!calendars.some(({ id }) => id === calendar.raw_calendar_id))
        throw new ProviderError(
          'raw_calendar_not_found',
          'The account of these credentials does not have this calendar',
        )
    })
  } catch (error) {
    if (lastingStatus(error) !== null)
      await changeCalendar(tools.database, calendar.id, (row, now) =>
        statusChange(row, 'error', problemText(error), now),
      )
    throw error
  }
  return storeUpdate(tools, calendar.id, found, options)
}

async function storeUpdate(
  { database, seals }: ConnectTools,
  calendarId: string,
  { accessToken, accessTokenSeconds, credentials }: Exchange,
  options: UpdateOptions,
): Promise<CalendarRow> {
  return database.transaction().execute(async (tx) => {
    const calendar = await lockCalendar(tx, calendarId)
    if (calendar === undefined) throw unknownCalendar()
    const bots = options.cancelsSchedules ? await lockScheduledBots(tx, calendarId) : []
    const now = await nowOf(tx)
    if (options.cancelsSchedules) {
      await stopBots(tx, bots, now)
      await removeIntents(tx, calendarId)
    }
    const patch = {
      credentials: seals.seal(JSON.stringify(credentials), credentialsPlace(calendarId)),
      tokens_version: calendar.tokens_version + 1,
      access_token: seals.seal(accessToken, accessTokenPlace(calendarId)),
      access_token_until: new Date(now.getTime() + accessTokenSeconds * 1000),
      status: 'active',
      status_message: null,
      cursor: null,
      sync_due_at: now,
      full_due_at: now,
      push_due_at: now,
      updated_at: now,
    }
    await logChange(tx, { teamId: calendar.team_id, action: 'calendar.change', target: calendarId })
    return writeCalendar(tx, calendarId, { patch, messages: messagesOfUpdate({ ...calendar, ...patch }, now) })
  })
}

export async function disconnect(tools: ConnectTools, name: CalendarName): Promise<void> {
  const { database, log } = tools
  const calendar = await requireCalendar(tools, name)
  // Without credentials no subscription can be stopped.
  const fetched = tools.tokens.withToken(calendar.id, async (value) => value)
  const token = await within(systemClock, TOKEN_PATIENCE_MS, fetched, () => new Error('no token in time')).catch(
    () => null,
  )
  const channels = await database.transaction().execute(async (tx) => {
    const locked = await lockCalendar(tx, calendar.id)
    if (locked === undefined) throw unknownCalendar()
    const bots = await lockScheduledBots(tx, calendar.id)
    const now = await nowOf(tx)
    await stopBots(tx, bots, now)
    const open = await endChannels(tx, calendar.id)
    await writeCalendar(tx, calendar.id, { patch: { updated_at: now }, messages: messagesOfDisconnect(locked, now) })
    await removeCalendar(tx, calendar.id, now)
    await logChange(tx, { teamId: calendar.team_id, action: 'calendar.disconnect', target: calendar.id })
    return open
  })
  if (token === null) return
  const provider = tools.providers[calendar.platform as CalendarPlatform]
  for (const channel of channels)
    await provider
      .unwatch(token, subscriptionOf(channel))
      .then(() => channelStopped(database, channel.id))
      .catch((error) =>
        log.warn(
          { team: calendar.team_id, calendar: calendar.id, error: problemText(error) },
          'A subscription was not stopped: it ends by itself',
        ),
      )
}
