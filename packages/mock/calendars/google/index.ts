/**
 * A stand-in of Google Calendar: the page of consent, the token endpoint and version 3 of the calendar's API, on plain HTTP of
 * 127.0.0.1. It takes the place of https://www.googleapis.com, at `/token` of https://oauth2.googleapis.com/token, and at
 * `/consent` of https://accounts.google.com/o/oauth2/v2/auth.
 */
import { randomBytes } from 'node:crypto'
import { partsOf, type Reply, type Request, StandInServer } from '../../shared/scripted-server.ts'
import { type NewAccount, StandInAccount, TokenOffice } from '../account.ts'
import { StandInCalendar } from '../calendar.ts'
import { StandInClock } from '../clock.ts'
import { consentReply } from '../consent.ts'
import { instanceOn } from '../model.ts'
import { Channels } from './channels.ts'
import { itemOf, masterOf } from './items.ts'
import { EventLists } from './list.ts'
import { missingScope, notFound, unauthorized } from './refusals.ts'

export interface MockCalendarOptions {
  /** 0 (the default) takes any free port. */
  port?: number
  clock?: StandInClock
}

type GoogleOperation = 'consent' | 'token' | 'calendars' | 'events' | 'event' | 'watch' | 'stop' | 'other'

const [READ, EVENTS, LIST] = ['calendar.readonly', 'calendar.events.readonly', 'calendar.calendarlist.readonly'].map(
  (scope) => `https://www.googleapis.com/auth/${scope}`,
) as [string, string, string]
const SCOPES = {
  [READ]: 'See and download any calendar you can access using your Google Calendar',
  [EVENTS]: 'View events on all your calendars',
  [LIST]: 'See the list of Google calendars you are subscribed to',
}

export class MockGoogleCalendar {
  readonly clock: StandInClock
  readonly tokens: TokenOffice
  readonly lists = new EventLists()
  readonly channels: Channels
  readonly accounts: StandInAccount[] = []
  readonly server: StandInServer

  constructor(clock: StandInClock) {
    this.clock = clock
    this.tokens = new TokenOffice(clock, false)
    this.server = new StandInServer<string>(operationOf, (request, operation) => this.answer(request, operation))
    this.channels = new Channels(clock, () => this.server.url)
  }

  /** The setting STANDIN_GOOGLE_URL. */
  get url(): string {
    return this.server.url
  }

  /** The setting STANDIN_GOOGLE_TOKEN_URL. */
  get tokenUrl(): string {
    return `${this.server.url}/token`
  }

  /** The setting STANDIN_GOOGLE_CONSENT_URL. */
  get consentUrl(): string {
    return `${this.server.url}/consent`
  }

  get pushes() {
    return this.channels.pushes
  }

  addAccount(account: NewAccount = {}): StandInAccount {
    const added = new StandInAccount(account, [READ], ({ email, timezone }, name, isPrimary) => {
      const id = isPrimary ? email : `${randomBytes(16).toString('hex')}@group.calendar.google.com`
      return new StandInCalendar({ id, name, isPrimary, timezone, namesSplits: true }, this.clock, (calendar) =>
        this.channels.changed(calendar),
      )
    })
    this.accounts.push(added)
    return added
  }

  /** Most events on a page, even when a request asks for more. */
  limitPages(size: number): void {
    this.lists.pageSize = size
  }

  /** From now on, every issued sync token is answered with 410. */
  forgetCursors(): void {
    this.lists.forgetTokens()
  }

  async close(): Promise<void> {
    await this.pushes.close()
    await this.server.close()
  }

  private answer(request: Request, operation: string): Reply {
    if (operation === 'token') return this.exchange(request)
    if (operation === 'consent') return this.consent(request)
    const access = this.tokens.accessOf(request.headers.authorization)
    if (access === null) return unauthorized()
    const { account, scopes } = access
    const needed = operation === 'calendars' ? LIST : EVENTS
    if (!scopes.includes(READ) && !scopes.includes(needed)) return missingScope()
    if (operation === 'calendars') return listCalendars(account, request.url.searchParams)
    if (operation === 'stop') return this.channels.stop(request, account)
    const [, , , calendarId = '', , eventId = ''] = partsOf(request)
    const calendar = account.calendars.find(
      ({ id, isPrimary }) => id === calendarId || (isPrimary && calendarId === 'primary'),
    )
    if (calendar === undefined) return notFound()
    if (operation === 'events') return this.lists.answer(request.url.searchParams, calendar, account)
    if (operation === 'watch') return this.channels.watch(request, calendar, account)
    if (operation === 'event') return oneEvent(eventId, calendar, account)
    return notFound()
  }

  private consent(request: Request): Reply {
    const query = request.url.searchParams
    // Google gives the refresh token of an earlier consent only if it is asked again.
    const isOffline =
      query.get('access_type') === 'offline' && query.get('prompt')?.split(' ').includes('consent') === true
    return consentReply(this, request, {
      provider: 'Google',
      scopes: SCOPES,
      problems: { client: 'Error 401: invalid_client', redirect: 'Error 400: redirect_uri_mismatch' },
      isOffline: () => isOffline,
    })
  }

  private exchange({ body }: Request): Reply {
    const form = new URLSearchParams(body)
    const refused = (status: number, error: string, error_description: string): Reply => ({
      status,
      body: { error, error_description },
    })
    const isCode = form.get('grant_type') === 'authorization_code'
    if (!isCode && form.get('grant_type') !== 'refresh_token')
      return refused(400, 'unsupported_grant_type', 'Invalid grant_type: only code and refresh_token are known here')
    if (form.get('client_id') !== this.tokens.clientId)
      return refused(401, 'invalid_client', 'The OAuth client was not found.')
    if (form.get('client_secret') !== this.tokens.clientSecret) return refused(401, 'invalid_client', 'Unauthorized')
    const given = isCode ? this.tokens.redeem(form) : this.tokens.exchange(form.get('refresh_token') ?? '')
    if (given === null) return refused(400, 'invalid_grant', 'Token has been expired or revoked.')
    if (given === 'redirect') return refused(400, 'redirect_uri_mismatch', 'Bad Request')
    if (given === 'verifier') return refused(400, 'invalid_grant', 'Invalid code verifier.')
    if (given === 'code') return refused(400, 'invalid_grant', 'Malformed auth code.')
    return {
      status: 200,
      body: {
        access_token: given.accessToken,
        expires_in: given.expiresIn,
        scope: given.scopes.join(' '),
        token_type: 'Bearer',
        ...(isCode && given.refreshToken !== null && { refresh_token: given.refreshToken }),
      },
    }
  }
}

/** Rejects if a named port is taken. */
export async function startMockGoogleCalendar({
  port = 0,
  clock,
}: MockCalendarOptions = {}): Promise<MockGoogleCalendar> {
  const google = new MockGoogleCalendar(clock ?? new StandInClock())
  await google.server.listen(port)
  return google
}

function operationOf(request: Request): GoogleOperation {
  const { method } = request
  const [first, version, place, , events, event] = partsOf(request)
  if (method === 'POST' && first === 'token') return 'token'
  if (first === 'consent') return 'consent'
  if (first !== 'calendar' || version !== 'v3') return 'other'
  if (method === 'POST' && place === 'channels') return 'stop'
  if (method === 'GET' && place === 'users' && event === undefined) return 'calendars'
  if (place !== 'calendars' || events !== 'events') return 'other'
  if (method === 'POST' && event === 'watch') return 'watch'
  if (method !== 'GET') return 'other'
  return event === undefined ? 'events' : 'event'
}

function listCalendars(account: StandInAccount, query: URLSearchParams): Reply {
  const from = Number(query.get('pageToken') ?? 0)
  const size = Math.min(Number(query.get('maxResults') ?? 100), 250)
  const shown = account.calendars.slice(from, from + size)
  const isMore = from + size < account.calendars.length
  return {
    status: 200,
    body: {
      kind: 'calendar#calendarList',
      ...(isMore ? { nextPageToken: String(from + size) } : { nextSyncToken: randomBytes(8).toString('hex') }),
      items: shown.map(entryOf),
    },
  }
}

function entryOf({ id, name, isPrimary, timezone, canWatch }: StandInCalendar) {
  return {
    kind: 'calendar#calendarListEntry',
    id,
    summary: name,
    timeZone: timezone,
    accessRole: canWatch ? 'owner' : 'reader',
    ...(isPrimary && { primary: true }),
  }
}

function oneEvent(id: string, calendar: StandInCalendar, account: StandInAccount): Reply {
  const event = calendar.events.get(id)
  if (event !== undefined) return { status: 200, body: masterOf(event, account, calendar) }
  const {
    master = '',
    year,
    month,
    day,
    time,
  } = /^(?<master>.+)_(?<year>\d{4})(?<month>\d{2})(?<day>\d{2})(?:T(?<time>\d{6})Z)?$/.exec(id)?.groups ?? {}
  const series = calendar.events.get(master)
  if (series === undefined) return notFound()
  const clock = time === undefined ? '00:00:00' : time.replace(/(..)(..)(..)/, '$1:$2:$3')
  const original = new Date(`${year}-${month}-${day}T${clock}Z`)
  const instance = Number.isNaN(original.getTime()) ? null : instanceOn(series, original)
  return instance === null ? notFound() : { status: 200, body: itemOf(instance, account, calendar) }
}
