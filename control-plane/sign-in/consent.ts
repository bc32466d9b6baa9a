/**
 * The page of consent of a provider, for an app of the operator: a person allows the app to read their account, and the code
 * that the browser brings back becomes tokens.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  customFetch,
} from 'openid-client'
import { z } from 'zod'
import type { GuardedClient } from '../ports.ts'
import type { ConnectionTokens } from '../store/connections/connections.ts'
import { type Attempt, beginAttempt, fetchThrough } from './code-flow.ts'
import { problemOf } from './problems.ts'

const REQUEST_SECONDS = 10

export interface ConsentSettings {
  /** Address of the page. */
  page: string
  /** Address that exchanges the code. */
  exchange: string
  clientId: string
  clientSecret: string
  /** Where the provider expects the secret of the app. */
  secretIn: 'header' | 'form'
  /** All that a connection needs; the person may have unticked some. */
  scopes: readonly string[]
  /** Parameters of the page; `account`: the one to choose there, or null. */
  parameters: (account: string | null) => Record<string, string>
  client: Pick<GuardedClient, 'request'>
  requestSeconds?: number
}

/**
 * - `denied`: the person did not allow the access.
 * - `app_refused`: the provider refuses the app, its secret or its redirect address.
 * - `code_refused`: the code was used, or is too old.
 * - `scope_missing`: the person allowed only a part.
 * - `no_refresh_token`: the access would end within an hour.
 */
type ConsentProblemKind =
  | 'denied'
  | 'app_refused'
  | 'code_refused'
  | 'scope_missing'
  | 'no_refresh_token'
  | 'unavailable'
  | 'invalid'

class ConsentProblem extends Error {
  readonly kind: ConsentProblemKind
  readonly missingScopes: readonly string[]

  /** `message`: for the log of the operator, without tokens, codes and secrets. */
  constructor(kind: ConsentProblemKind, message: string, missingScopes: readonly string[] = []) {
    super(message)
    this.name = 'ConsentProblem'
    this.kind = kind
    this.missingScopes = missingScopes
  }
}

export interface Consent {
  begin(redirectUri: string, account: string | null): Promise<{ address: string; attempt: Attempt }>
  /** `answer`: the address to which the provider sent the browser. Spends the code. Rejects with `ConsentProblem`. */
  finish(answer: URL, attempt: Attempt): Promise<ConnectionTokens>
}

export function createConsent(settings: ConsentSettings): Consent {
  const { page, exchange, clientId, clientSecret, requestSeconds = REQUEST_SECONDS } = settings
  const server = { issuer: new URL(page).origin, authorization_endpoint: page, token_endpoint: exchange }
  const auth = settings.secretIn === 'form' ? ClientSecretPost(clientSecret) : plainBasic(clientSecret)
  const provider = new Configuration(server, clientId, undefined, auth)
  if (exchange.startsWith('http:')) allowInsecureRequests(provider)
  provider.timeout = requestSeconds
  provider[customFetch] = fetchThrough(settings.client, requestSeconds)

  return {
    begin: (redirectUri, account) =>
      beginAttempt(provider, { redirect_uri: redirectUri, ...settings.parameters(account) }),

    async finish(answer, { state, verifier }) {
      const plain = new URL(answer)
      // The issuer of OpenID. Each provider has its own redirect address instead.
      plain.searchParams.delete('iss')
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      const answered = await authorizationCodeGrant(provider, plain, checks).catch((error: unknown) => {
        throw consentProblem(error, [clientSecret, verifier, answer.searchParams.get('code')])
      })
      return checked(answered, settings.scopes)
    },
  }
}

/** Zoom does not decode the form encoding that the standard wants within the header. */
function plainBasic(secret: string): ClientAuth {
  return (_server, { client_id }, _body, headers) =>
    headers.set('authorization', `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}`)
}

const token = z.string().regex(/^[!-~]{1,16384}$/)
const tokensSchema = z.object({
  access_token: token,
  refresh_token: token.optional(),
  expires_in: z.number().min(0).max(31_536_000).catch(3600),
  scope: z.string().max(20_000).optional(),
})

function checked(answered: unknown, needed: readonly string[]): ConnectionTokens {
  const { data } = tokensSchema.safeParse(answered)
  if (data === undefined) throw new ConsentProblem('invalid', 'The answer to the code has no usable tokens')
  const scopes = data.scope?.split(/[\s,]+/).filter((scope) => /^[\w:./-]{1,200}$/.test(scope)) ?? []
  // Without the list all that was asked for is granted.
  const missing = data.scope === undefined ? [] : needed.filter((scope) => !scopes.some((one) => covers(one, scope)))
  if (missing.length > 0)
    throw new ConsentProblem('scope_missing', `The person did not allow ${missing.join(', ')}`, missing.map(shortName))
  if (data.refresh_token === undefined)
    throw new ConsentProblem('no_refresh_token', 'The answer to the code has no refresh token')
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: accessTokenSeconds } = data
  return { accessToken, refreshToken, accessTokenSeconds, scopes }
}

/** Providers may leave out the address before the name, or add it. */
const shortName = (scope: string) => scope.slice(scope.lastIndexOf('/') + 1)

/** Zoom's scopes of administrators have one more part. */
function covers(granted: string, needed: string): boolean {
  const [one, other] = [shortName(granted).toLowerCase(), shortName(needed).toLowerCase()]
  return one === other || one.startsWith(`${other}:`)
}

const KINDS: Readonly<Record<string, ConsentProblemKind>> = { access_denied: 'denied', invalid_grant: 'code_refused' }

function consentProblem(error: unknown, secrets: readonly (string | null)[]): ConsentProblem {
  const { kind, code, message } = problemOf(error, 'consent')
  const said = secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest), message)
  return new ConsentProblem(kind === 'refused' ? (KINDS[code ?? ''] ?? 'app_refused') : kind, said)
}
