/** Events as Google Calendar shows them. */
import { createHash } from 'node:crypto'
import type { StandInAccount } from '../account.ts'
import { compact, type StandInCalendar } from '../calendar.ts'
import { type Instance, isMeet, type StoredEvent } from '../model.ts'

function instanceId({ event, originalStart }: Instance): string {
  if (originalStart === null) return event.id
  return `${event.id}_${event.isAllDay ? compact(originalStart).slice(0, 8) : `${compact(originalStart)}Z`}`
}

/** A deleted instance of a series has little more than an id, as at Google. */
export function itemOf(instance: Instance, account: StandInAccount, calendar: StandInCalendar) {
  const { event, originalStart } = instance
  const id = instanceId(instance)
  const series = originalStart !== null && {
    recurringEventId: event.id,
    originalStartTime: momentOf(originalStart, event),
  }
  if (instance.existence !== 'live' && originalStart !== null)
    return { kind: 'calendar#event', etag: etagOf(id, instance.revision), id, status: 'cancelled', ...series }
  return {
    kind: 'calendar#event',
    etag: etagOf(id, instance.revision),
    id,
    status: instance.existence === 'live' ? instance.status : 'cancelled',
    htmlLink: `https://www.google.com/calendar/event?eid=${id}`,
    created: event.created.toISOString(),
    updated: instance.updated.toISOString(),
    ...shared(instance, account),
    start: momentOf(instance.start, event),
    end: momentOf(instance.end, event),
    ...series,
    iCalUID: `${event.id.replace(/_R.*$/, '')}@google.com`,
    sequence: instance.isException ? 1 : 0,
    eventType: event.eventType,
    organizer: organizerOf(instance, account, calendar),
  }
}

/** The series itself, with its rule. */
export function masterOf(event: StoredEvent, account: StandInAccount, calendar: StandInCalendar) {
  const schedule = event.schedules.at(-1)!
  const end = new Date(schedule.start.getTime() + schedule.durationMs)
  const { count, until } = schedule
  const frequency = schedule.stepDays === 1 ? 'DAILY' : 'WEEKLY'
  const rule = [
    `FREQ=${frequency}`,
    ...(count === null ? [] : [`COUNT=${count}`]),
    // The last second before: at Google the bound belongs to the rule.
    ...(until === null ? [] : [`UNTIL=${compact(new Date(until.getTime() - 1000))}Z`]),
  ]
  return {
    kind: 'calendar#event',
    etag: etagOf(event.id, event.revision),
    id: event.id,
    status: event.existence === 'live' ? event.status : 'cancelled',
    created: event.created.toISOString(),
    updated: event.updated.toISOString(),
    ...shared(event, account),
    start: momentOf(schedule.start, event),
    end: momentOf(end, event),
    ...(event.isSeries && { recurrence: [`RRULE:${rule.join(';')}`] }),
    iCalUID: `${event.id.replace(/_R.*$/, '')}@google.com`,
    sequence: 0,
    eventType: event.eventType,
    organizer: organizerOf(event, account, calendar),
  }
}

type Said = Pick<Instance, 'title' | 'description' | 'location' | 'link' | 'answer' | 'organizer' | 'attendees'>

function shared(said: Said, account: StandInAccount) {
  const { title, description, location, link, answer, organizer, attendees } = said
  const others = attendees.map((person) => ({
    email: person.email,
    ...(person.name !== undefined && { displayName: person.name }),
    ...(person.isResource && { resource: true }),
    ...(person.email === organizer?.email && { organizer: true }),
    responseStatus: person.answer ?? 'needsAction',
  }))
  const own = {
    email: account.email,
    self: true,
    ...(organizer === null && { organizer: true }),
    responseStatus: answer ?? 'accepted',
  }
  const isInvitation = others.length > 0 || answer !== null
  return {
    ...(title !== '' && { summary: title }),
    ...(description !== '' && { description }),
    ...(location !== '' && { location }),
    ...(isInvitation && { attendees: [own, ...others] }),
    ...conferenceOf(link),
  }
}

function organizerOf({ organizer }: Said, account: StandInAccount, calendar: StandInCalendar) {
  if (organizer !== null) return { email: organizer.email, ...(organizer.name && { displayName: organizer.name }) }
  const email = calendar.isPrimary ? account.email : calendar.id
  return { email, displayName: calendar.name, self: true }
}

function conferenceOf(link: string | null) {
  if (link === null) return {}
  const entryPoints = [{ entryPointType: 'video', uri: link, label: link.replace(/^https:\/\//, '') }]
  if (!isMeet(link))
    return {
      conferenceData: { entryPoints, conferenceSolution: { key: { type: 'addOn' }, name: 'Meeting of an add-on' } },
    }
  const phone = { entryPointType: 'phone', uri: 'tel:+1-555-0100', pin: '123456789' }
  return {
    hangoutLink: link,
    conferenceData: {
      entryPoints: [...entryPoints, phone],
      conferenceSolution: { key: { type: 'hangoutsMeet' }, name: 'Google Meet' },
      conferenceId: link.split('/').pop(),
    },
  }
}

function momentOf(instant: Date, { isAllDay, timezone }: StoredEvent) {
  if (isAllDay) return { date: instant.toISOString().slice(0, 10) }
  return { dateTime: `${instant.toISOString().slice(0, 19)}Z`, timeZone: timezone }
}

function etagOf(id: string, revision: number): string {
  return `"${createHash('sha256').update(`${id} ${revision}`).digest('hex').slice(0, 16)}"`
}
