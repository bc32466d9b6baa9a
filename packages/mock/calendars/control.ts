/** The actions of a script on the stand-ins, as JSON over HTTP. */
import { z } from 'zod'
import type { StandInAccount } from './account.ts'
import type { StandInCalendar } from './calendar.ts'
import type { StandInClock } from './clock.ts'
import type { MockGoogleCalendar } from './google/index.ts'
import { slowDown, tooMany } from './google/refusals.ts'
import type { MockMicrosoftCalendar } from './microsoft/index.ts'
import { busy, throttled } from './microsoft/refusals.ts'
import type { Rule } from './model.ts'

export interface StandIns {
  clock: StandInClock
  google: MockGoogleCalendar
  microsoft: MockMicrosoftCalendar
}

export type Platform = 'google' | 'microsoft'

const text = z.string().max(20_000)
const instant = z.iso.datetime({ offset: true }).transform((value) => new Date(value))
const minutes = z
  .number()
  .min(0)
  .max(60 * 24 * 366)
const shift = z
  .number()
  .min(-60 * 24 * 366)
  .max(60 * 24 * 366)

const platform = z.enum(['google', 'microsoft'])
const account = z.string().optional()
const calendar = z.string().optional()
const place = { platform, account, calendar }
const event = z.string().min(1)
const instance = instant.optional()
const repeats = z.enum(['no', 'day', 'week'])
const count = z.number().int().min(1).max(1000).optional()
const zone = z
  .string()
  .refine((name) => Intl.supportedValuesOf('timeZone').concat('UTC').includes(name), 'no time zone')

export const actionSchema = z.discriminatedUnion('do', [
  z.object({
    do: z.literal('create'),
    ...place,
    title: text.optional(),
    start: instant,
    minutes: minutes.optional(),
    allDay: z.boolean().optional(),
    link: text.optional(),
    location: text.optional(),
    description: text.optional(),
    repeats: repeats.optional(),
    count,
    /** Another person invites the owner, who can decline. */
    invited: z.boolean().optional(),
    timezone: zone.optional(),
    /** At Google the `eventType`, at Microsoft `showAs`. */
    kind: z.string().max(50).optional(),
  }),
  z.object({ do: z.literal('move'), ...place, event, instance, byMinutes: shift }),
  z.object({
    do: z.literal('change'),
    ...place,
    event,
    instance,
    title: text.optional(),
    /** `none` takes the link away. */
    link: text.optional(),
    location: text.optional(),
    description: text.optional(),
  }),
  z.object({ do: z.enum(['cancel', 'delete', 'restore']), ...place, event, instance }),
  /** A single event becomes a series; with `no`, a series becomes the one event at its instance. */
  z.object({ do: z.literal('repeat'), ...place, event, instance, repeats, count }),
  z.object({ do: z.literal('zone'), ...place, event, timezone: zone }),
  /** The event or series gets another id. */
  z.object({ do: z.literal('recreate'), ...place, event }),
  z.object({
    do: z.literal('respond'),
    ...place,
    event,
    instance,
    answer: z.enum(['accepted', 'declined', 'tentative', 'needsAction']),
  }),
  z.object({
    do: z.literal('split'),
    ...place,
    event,
    instance: instant,
    title: text.optional(),
    byMinutes: shift.optional(),
  }),
  z.object({ do: z.literal('add-account'), platform, email: z.string().max(300).optional(), name: text.optional() }),
  z.object({ do: z.literal('add-calendar'), platform, account, name: z.string().min(1).max(300) }),
  z.object({ do: z.enum(['revoke', 'consent', 'expire-access']), platform, account }),
  z.object({ do: z.literal('forget-cursors'), platform }),
  z.object({
    do: z.literal('limit'),
    platform,
    /** 403 (Google) or 503 (Microsoft) where it is not 429. */
    status: z.number().optional(),
    count: z.number().int().min(1).max(1000).optional(),
  }),
  z.object({
    do: z.literal('lifecycle'),
    event: z.enum(['missed', 'subscriptionRemoved', 'reauthorizationRequired']),
  }),
  /** Any answer in the place of the next ones to an operation, which the stand-ins' record of requests names. */
  z.object({
    do: z.literal('answer'),
    platform,
    operation: z.string().min(1).max(50),
    status: z.number().int().min(200).max(599),
    /** Sent as it is where it is a text, else as JSON. */
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    count: z.number().int().min(1).max(1000).optional(),
  }),
  z.object({ do: z.literal('advance'), minutes }),
])
export type Action = z.output<typeof actionSchema>

/** Returns what was made, in a sentence and with its id where it has one. Throws with a sentence. */
export function perform(standIns: StandIns, action: Action): { done: string; id?: string } {
  if (action.do === 'advance') {
    standIns.clock.advance(action.minutes * 60_000)
    return { done: `It is ${standIns.clock.date().toISOString()} now` }
  }
  if (action.do === 'lifecycle') {
    standIns.microsoft.subscriptions.lifecycle(action.event)
    return { done: `Microsoft says ${action.event}` }
  }
  const standIn = standIns[action.platform]
  switch (action.do) {
    case 'create':
      return create(standIn, action)
    case 'move': {
      const { calendar, start } = found(standIn, action)
      calendar.move(action.event, new Date(start.getTime() + action.byMinutes * 60_000), undefined, action.instance)
      return { done: 'Moved' }
    }
    case 'change': {
      const { title, location, description } = action
      const link = action.link === 'none' ? null : action.link
      calendarOf(standIn, action).change(action.event, { title, link, location, description }, action.instance)
      return { done: 'Changed' }
    }
    case 'cancel':
    case 'delete':
    case 'restore':
      calendarOf(standIn, action)[action.do](action.event, action.instance)
      return { done: { cancel: 'Cancelled', delete: 'Deleted', restore: 'Restored' }[action.do] }
    case 'repeat': {
      const rule = ruleOf(action)
      calendarOf(standIn, action).repeat(action.event, rule, action.instance)
      return { done: rule === null ? 'It is one event' : 'It is a series' }
    }
    case 'zone':
      calendarOf(standIn, action).changeZone(action.event, action.timezone)
      return { done: `It is in the zone ${action.timezone}` }
    case 'recreate':
      return { done: 'It has another id', id: calendarOf(standIn, action).recreate(action.event) }
    case 'respond':
      calendarOf(standIn, action).respond(action.event, action.answer, action.instance)
      return { done: `Answered: ${action.answer}` }
    case 'split': {
      const start = new Date(action.instance.getTime() + (action.byMinutes ?? 0) * 60_000)
      const { title } = action
      const id = calendarOf(standIn, action).split(action.event, action.instance, { title, start })
      return { done: 'This and the following are a separate series', id }
    }
    case 'add-account': {
      const added = standIn.addAccount({ email: action.email, name: action.name })
      return { done: `Account ${added.email} made`, id: standIn.tokens.consent(added) }
    }
    case 'add-calendar':
      return { done: 'Calendar made', id: accountOf(standIn, action).addCalendar(action.name).id }
    case 'revoke':
      standIn.tokens.revoke(accountOf(standIn, action))
      return { done: 'No token of the account works any more' }
    case 'expire-access':
      standIn.tokens.expireAccess(accountOf(standIn, action))
      return { done: 'The access tokens are over; the refresh token works' }
    case 'consent':
      return { done: 'A new refresh token is there', id: standIn.tokens.consent(accountOf(standIn, action)) }
    case 'forget-cursors':
      standIn.forgetCursors()
      return { done: 'The next reading of changes is answered with 410' }
    case 'answer': {
      const { operation, status, body, headers = {}, count = 1 } = action
      standIn.server.script(operation, { status, body, headers }, count)
      return { done: `The next ${count} answers to ${operation} are ${status}` }
    }
    case 'limit':
      return limit(standIns, action)
  }
}

type StandIn = MockGoogleCalendar | MockMicrosoftCalendar
type Of<D extends Action['do']> = Extract<Action, { do: D }>

function create(standIn: StandIn, action: Of<'create'>) {
  const { title, start, allDay, link, location, description, repeats = 'no', count, invited, timezone, kind } = action
  const rule = ruleOf({ repeats, count })
  const end = action.minutes === undefined ? undefined : new Date(start.getTime() + action.minutes * 60_000)
  const id = calendarOf(standIn, action).create({
    title,
    start: allDay ? new Date(start.toISOString().slice(0, 10)) : start,
    end: allDay ? undefined : end,
    isAllDay: allDay ?? false,
    link,
    location,
    description,
    ...(timezone && { timezone }),
    ...(kind && { eventType: kind, showAs: kind }),
    ...(rule && { repeats: rule }),
    ...(invited && { organizer: { email: 'host@example.com', name: 'Host' }, answer: 'needsAction' as const }),
  })
  return { done: 'Made', id }
}

function ruleOf({ repeats, count }: Pick<Of<'repeat'>, 'repeats' | 'count'>): Rule | null {
  return repeats === 'no' ? null : { every: repeats, ...(count !== undefined && { count }) }
}

function limit({ google, microsoft }: StandIns, { platform, status = 429, count = 1 }: Of<'limit'>) {
  if (platform === 'google') google.server.script('events', status === 429 ? slowDown(5) : tooMany(), count)
  else {
    const answer = status === 429 ? throttled(5) : busy(5)
    for (const operation of ['delta', 'view']) microsoft.server.script(operation, answer, count)
  }
  return {
    done: `The next ${count} readings are refused with ${platform === 'google' && status !== 429 ? 403 : status}`,
  }
}

function accountOf(standIn: StandIn, { account }: { account?: string | undefined }): StandInAccount {
  const found = account === undefined ? standIn.accounts[0] : standIn.accounts.find(({ email }) => email === account)
  if (found === undefined) throw new Error(`There is no account ${account ?? ''}`)
  return found
}

interface Place {
  account?: string | undefined
  calendar?: string | undefined
}

function calendarOf(standIn: StandIn, place: Place): StandInCalendar {
  const account = accountOf(standIn, place)
  const found =
    place.calendar === undefined ? account.primary : account.calendars.find(({ id }) => id === place.calendar)
  if (found === undefined) throw new Error(`There is no calendar ${place.calendar}`)
  return found
}

/** Where the event, or one of its instances, starts now. */
function found(standIn: StandIn, action: Place & { event: string; instance?: Date | undefined }) {
  const calendar = calendarOf(standIn, action)
  const start = calendar.startOf(action.event, action.instance)
  return { calendar, start }
}
