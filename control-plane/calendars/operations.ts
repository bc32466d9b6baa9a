/** The calendar operations that the API calls. `index.ts` has the real ones. */

import type { BotRequest } from '../bots/request.ts'
import type { CalendarRow } from '../store/rows/index.ts'
import type { CalendarPlatform, OAuthCredentials, RawCalendar } from './ports.ts'

export interface CalendarOperations {
  /** The account's calendars; nothing is stored. */
  listRaw(platform: CalendarPlatform, credentials: OAuthCredentials): Promise<RawCalendar[]>
  /** Calendars of the account of a connected calendar that the team has not connected, read with its credentials. */
  listOthers(calendar: CalendarName): Promise<RawCalendar[]>
  /** Resolves once the calendar is stored; its first sync and its subscription continue in the background. */
  connect(caller: Caller, connection: NewConnection): Promise<CalendarRow>
  /**
   * Other credentials, with which the calendar must be found again. A full sync follows in the background. A refused token
   * leaves the stored credentials and makes the status `error`.
   */
  update(calendar: CalendarName, credentials: OAuthCredentials, options?: UpdateOptions): Promise<CalendarRow>
  /** Removes events, series and schedules; running bots continue. */
  disconnect(calendar: CalendarName): Promise<void>
  /** A full sync, whose end it waits for. */
  sync(calendar: CalendarName): Promise<SyncResult>
  /** A new subscription in place of the old one. `problem`: why changes are polled instead. */
  resubscribe(calendar: CalendarName): Promise<{ resubscribedAt: Date; problem: string | null }>
  scheduleBots(target: BotTarget, bot: BotRequest, apiKeyId: string | null): Promise<BotsResult>
  /** `change` gets each bot as it is wanted now, and must not change it in place. */
  changeBots(target: BotTarget, change: (before: BotRequest) => BotRequest): Promise<BotsResult>
  cancelBots(target: BotTarget): Promise<BotsResult>
  /**
   * A notification of a provider. `known`: its channel and token are ours, and what follows happens later. Never waits for a
   * provider.
   */
  notified(notification: Notification): Promise<'known' | 'unknown'>
}

/** Who connects. Calendars of one generation do not exist for the other. */
export interface Caller {
  teamId: string
  apiKeyId: string | null
  generation: 'v2' | 'older'
  isCompat: boolean
}

export interface NewConnection {
  platform: CalendarPlatform
  credentials: OAuthCredentials
  /** Null: the primary calendar. */
  rawCalendarId: string | null
}

/** A calendar of another team or generation rejects with `calendar_not_found`. */
export interface CalendarName {
  teamId: string
  generation: 'v2' | 'older' | 'any'
  calendarId: string
}

export interface UpdateOptions {
  /** The older generation: every schedule is removed first. */
  cancelsSchedules?: boolean
  /** The older generation names it again; another one than the calendar's is refused with `platform_mismatch`. */
  platform?: CalendarPlatform
}

export interface SyncResult {
  /** Events that were new, changed or gone. */
  changed: number
}

/** Events of one calendar. `eventId` wins over `seriesId`, but for all occurrences where both name a series. */
export interface BotTarget {
  teamId: string
  generation: 'v2' | 'older' | 'any'
  /** Null: the calendar of the event. */
  calendarId: string | null
  seriesId: string | null
  eventId: string | null
  allOccurrences: boolean
}

export interface BotsResult {
  /** Events that were done. */
  eventIds: string[]
  refused: RefusedEvent[]
}

export interface RefusedEvent {
  eventId: string
  code: 'BOT_ALREADY_SCHEDULED' | 'NO_MEETING_URL' | 'BOT_STATUS' | 'EVENT_CANCELLED' | 'EVENT_OVER' | 'NOT_SCHEDULED'
  message: string
}

export type Notification =
  | { platform: 'google'; channelId: string; token: string; state: 'sync' | 'exists' | 'not_exists' }
  | { platform: 'microsoft'; subscriptionId: string; token: string; kind: 'changed' | 'missed' }
  /** The subscription is gone, or its owner has to be authorized again. */
  | { platform: 'microsoft'; subscriptionId: string; token: string; kind: 'removed' | 'reauthorize' }

/** Whether the caller of a command may see the calendar. */
export function isCalendarOf(
  { teamId, generation }: Pick<CalendarName, 'teamId' | 'generation'>,
  calendar: Pick<CalendarRow, 'team_id' | 'generation'>,
): boolean {
  return calendar.team_id === teamId && (generation === 'any' || calendar.generation === generation)
}
