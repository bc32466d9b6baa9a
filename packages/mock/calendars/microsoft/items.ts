/** Events as Microsoft Graph shows them, with times in UTC. */
import type { StandInAccount } from '../account.ts'
import {
  type Answer,
  DAY_MS,
  type Instance,
  instanceOn,
  instancesOf,
  inZone,
  type Person,
  type StoredEvent,
} from '../model.ts'

/**
 * Opaque at Graph; here event and day can be read back. As at Exchange it has the day of the original start, so it stays
 * the same if a series is moved within the day.
 */
export function instanceId({ event, originalStart }: Pick<Instance, 'event' | 'originalStart'>): string {
  return originalStart === null ? event.id : `${event.id}.${dayOf(event, originalStart)}`
}

const dayOf = ({ isAllDay, timezone }: StoredEvent, original: Date) =>
  inZone(original, isAllDay ? 'UTC' : timezone)
    .toPlainDate()
    .toString()

export const eventIdOf = (id: string): string => id.replace(/\.\d{4}-\d{2}-\d{2}$/, '')

/** Null if the series' rule has no such instance. */
export function instanceOfId(event: StoredEvent, id: string): Instance | null {
  if (!event.isSeries) return instanceOn(event, null)
  const day = new Date(id.slice(-10)).getTime()
  const around = { start: new Date(day - DAY_MS), end: new Date(day + 2 * DAY_MS) }
  return (
    instancesOf(event, around, { gone: true, everywhere: true }).find(
      (instance) => instanceId(instance) === id && instance.existence !== 'deleted',
    ) ?? null
  )
}

export function itemOf(instance: Instance, account: StandInAccount): Record<string, unknown> {
  const { event, originalStart } = instance
  const type = originalStart === null ? 'singleInstance' : instance.isException ? 'exception' : 'occurrence'
  return {
    ...shared(instance, account, event),
    id: instanceId(instance),
    type,
    lastModifiedDateTime: instance.updated.toISOString(),
    isCancelled: instance.existence === 'cancelled',
    seriesMasterId: originalStart === null ? null : event.id,
    originalStart: originalStart?.toISOString() ?? null,
    start: momentOf(instance.start),
    end: momentOf(instance.end),
    recurrence: null,
  }
}

/** The short form in which a delta lists an occurrence without changes of its series. */
export function stubOf(instance: Instance): Record<string, unknown> {
  return {
    '@odata.type': '#microsoft.graph.event',
    '@odata.etag': etagOf(instance.revision),
    id: instanceId(instance),
    type: 'occurrence',
    seriesMasterId: instance.event.id,
    start: momentOf(instance.start),
    end: momentOf(instance.end),
  }
}

export function masterOf(event: StoredEvent, account: StandInAccount): Record<string, unknown> {
  const { start, durationMs, stepDays, count, until } = event.schedules.at(-1)!
  const date = (instant: Date) => instant.toISOString().slice(0, 10)
  const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']
  return {
    ...shared(event, account, event),
    id: event.id,
    type: 'seriesMaster',
    lastModifiedDateTime: event.updated.toISOString(),
    isCancelled: event.existence === 'cancelled',
    seriesMasterId: null,
    originalStart: null,
    start: momentOf(start),
    end: momentOf(new Date(start.getTime() + durationMs)),
    recurrence: {
      pattern:
        stepDays === 7
          ? { type: 'weekly', interval: 1, daysOfWeek: [days[start.getUTCDay()]], firstDayOfWeek: 'sunday' }
          : { type: 'daily', interval: 1 },
      range: {
        type: count !== null ? 'numbered' : until !== null ? 'endDate' : 'noEnd',
        startDate: date(start),
        endDate: until === null ? '0001-01-01' : date(new Date(until.getTime() - 1)),
        numberOfOccurrences: count ?? 0,
        recurrenceTimeZone: event.timezone,
      },
    },
  }
}

type Said = Pick<
  Instance,
  'title' | 'description' | 'location' | 'link' | 'answer' | 'organizer' | 'attendees' | 'status' | 'revision'
>

const RESPONSES: Readonly<Record<Answer, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  tentative: 'tentativelyAccepted',
  needsAction: 'notResponded',
}

function shared(said: Said, account: StandInAccount, event: StoredEvent): Record<string, unknown> {
  const { title, description, location, link, answer, organizer, attendees, status } = said
  const isOrganizer = organizer === null
  const own: Person = { email: account.email, name: account.name, ...(answer !== null && { answer }) }
  return {
    '@odata.etag': etagOf(said.revision),
    createdDateTime: event.created.toISOString(),
    originalStartTimeZone: event.timezone,
    originalEndTimeZone: event.timezone,
    iCalUId: `040000008200E00074C5B7101A82E008${Buffer.from(event.id).toString('hex').toUpperCase()}`,
    subject: title,
    bodyPreview: description.replace(/<[^>]*>/g, ' ').slice(0, 255),
    body: { contentType: 'html', content: `<html><body>${description}</body></html>` },
    importance: 'normal',
    sensitivity: 'normal',
    showAs: event.showAs ?? (status === 'tentative' || answer === 'needsAction' ? 'tentative' : 'busy'),
    isAllDay: event.isAllDay,
    isOrganizer,
    responseRequested: true,
    organizer: { emailAddress: addressOf(organizer ?? own) },
    attendees: [...(isOrganizer ? [] : [own]), ...attendees].map((person) => ({
      type: person.isResource ? 'resource' : 'required',
      status: { response: person.answer ? RESPONSES[person.answer] : 'none', time: '0001-01-01T00:00:00Z' },
      emailAddress: addressOf(person),
    })),
    responseStatus: {
      response: isOrganizer ? 'organizer' : answer === null ? 'none' : RESPONSES[answer],
      time: '0001-01-01T00:00:00Z',
    },
    location: placeOf(location),
    locations: location === '' ? [] : [placeOf(location)],
    isOnlineMeeting: link !== null,
    onlineMeetingProvider: link === null ? 'unknown' : 'teamsForBusiness',
    onlineMeetingUrl: null,
    onlineMeeting: link === null ? null : { joinUrl: link },
    webLink: `https://outlook.office365.com/owa/?itemid=${event.id}`,
  }
}

const addressOf = ({ email, name }: Person) => ({ name: name ?? email, address: email })

function placeOf(location: string) {
  const isAddress = /^https?:\/\/\S+$/.test(location)
  return {
    displayName: location,
    locationType: 'default',
    uniqueIdType: 'private',
    ...(isAddress && { locationUri: location }),
  }
}

function momentOf(instant: Date) {
  return { dateTime: `${instant.toISOString().slice(0, -1)}0000`, timeZone: 'UTC' }
}

const etagOf = (revision: number) => `W/"${Buffer.from(String(revision)).toString('base64')}"`
