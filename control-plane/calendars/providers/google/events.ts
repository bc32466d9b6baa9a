/** Translates an event of Google Calendar into the service's terms. Pure. */
import { z } from 'zod'
import { findMeetingUrl, type MeetingUrlOptions } from '../../meeting-url.ts'
import type { Attendee, ProviderEvent } from '../../ports.ts'
import { flag, list, longText, part, shortText, storable } from '../fields.ts'
import { instantInZone, instantOf } from '../wall-clock.ts'

const moment = part(z.object({ dateTime: shortText, date: shortText, timeZone: shortText }))
const person = z.object({ email: shortText, displayName: shortText, self: flag })
const attendee = person.extend({ responseStatus: shortText, organizer: flag, resource: flag })
const conference = z.object({
  entryPoints: list(z.object({ entryPointType: shortText, uri: longText })),
})

const googleEvent = z.object({
  id: z.string().min(1).max(1024),
  status: shortText,
  eventType: shortText,
  recurringEventId: shortText,
  originalStartTime: moment,
  start: moment,
  end: moment,
  summary: shortText,
  description: longText,
  location: longText,
  hangoutLink: longText,
  conferenceData: part(conference),
  organizer: part(person),
  attendees: list(attendee),
  updated: shortText,
})
type GoogleEvent = z.output<typeof googleEvent>

export type ReadItem =
  | { kind: 'event'; event: ProviderEvent }
  | { kind: 'removed'; id: string }
  /** Not a meeting: a place of work, time for oneself, an absence, a birthday, a booking that was found in an e-mail. */
  | { kind: 'skipped'; id: string }
  | { kind: 'unreadable'; id: string | null; problem: string }

const NO_MEETINGS = new Set(['workingLocation', 'focusTime', 'outOfOffice', 'birthday', 'fromGmail'])

/** `zone` is the calendar's: days without times belong to it. */
export function readGoogleItem(item: unknown, zone: string, options: MeetingUrlOptions): ReadItem {
  const read = googleEvent.safeParse(item)
  if (!read.success) return { kind: 'unreadable', id: idOf(item), problem: 'the event has no id' }
  const { data } = read
  if (data.eventType !== null && NO_MEETINGS.has(data.eventType)) return { kind: 'skipped', id: data.id }
  // It may be an id and little more.
  if (data.status === 'cancelled') return { kind: 'removed', id: data.id }
  const start = instantOfMoment(data.start, zone)
  const end = instantOfMoment(data.end, zone)
  if (start === null || end === null || end < start)
    return { kind: 'unreadable', id: data.id, problem: 'the event has no start and end that can be read' }
  return { kind: 'event', event: toEvent(data, item as Record<string, unknown>, { start, end, zone }, options) }
}

interface Times {
  start: Date
  end: Date
  zone: string
}

function toEvent(
  data: GoogleEvent,
  raw: Record<string, unknown>,
  { start, end, zone }: Times,
  options: MeetingUrlOptions,
): ProviderEvent {
  const originalStart = instantOfMoment(data.originalStartTime, zone)
  const attendees = data.attendees.flatMap(toAttendee)
  return {
    providerId: data.id,
    seriesProviderId: data.recurringEventId ?? data.id,
    isRecurring: data.recurringEventId !== null,
    isException: originalStart !== null && originalStart.getTime() !== start.getTime(),
    originalStart,
    title: data.summary ?? '',
    description: data.description,
    location: data.location,
    start,
    end,
    timezone: data.start?.timeZone ?? (data.start?.date ? zone : null),
    isAllDay: data.start?.dateTime === null && data.start.date !== null,
    status: statusOf(data, attendees),
    organizerEmail: data.organizer?.email ?? null,
    organizerName: data.organizer?.displayName ?? null,
    isOrganizer: data.organizer?.self ?? false,
    attendees,
    meetingUrl: meetingUrlOf(data, options),
    updatedAt: (data.updated === null ? null : instantOf(data.updated)) ?? new Date(0),
    raw: storable(raw),
  }
}

function instantOfMoment(moment: GoogleEvent['start'], zone: string): Date | null {
  if (moment === null) return null
  if (moment.date !== null && moment.dateTime === null) return instantInZone(moment.date, zone)
  if (moment.dateTime === null) return null
  return instantOf(moment.dateTime) ?? instantInZone(moment.dateTime, moment.timeZone ?? zone)
}

function statusOf({ status }: GoogleEvent, attendees: readonly Attendee[]): ProviderEvent['status'] {
  if (attendees.some(({ isSelf, responseStatus }) => isSelf && responseStatus === 'declined')) return 'cancelled'
  return status === 'tentative' ? 'tentative' : 'confirmed'
}

const RESPONSES = new Set<string | null>(['accepted', 'declined', 'tentative'])

function toAttendee(person: GoogleEvent['attendees'][number]): Attendee[] {
  if (person.email === null) return []
  return [
    {
      email: person.email,
      name: person.displayName,
      responseStatus: RESPONSES.has(person.responseStatus)
        ? (person.responseStatus as Attendee['responseStatus'])
        : 'needsAction',
      isOrganizer: person.organizer,
      isSelf: person.self,
      isResource: person.resource,
    },
  ]
}

function meetingUrlOf(data: GoogleEvent, options: MeetingUrlOptions): string | null {
  const points = data.conferenceData?.entryPoints ?? []
  return findMeetingUrl(
    {
      conference: points.flatMap(({ entryPointType, uri }) =>
        entryPointType === 'video' && uri !== null ? [uri] : [],
      ),
      automatic: data.hangoutLink,
      location: data.location === null ? [] : [data.location],
      description: data.description,
      descriptionFormat: 'html',
    },
    options,
  )
}

function idOf(item: unknown): string | null {
  const id = (item as { id?: unknown } | null)?.id
  return typeof id === 'string' && id !== '' && id.length <= 1024 ? id : null
}
