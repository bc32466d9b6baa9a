/**
 * A stand-in of the calendars of Microsoft Graph and of Microsoft's token endpoint, on plain HTTP of 127.0.0.1. It takes
 * the place of https://graph.microsoft.com and of https://login.microsoftonline.com.
 */
import { createHash } from 'node:crypto'
import { BOT_SCOPE, BOT_TOKEN_SECONDS, newBotToken } from '../../microsoft-teams/bot-token.ts'
import { partsOf, type Reply, type Request, StandInServer } from '../../shared/scripted-server.ts'
import { type NewAccount, StandInAccount, TokenOffice } from '../account.ts'
import { StandInCalendar } from '../calendar.ts'
import { StandInClock } from '../clock.ts'
import { consentReply } from '../consent.ts'
import type { MockCalendarOptions } from '../google/index.ts'
import { Views } from './delta.ts'
import { eventIdOf, instanceOfId, itemOf, masterOf } from './items.ts'
import { accessDenied, badRequest, loginRefusal, noMailbox, notFound, unauthorized } from './refusals.ts'
import { Subscriptions } from './subscriptions.ts'

type MicrosoftOperation =
  | 'consent'
  | 'token'
  | 'me'
  | 'calendars'
  | 'delta'
  | 'view'
  | 'event'
  | 'instances'
  | 'subscribe'
  | 'renew'
  | 'unsubscribe'
  | 'other'

const SCOPES = {
  'Calendars.Read': 'Read your calendars',
  offline_access: 'Maintain access to data you have given it access to',
  'User.Read': 'View your basic profile',
}

export class MockMicrosoftCalendar {
  readonly clock: StandInClock
  readonly tokens: TokenOffice
  readonly views = new Views()
  readonly subscriptions: Subscriptions
  readonly accounts: StandInAccount[] = []
  /** All tokens that registered bots got. */
  readonly botTokens: string[] = []
  readonly server: StandInServer

  constructor(clock: StandInClock) {
    this.clock = clock
    this.tokens = new TokenOffice(clock, true)
    this.subscriptions = new Subscriptions(clock)
    this.server = new StandInServer<string>(operationOf, (request, operation) => this.answer(request, operation))
  }

  /** The setting STANDIN_GRAPH_URL. */
  get url(): string {
    return this.server.url
  }

  /** The setting STANDIN_MICROSOFT_LOGIN_URL. */
  get loginUrl(): string {
    return `${this.server.url}/login`
  }

  get pushes() {
    return this.subscriptions.pushes
  }

  addAccount(account: NewAccount = {}): StandInAccount {
    const added = new StandInAccount(account, Object.keys(SCOPES), ({ email }, name, isPrimary) => {
      const id = `AAMkAG${createHash('sha256').update(`${email} ${name}`).digest('base64url').slice(0, 32)}=`
      return new StandInCalendar({ id, name, isPrimary }, this.clock, (calendar) =>
        this.subscriptions.changed(calendar),
      )
    })
    this.accounts.push(added)
    return added
  }

  /** Most events on a page, even when a request asks for more. */
  limitPages(size: number): void {
    this.views.pageSize = size
  }

  /** From now on, every issued delta link is answered with 410. */
  forgetCursors(): void {
    this.views.forgetStates()
  }

  async close(): Promise<void> {
    await this.pushes.close()
    await this.server.close()
  }

  private answer(request: Request, operation: string): Reply | Promise<Reply> {
    if (operation === 'token') return this.exchange(request)
    if (operation === 'consent') return this.consent(request)
    const access = this.tokens.accessOf(request.headers.authorization)
    if (access === null) return unauthorized()
    const { account, scopes } = access
    if (operation === 'me') return scopes.includes('User.Read') ? profile(account) : accessDenied()
    if (!scopes.includes('Calendars.Read')) return accessDenied()
    if (!account.hasMailbox) return noMailbox()
    const [, place = '', id = ''] = partsOf(request)
    if (place === 'subscriptions') return this.subscription(operation, id, request, account)
    if (operation === 'calendars') return listCalendars(request, account)
    return this.ofCalendar(operation, request, account)
  }

  private subscription(operation: string, id: string, request: Request, account: StandInAccount) {
    if (operation === 'subscribe') return this.subscriptions.create(request, account)
    if (operation === 'renew') return this.subscriptions.change(id, request, account)
    if (operation === 'unsubscribe') return this.subscriptions.delete(id, account)
    return badRequest('The request is not known.')
  }

  /** `me/calendars/{id}/…`, and `me/…` for the default calendar. */
  private ofCalendar(operation: string, request: Request, account: StandInAccount): Reply {
    const [, , ...path] = partsOf(request)
    const calendar = path[0] === 'calendars' ? account.calendars.find(({ id }) => id === path[1]) : account.primary
    if (calendar === undefined) return notFound()
    const rest = path[0] === 'calendars' ? path.slice(2) : path
    const { url } = request
    const size = pageSizeOf(request)
    if (operation === 'delta') return this.views.delta(url, size, calendar, account)
    if (operation === 'view') return this.views.view(url, size, calendar, account)
    const id = rest[1] ?? ''
    const event = calendar.events.get(eventIdOf(id))
    if (event === undefined || event.existence === 'deleted') return notFound()
    const isMaster = event.isSeries && id === event.id
    if (operation === 'instances') {
      if (!isMaster) return badRequest('The event is no series.')
      return this.views.instances(url, size, event, calendar, account)
    }
    if (operation !== 'event') return badRequest('The request is not known.')
    if (isMaster) return { status: 200, body: masterOf(event, account) }
    const instance = id === event.id || event.isSeries ? instanceOfId(event, id) : null
    return instance === null ? notFound() : { status: 200, body: itemOf(instance, account) }
  }

  private isTenant(request: Request): boolean {
    const known = ['common', 'organizations', 'consumers', this.subscriptions.tenantId, 'example.com']
    return known.includes(partsOf(request)[1] ?? '')
  }

  private consent(request: Request): Reply {
    const tenant = partsOf(request)[1] ?? ''
    if (!this.isTenant(request)) return { status: 400, body: `AADSTS90002: Tenant '${tenant}' not found.` }
    return consentReply(this, request, {
      provider: 'Microsoft',
      scopes: SCOPES,
      problems: {
        client: 'AADSTS700016: Application was not found in the directory.',
        redirect: 'AADSTS50011: The redirect URI does not match the redirect URIs configured for the application.',
      },
      isOffline: (scopes) => scopes.includes('offline_access'),
    })
  }

  private exchange(request: Request): Reply {
    const tenant = partsOf(request)[1] ?? ''
    const form = new URLSearchParams(request.body)
    if (!this.isTenant(request)) return loginRefusal(400, 'invalid_request', 90002, `Tenant '${tenant}' not found.`)
    const grant = form.get('grant_type')
    const isCode = grant === 'authorization_code'
    if (!isCode && grant !== 'refresh_token' && grant !== 'client_credentials')
      return loginRefusal(400, 'unsupported_grant_type', 70003, 'The grant type is not supported here.')
    if (form.get('client_id') !== this.tokens.clientId)
      return loginRefusal(400, 'unauthorized_client', 700016, 'Application was not found in the directory.')
    if (form.get('client_secret') !== this.tokens.clientSecret)
      return loginRefusal(401, 'invalid_client', 7000215, 'Invalid client secret provided.')
    if (grant === 'client_credentials') return this.identifyBot(tenant, form)
    const given = isCode ? this.tokens.redeem(form) : this.tokens.exchange(form.get('refresh_token') ?? '')
    if (given === 'code')
      return loginRefusal(400, 'invalid_grant', 54005, 'The code was already redeemed or is expired.')
    if (given === 'redirect') return loginRefusal(400, 'invalid_client', 500112, 'The reply address does not match.')
    if (given === 'verifier')
      return loginRefusal(400, 'invalid_grant', 501481, 'The Code_Verifier does not match the code_challenge.')
    if (given === null)
      return loginRefusal(400, 'invalid_grant', 50173, 'The provided grant has expired due to it being revoked.')
    return {
      status: 200,
      body: {
        token_type: 'Bearer',
        // Without the scope of the refresh token, and with the address of the API.
        scope: given.scopes
          .filter((scope) => scope !== 'offline_access')
          .map(longName)
          .join(' '),
        expires_in: given.expiresIn,
        ext_expires_in: given.expiresIn,
        access_token: given.accessToken,
        ...(given.refreshToken !== null && { refresh_token: given.refreshToken }),
      },
    }
  }

  /** The client itself, without a user: a bot that is registered at Microsoft Teams. */
  private identifyBot(tenant: string, form: URLSearchParams): Reply {
    if (form.get('scope') !== BOT_SCOPE)
      return loginRefusal(400, 'invalid_scope', 70011, 'The provided value for scope is not valid.')
    const token = newBotToken({ tenant, clientId: this.tokens.clientId }, this.clock.now())
    this.botTokens.push(token)
    const body = { token_type: 'Bearer', expires_in: BOT_TOKEN_SECONDS, access_token: token }
    return { status: 200, body: { ...body, ext_expires_in: BOT_TOKEN_SECONDS } }
  }
}

const longName = (scope: string) => `https://graph.microsoft.com/${scope}`

/** Rejects if a named port is taken. */
export async function startMockMicrosoftCalendar({
  port = 0,
  clock,
}: MockCalendarOptions = {}): Promise<MockMicrosoftCalendar> {
  const microsoft = new MockMicrosoftCalendar(clock ?? new StandInClock())
  await microsoft.server.listen(port)
  return microsoft
}

function operationOf(request: Request): MicrosoftOperation {
  const { method } = request
  const parts = partsOf(request)
  if (method === 'POST' && parts[0] === 'login' && parts.at(-1) === 'token') return 'token'
  if (parts[0] === 'login' && parts.at(-1) === 'authorize') return 'consent'
  if (parts[0] !== 'v1.0') return 'other'
  if (parts[1] === 'subscriptions') {
    if (method === 'POST' && parts.length === 2) return 'subscribe'
    return method === 'PATCH' ? 'renew' : method === 'DELETE' ? 'unsubscribe' : 'other'
  }
  if (parts[1] !== 'me' || method !== 'GET') return 'other'
  if (parts.length === 2) return 'me'
  if (parts[2] === 'calendars' && parts.length === 3) return 'calendars'
  const [what, id, more] = parts[2] === 'calendars' ? parts.slice(4) : parts.slice(2)
  if (what === 'calendarView') return id === 'delta' ? 'delta' : 'view'
  if (what !== 'events' || id === undefined) return 'other'
  return more === 'instances' ? 'instances' : 'event'
}

function pageSizeOf({ url, headers }: Request): number | null {
  const preferred = /odata\.maxpagesize=(\d+)/.exec(String(headers.prefer ?? ''))?.[1]
  const size = Number(url.searchParams.get('$top') ?? preferred ?? Number.NaN)
  return size >= 1 ? size : null
}

function profile(account: StandInAccount): Reply {
  const { email, name } = account
  return { status: 200, body: { id: email, displayName: name, mail: email, userPrincipalName: email } }
}

function listCalendars(request: Request, account: StandInAccount): Reply {
  const { url } = request
  const from = Number(url.searchParams.get('$skip') ?? 0)
  const size = pageSizeOf(request) ?? 10
  const isMore = from + size < account.calendars.length
  return {
    status: 200,
    body: {
      '@odata.context': `${url.origin}/v1.0/$metadata#users/calendars`,
      value: account.calendars.slice(from, from + size).map((calendar) => ({
        id: calendar.id,
        name: calendar.name,
        isDefaultCalendar: calendar.isPrimary,
        canEdit: true,
        owner: { name: account.name, address: account.email },
      })),
      ...(isMore && { '@odata.nextLink': `${url.origin}${url.pathname}?$top=${size}&$skip=${from + size}` }),
    },
  }
}
