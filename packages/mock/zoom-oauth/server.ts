/**
 * A stand-in of Zoom's OAuth server and of the parts of its REST API that connections use, on one address: it takes the
 * place of https://zoom.us and of https://api.zoom.us. Plain HTTP on 127.0.0.1. Source:
 * docs/platform-notes/zoom.md#oauth and #access-keys-and-on-behalf-of-tokens.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { bodyOf } from '../shared/site.ts'
import { Account, ALL_SCOPES, type Grant, type StandInApp, type StandInUser } from './account.ts'
import { answerPerson } from './pages.ts'
import type { Answer } from './refusals.ts'
import * as refusals from './refusals.ts'

const MAX_BODY_LENGTH = 20_000

/** The kind of a request, for scripts and for the record. */
type Operation = 'exchange' | 'refresh' | 'revoke' | 'profile' | 'user_token'

/**
 * Replaces the ordinary answer to the next requests of an operation: by an answer of any kind, by none at all (`hang`),
 * or by the ordinary one with a connection that breaks before it is sent (`lose`).
 */
type Script = Answer | 'hang' | 'lose'

/** Makes the tokens of users. The mock meetings have a separate register. */
type IssueUserToken = (kind: 'obf' | 'zak', user: StandInUser, meetingNumber: string | null) => string

export interface ZoomOauthOptions {
  port?: number
  /** UTC milliseconds. */
  now?: () => number
  issueUserToken?: IssueUserToken
}

interface SeenRequest {
  operation: Operation
  status: number | null
  query: Record<string, string>
}

export interface ZoomOauth {
  readonly url: string
  readonly account: Account
  /** All requests, oldest first, without secrets. */
  readonly requests: readonly SeenRequest[]
  addApp(app?: Partial<StandInApp>): StandInApp
  addUser(user?: Partial<StandInUser>): StandInUser
  /** The user presses "Allow": the code of the redirect. */
  allow(app: StandInApp, user: StandInUser, options?: { scopes?: readonly string[]; challenge?: string }): string
  /** Scripts this many next requests of the operation. */
  script(operation: Operation, script: Script, times?: number): void
  /** How many requests of the operation were seen. */
  count(operation: Operation): number
  /** Milliseconds before every answer. */
  delayMs: number
  close(): Promise<void>
}

/** Rejects if a named port is taken. */
export async function startZoomOauth(options: ZoomOauthOptions = {}): Promise<ZoomOauth> {
  const account = new Account(options.now ?? Date.now)
  const issue = options.issueUserToken ?? ((kind) => `${kind}.${randomBytes(24).toString('base64url')}`)
  const requests: SeenRequest[] = []
  const scripts: { operation: Operation; script: Script; left: number }[] = []
  const timers = new Set<NodeJS.Timeout>()

  const server = createServer((request, response) => {
    answer(request, response).catch((error) => {
      if (!response.headersSent) response.writeHead(500)
      response.end(String(error))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', standIn.url)
    const form = request.method === 'POST' ? new URLSearchParams(await bodyOf(request, MAX_BODY_LENGTH)) : null
    const operation = operationOf(request.method ?? '', url, form)
    if (operation === null) return answerPerson(standIn, { request, response, url, form })
    const seen: SeenRequest = { operation, status: null, query: Object.fromEntries(url.searchParams) }
    requests.push(seen)
    if (standIn.delayMs > 0) await pause(standIn.delayMs)
    const planned = scripts.find((entry) => entry.operation === operation && entry.left > 0)
    if (planned !== undefined) planned.left--
    if (planned?.script === 'hang') return
    const isLost = planned?.script === 'lose'
    const made = planned === undefined || isLost ? ordinary(operation, request, url, form) : (planned.script as Answer)
    seen.status = made.status
    if (isLost) request.socket.destroy()
    else send(response, made)
  }

  function ordinary(operation: Operation, request: IncomingMessage, url: URL, form: URLSearchParams | null): Answer {
    const { authorization } = request.headers
    if (operation === 'profile' || operation === 'user_token') {
      const access = account.readAccess(authorization)
      if ('refused' in access) return access.refused
      return operation === 'profile' ? profileOf(access.grant) : userTokenOf(access.grant, url)
    }
    const app = account.appOfBasic(authorization)
    if (app === undefined) return refusals.INVALID_CLIENT
    const value = (name: string) => form?.get(name) ?? ''
    if (operation === 'refresh') return account.refresh(app, value('refresh_token'))
    if (operation === 'exchange')
      return account.exchange(app, {
        code: value('code'),
        redirectUri: value('redirect_uri'),
        verifier: form?.get('code_verifier') ?? null,
      })
    const revoked = account.grantOf(value('token'))
    if (revoked === undefined || revoked.app !== app) return refusals.INVALID_REFRESH_TOKEN
    account.revoke((grant) => grant === revoked)
    return { status: 200, body: { status: 'success' } }
  }

  function userTokenOf(grant: Grant, url: URL): Answer {
    const isShort = url.pathname.endsWith('/zak')
    const type = isShort ? 'zak' : url.searchParams.get('type')
    if (type !== 'zak' && type !== 'onbehalf') return refusals.badParameter('Invalid field: type.')
    const scopes = type === 'zak' ? ['user:read:zak', ...(isShort ? [] : ['user:read:token'])] : ['user:read:token']
    if (!scopes.some((scope) => grant.scopes.includes(scope))) return refusals.missingScope(scopes.at(-1)!)
    const [, userId] = /^\/v2\/users\/([^/]+)\//.exec(url.pathname) ?? []
    if (userId !== 'me' && userId !== grant.user.id) return refusals.userGone(userId ?? '')
    const number = url.searchParams.get('meeting_id')
    if (number !== null && !/^\d{9,12}$/.test(number)) return refusals.badParameter('Invalid field: meeting_id.')
    const token = issue(type === 'zak' ? 'zak' : 'obf', grant.user, type === 'zak' ? null : number)
    return { status: 200, body: { token } }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        timers.delete(timer)
        resolve()
      }, ms)
      timers.add(timer)
    })
  }

  const standIn: ZoomOauth = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account,
    requests,
    delayMs: 0,
    addApp(given = {}) {
      const app = {
        clientId: randomBytes(8).toString('base64url'),
        clientSecret: randomBytes(16).toString('base64url'),
        redirectUris: ['https://app.example/oauth/done'],
        ...given,
      }
      account.apps.push(app)
      return app
    },
    addUser(given = {}) {
      const number = account.users.length + 1
      const user = {
        id: randomBytes(12).toString('base64url'),
        accountId: randomBytes(12).toString('base64url'),
        email: `user${number}@example.com`,
        firstName: 'User',
        lastName: String(number),
        ...given,
      }
      account.users.push(user)
      return user
    },
    allow: (app, user, { scopes = ALL_SCOPES, challenge } = {}) =>
      account.consent(app, user, { redirectUri: app.redirectUris[0]!, scopes, challenge: challenge ?? null }),
    script: (operation, script, times = 1) => void scripts.push({ operation, script, left: times }),
    count: (operation) => requests.filter((seen) => seen.operation === operation).length,
    async close() {
      for (const timer of timers) clearTimeout(timer)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return standIn
}

/** Null: a page for a person, or nothing. */
function operationOf(method: string, { pathname }: URL, form: URLSearchParams | null): Operation | null {
  if (method === 'POST' && pathname === '/oauth/token')
    return form?.get('grant_type') === 'refresh_token' ? 'refresh' : 'exchange'
  if (method === 'POST' && pathname === '/oauth/revoke') return 'revoke'
  if (method !== 'GET') return null
  if (pathname === '/v2/users/me') return 'profile'
  return /^\/v2\/users\/[^/]+\/(?:token|zak)$/.test(pathname) ? 'user_token' : null
}

function profileOf({ user, scopes }: Grant): Answer {
  if (!scopes.includes('user:read:user')) return refusals.missingScope('user:read:user')
  const body = {
    id: user.id,
    first_name: user.firstName,
    last_name: user.lastName,
    display_name: `${user.firstName} ${user.lastName}`,
    email: user.email,
    type: 2,
    account_id: user.accountId,
    pmi: 1_234_567_890,
    status: 'active',
  }
  return { status: 200, body }
}

function send(response: ServerResponse, { status, body, headers }: Answer): void {
  const isText = typeof body === 'string'
  response.writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
  response.end(isText ? body : JSON.stringify(body))
}
