/** Translates an event of Microsoft Graph into the service's terms. Pure. */
import { z } from 'zod'
import { findMeetingUrl, type MeetingUrlOptions } from '../../meeting-url.ts'
import type { Attendee, ProviderEvent } from '../../ports.ts'
import { flag, list, longText, part, shortText, storable } from '../fields.ts'
import { instantInZone, instantOf, isKnownZone } from '../wall-clock.ts'

const moment = part(z.object({ dateTime: shortText, timeZone: shortText }))
const address = part(z.object({ name: shortText, address: shortText }))
const place = z.object({ displayName: longText, locationUri: longText })
const attendee = z.object({
  type: shortText,
  status: part(z.object({ response: shortText })),
  emailAddress: address,
})

const graphEvent = z.object({
  id: z.string().min(1).max(1024),
  type: shortText,
  seriesMasterId: shortText,
  originalStart: shortText,
  originalStartTimeZone: shortText,
  subject: shortText,
  body: part(z.object({ contentType: shortText, content: longText })),
  location: part(place),
  locations: list(place),
  start: moment,
  end: moment,
  isAllDay: flag,
  isCancelled: flag,
  showAs: shortText,
  isOrganizer: flag,
  organizer: part(z.object({ emailAddress: address })),
  attendees: list(attendee),
  responseStatus: part(z.object({ response: shortText })),
  onlineMeeting: part(z.object({ joinUrl: longText })),
  onlineMeetingUrl: longText,
  lastModifiedDateTime: shortText,
})
type GraphEvent = z.output<typeof graphEvent>

export type GraphItem = Record<string, unknown>

export type ReadItem =
  | { kind: 'event'; event: ProviderEvent }
  /** Not a meeting: an appointment without attendees, which its owner marked as an absence or as a place of work. */
  | { kind: 'skipped'; id: string }
  | { kind: 'unreadable'; id: string | null; problem: string }

const NO_MEETINGS = new Set<string | null>(['oof', 'workingElsewhere'])

export function readGraphEvent(item: unknown, options: MeetingUrlOptions): ReadItem {
  const read = graphEvent.safeParse(item)
  if (!read.success) return { kind: 'unreadable', id: null, problem: 'the event has no id' }
  const { data } = read
  if (NO_MEETINGS.has(data.showAs) && data.attendees.length === 0) return { kind: 'skipped', id: data.id }
  const start = instantOfMoment(data.start, data)
  const end = instantOfMoment(data.end, data)
  if (start === null || end === null || end < start)
    return { kind: 'unreadable', id: data.id, problem: timeProblem(data) }
  return { kind: 'event', event: toEvent(data, item as GraphItem, start, end, options) }
}

function toEvent(data: GraphEvent, raw: GraphItem, start: Date, end: Date, options: MeetingUrlOptions): ProviderEvent {
  return {
    providerId: data.id,
    seriesProviderId: data.seriesMasterId ?? data.id,
    isRecurring: data.type === 'occurrence' || data.type === 'exception',
    isException: data.type === 'exception',
    originalStart: data.originalStart === null ? null : instantOf(data.originalStart),
    title: data.subject ?? '',
    description: data.body?.content ?? null,
    location: data.location?.displayName ?? data.location?.locationUri ?? null,
    start,
    end,
    timezone: data.originalStartTimeZone ?? data.start?.timeZone ?? null,
    isAllDay: data.isAllDay,
    status: statusOf(data),
    organizerEmail: data.organizer?.emailAddress?.address ?? null,
    organizerName: data.organizer?.emailAddress?.name ?? null,
    isOrganizer: data.isOrganizer,
    attendees: data.attendees.flatMap((person) => toAttendee(person, data)),
    meetingUrl: meetingUrlOf(data, options),
    updatedAt: (data.lastModifiedDateTime === null ? null : instantOf(data.lastModifiedDateTime)) ?? new Date(0),
    raw: storable(raw),
  }
}

/**
 * The times have no offset: they belong to the zone beside them. Graph gives the days of an all-day event as midnight in
 * the zone that was asked for, and they are meant in the zone of the event
 * (https://learn.microsoft.com/graph/api/resources/event, `isAllDay`).
 */
function instantOfMoment(moment: GraphEvent['start'], { isAllDay, originalStartTimeZone }: GraphEvent): Date | null {
  if (moment?.dateTime == null) return null
  const day = isAllDay && originalStartTimeZone !== null ? MIDNIGHT.exec(moment.dateTime)?.[1] : undefined
  const dayStart = day === undefined ? null : instantInZone(day, originalStartTimeZone!)
  return dayStart ?? instantInZone(moment.dateTime, zoneOf(moment)) ?? instantOf(moment.dateTime)
}

const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})(?:T00:00(?::00(?:\.0+)?)?)?$/

/** A custom zone has no rules in the event; every request asks for UTC (`calls.ts`), so that is what its times are in. */
function zoneOf(moment: NonNullable<GraphEvent['start']>): string {
  return moment.timeZone === null || /^tzone:/i.test(moment.timeZone) ? 'UTC' : moment.timeZone
}

function timeProblem({ start, end }: GraphEvent): string {
  const unknown = [start, end].find((moment) => moment !== null && !isKnownZone(zoneOf(moment)))
  if (unknown) return `the time zone ${JSON.stringify(zoneOf(unknown).slice(0, 100))} is unknown`
  return 'the event has no start and end that can be read'
}

function statusOf({ isCancelled, responseStatus, showAs }: GraphEvent): ProviderEvent['status'] {
  const response = responseStatus?.response
  if (isCancelled || response === 'declined') return 'cancelled'
  return showAs === 'tentative' || response === 'tentativelyAccepted' ? 'tentative' : 'confirmed'
}

const RESPONSES: Readonly<Record<string, Attendee['responseStatus']>> = {
  organizer: 'accepted',
  accepted: 'accepted',
  declined: 'declined',
  tentativelyAccepted: 'tentative',
}

function toAttendee({ type, status, emailAddress }: GraphEvent['attendees'][number], data: GraphEvent): Attendee[] {
  const email = emailAddress?.address
  if (!email) return []
  const organizer = data.organizer?.emailAddress?.address ?? null
  const isOrganizer = organizer !== null && organizer.toLowerCase() === email.toLowerCase()
  return [
    {
      email,
      name: emailAddress?.name ?? null,
      responseStatus: RESPONSES[status?.response ?? ''] ?? 'needsAction',
      isOrganizer,
      isSelf: isOrganizer && data.isOrganizer,
      isResource: type === 'resource',
    },
  ]
}

function meetingUrlOf(data: GraphEvent, options: MeetingUrlOptions): string | null {
  const present = (texts: (string | null | undefined)[]) => texts.filter((text) => typeof text === 'string')
  return findMeetingUrl(
    {
      conference: present([data.onlineMeeting?.joinUrl, data.onlineMeetingUrl]),
      automatic: null,
      location: present(
        [data.location, ...data.locations].flatMap((place) => [place?.locationUri, place?.displayName]),
      ),
      description: data.body?.content ?? null,
      descriptionFormat: data.body?.contentType?.toLowerCase() === 'text' ? 'text' : 'html',
    },
    options,
  )
}
