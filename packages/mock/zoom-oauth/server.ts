/**
 * A stand-in of Zoom's OAuth server and of the parts of its REST API that connections use, on one address: it takes the
 * place of https://zoom.us and of https://api.zoom.us. Plain HTTP on 127.0.0.1. Source:
 * docs/platform-notes/zoom.md#oauth and #access-keys-and-on-behalf-of-tokens.
 */
import { randomBytes } from 'node:crypto'
import { codeOf } from '../shared/consent.ts'
import { type Reply, type Request, StandInServer } from '../shared/scripted-server.ts'
import { Account, ALL_SCOPES, type Grant, type StandInApp, type StandInUser } from './account.ts'
import { answerPerson } from './pages.ts'
import * as refusals from './refusals.ts'

/** Makes the tokens of users. The mock meetings have a separate register. */
type IssueUserToken = (kind: 'obf' | 'zak', user: StandInUser, meetingNumber: string | null) => string

export interface ZoomOauthOptions {
  port?: number
  /** UTC milliseconds. */
  now?: () => number
  issueUserToken?: IssueUserToken
}

/** Pages for people are requests of the operation `page`. */
type Operation = 'exchange' | 'refresh' | 'revoke' | 'profile' | 'user_token' | 'page'

export class ZoomOauth extends StandInServer<Operation> {
  readonly account: Account
  readonly #issue: IssueUserToken

  constructor({ now = Date.now, issueUserToken }: ZoomOauthOptions) {
    super(operationOf, (request, operation) =>
      operation === 'page' ? answerPerson(this, request) : this.#ordinary(operation, request),
    )
    this.account = new Account(now)
    this.#issue = issueUserToken ?? ((kind) => `${kind}.${randomBytes(24).toString('base64url')}`)
  }

  addApp(given: Partial<StandInApp> = {}): StandInApp {
    const app = {
      clientId: randomBytes(8).toString('base64url'),
      clientSecret: randomBytes(16).toString('base64url'),
      redirectUris: ['https://app.example/oauth/done'],
      ...given,
    }
    this.account.apps.push(app)
    return app
  }

  addUser(given: Partial<StandInUser> = {}): StandInUser {
    const number = this.account.users.length + 1
    const user = {
      id: randomBytes(12).toString('base64url'),
      accountId: randomBytes(12).toString('base64url'),
      email: `user${number}@example.com`,
      firstName: 'User',
      lastName: String(number),
      ...given,
    }
    this.account.users.push(user)
    return user
  }

  /** The user presses "Allow": the code of the redirect. */
  allow(app: StandInApp, user: StandInUser, options: { scopes?: readonly string[]; challenge?: string } = {}): string {
    const { scopes = ALL_SCOPES, challenge = null } = options
    return this.account.consent(app, user, { redirectUri: app.redirectUris[0]!, scopes, challenge })
  }

  #ordinary(operation: Operation, { url, body, headers: { authorization } }: Request): Reply {
    const { account } = this
    if (operation === 'profile' || operation === 'user_token') {
      const access = account.readAccess(authorization)
      if ('refused' in access) return access.refused
      return operation === 'profile' ? profileOf(access.grant) : this.#userTokenOf(access.grant, url)
    }
    const app = account.appOfBasic(authorization)
    if (app === undefined) return refusals.INVALID_CLIENT
    const form = new URLSearchParams(body)
    const value = (name: string) => form.get(name) ?? ''
    if (operation === 'refresh') return account.refresh(app, value('refresh_token'))
    if (operation === 'exchange') return account.exchange(app, codeOf(form))
    const revoked = account.grantOf(value('token'))
    if (revoked === undefined || revoked.app !== app) return refusals.INVALID_REFRESH_TOKEN
    account.revoke((grant) => grant === revoked)
    return { status: 200, body: { status: 'success' } }
  }

  #userTokenOf(grant: Grant, url: URL): Reply {
    const isShort = url.pathname.endsWith('/zak')
    const type = isShort ? 'zak' : url.searchParams.get('type')
    if (type !== 'zak' && type !== 'onbehalf') return refusals.badParameter('Invalid field: type.')
    const scopes = type === 'zak' ? ['user:read:zak', ...(isShort ? [] : ['user:read:token'])] : ['user:read:token']
    if (!scopes.some((scope) => grant.scopes.includes(scope))) return refusals.missingScope(scopes.at(-1)!)
    const [, userId] = /^\/v2\/users\/([^/]+)\//.exec(url.pathname) ?? []
    if (userId !== 'me' && userId !== grant.user.id) return refusals.userGone(userId ?? '')
    const number = url.searchParams.get('meeting_id')
    if (number !== null && !/^\d{9,12}$/.test(number)) return refusals.badParameter('Invalid field: meeting_id.')
    const token = this.#issue(type === 'zak' ? 'zak' : 'obf', grant.user, type === 'zak' ? null : number)
    return { status: 200, body: { token } }
  }
}

/** Rejects if a named port is taken. */
export async function startZoomOauth(options: ZoomOauthOptions = {}): Promise<ZoomOauth> {
  const zoom = new ZoomOauth(options)
  await zoom.listen(options.port ?? 0)
  return zoom
}

function operationOf({ method, url: { pathname }, body }: Request): Operation {
  if (method === 'POST' && pathname === '/oauth/token')
    return new URLSearchParams(body).get('grant_type') === 'refresh_token' ? 'refresh' : 'exchange'
  if (method === 'POST' && pathname === '/oauth/revoke') return 'revoke'
  if (method !== 'GET') return 'page'
  if (pathname === '/v2/users/me') return 'profile'
  return /^\/v2\/users\/[^/]+\/(?:token|zak)$/.test(pathname) ? 'user_token' : 'page'
}

function profileOf({ user, scopes }: Grant): Reply {
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
