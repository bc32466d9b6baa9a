/** A connected calendar as the newer generation answers it. Credentials are never answered. */

import type { OpenChannel } from '../../../store/calendars/reads.ts'
import type { CalendarRow } from '../../../store/rows/index.ts'
import { at } from '../common.ts'
import type { CalendarDetails, CalendarItem } from './schema.ts'

export function calendarItem(calendar: CalendarRow): CalendarItem {
  return { ...namesOf(calendar), synced_at: at(calendar.synced_at), created_at: calendar.created_at.toISOString() }
}

export function createdCalendar(calendar: CalendarRow) {
  return { ...namesOf(calendar), created_at: calendar.created_at.toISOString() }
}

export function updatedCalendar(calendar: CalendarRow) {
  return { ...namesOf(calendar), updated_at: calendar.updated_at.toISOString() }
}

export function calendarDetails(calendar: CalendarRow, channel: OpenChannel | null): CalendarDetails {
  return {
    ...calendarItem(calendar),
    status_message: calendar.status_message,
    subscription_id: channel?.provider_id ?? null,
    subscription_expires_at: at(channel?.expires_at ?? null),
    sync_status: calendar.sync_status as CalendarDetails['sync_status'],
    sync_error: calendar.sync_error,
    provider_metadata: calendar.provider_metadata as CalendarDetails['provider_metadata'],
    updated_at: calendar.updated_at.toISOString(),
  }
}

function namesOf(calendar: CalendarRow) {
  return {
    calendar_id: calendar.id,
    calendar_platform: calendar.platform as CalendarItem['calendar_platform'],
    account_email: calendar.account_email,
    status: calendar.status as CalendarItem['status'],
  }
}
