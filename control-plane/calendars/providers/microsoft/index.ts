/** Calendars of Microsoft 365 and Outlook, through Microsoft Graph. */
import { z } from 'zod'
import { ProviderError, type TokenAnswer } from '../../../platform/ports.ts'
import type { CalendarProvider, OAuthCredentials, RawCalendar } from '../../ports.ts'
import { flag, part, shortText } from '../fields.ts'
import { bodyOf, refreshAt, segment } from '../responses.ts'
import { graphCalendar } from './calendar.ts'
import { type MicrosoftSettings, NAME, readGraphPages, sendToGraph } from './calls.ts'
import { readChanges } from './changes.ts'
import { microsoftTokenProblem } from './problems.ts'
import { prolong, subscribe, unsubscribe } from './subscriptions.ts'

export function createMicrosoftCalendars(settings: MicrosoftSettings): CalendarProvider {
  return {
    platform: 'microsoft',
    refresh: (credentials) => refresh(settings, credentials),
    listCalendars: (token) => listCalendars(settings, token),
    changes: (token, calendarId, from) => readChanges(graphCalendar(settings, token, calendarId), from),
    watch: (token, calendarId, request) => subscribe(settings, token, calendarId, request),
    renew: (token, _calendarId, subscription) => prolong(settings, token, subscription),
    unwatch: (token, subscription) => unsubscribe(settings, token, subscription),
  }
}

const SCOPE = 'Calendars.Read offline_access'
/** A GUID, a domain, or one of the words for several tenants. */
const TENANT = /^[A-Za-z0-9][A-Za-z0-9.-]{0,254}$/

async function refresh(settings: MicrosoftSettings, credentials: OAuthCredentials): Promise<TokenAnswer> {
  const tenant = credentials.tenantId || 'common'
  if (!TENANT.test(tenant))
    throw new ProviderError(
      'client_refused',
      'The tenant is no GUID, no domain and none of common, organizations, consumers',
    )
  const url = `${settings.microsoftLogin}/${segment(tenant)}/oauth2/v2.0/token`
  return refreshAt(settings.http, { provider: NAME, url, scope: SCOPE }, credentials, microsoftTokenProblem)
}

const calendarItem = z.object({
  id: z.string().min(1).max(1024),
  name: shortText,
  isDefaultCalendar: flag,
  owner: part(z.object({ address: shortText })),
})
const account = z.object({ mail: shortText, userPrincipalName: shortText })

async function listCalendars(settings: MicrosoftSettings, accessToken: string): Promise<RawCalendar[]> {
  const url = `${settings.graph}/v1.0/me/calendars?$top=50`
  const { items } = await readGraphPages(settings, accessToken, 'the list of calendars', url)
  const calendars = items.flatMap((item) => calendarItem.safeParse(item).data ?? [])
  const isUnowned = calendars.some(({ owner }) => owner?.address == null)
  const own = isUnowned ? await ownAddress(settings, accessToken) : ''
  return calendars.map(({ id, name, isDefaultCalendar, owner }) => ({
    id,
    name: name ?? id,
    email: owner?.address ?? own,
    isPrimary: isDefaultCalendar,
  }))
}

/** Empty if the user did not permit to read it: the scope is optional. */
async function ownAddress(settings: MicrosoftSettings, accessToken: string): Promise<string> {
  const what = 'the account'
  try {
    const response = await sendToGraph(settings.http, { what, url: `${settings.graph}/v1.0/me`, accessToken })
    const { mail, userPrincipalName } = bodyOf(response, account, NAME, what)
    return mail ?? userPrincipalName ?? ''
  } catch (error) {
    if (error instanceof ProviderError && error.kind === 'permission_denied') return ''
    throw error
  }
}
