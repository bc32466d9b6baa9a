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
import { type GuardedClient, ProviderError, type ProviderErrorKind } from '../../platform/ports.ts'
import type { ConnectionTokens } from '../../store/connections/connections.ts'
import { MAX_ANSWER_BYTES, readTokenAnswer } from '../token-answer.ts'
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

export interface Consent {
  begin(redirectUri: string, account: string | null): Promise<{ address: string; attempt: Attempt }>
  /** `answer`: the address to which the provider sent the browser. Spends the code. Rejects with `ProviderError`. */
  finish(answer: URL, attempt: Attempt): Promise<ConnectionTokens>
}

export function createConsent(settings: ConsentSettings): Consent {
  const { page, exchange, clientId, clientSecret, requestSeconds = REQUEST_SECONDS } = settings
  const server = { issuer: new URL(page).origin, authorization_endpoint: page, token_endpoint: exchange }
  const auth = settings.secretIn === 'form' ? ClientSecretPost(clientSecret) : plainBasic(clientSecret)
  const provider = new Configuration(server, clientId, undefined, auth)
  if (exchange.startsWith('http:')) allowInsecureRequests(provider)
  provider.timeout = requestSeconds
  const fetch = fetchThrough(settings.client, requestSeconds, MAX_ANSWER_BYTES)
  provider[customFetch] = async (url, options) => plainAnswer(await fetch(url, options))

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

/** The client library refuses an answer with one odd field, and with it tokens that exist only there. */
async function plainAnswer(answer: Response): Promise<Response> {
  const text = await answer.text()
  const tokens = answer.status === 200 ? readTokenAnswer(jsonOf(text)) : null
  if (tokens === null) return new Response(text === '' ? null : text, answer)
  const { accessToken, accessTokenSeconds, refreshToken, scopes } = tokens
  return Response.json({
    token_type: 'bearer',
    access_token: accessToken ?? undefined,
    expires_in: accessTokenSeconds,
    refresh_token: refreshToken ?? undefined,
    scope: scopes?.join(' '),
  })
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function checked(answered: unknown, needed: readonly string[]): ConnectionTokens {
  const tokens = readTokenAnswer(answered)
  if (tokens?.accessToken == null) throw new ProviderError('invalid', 'The answer to the code has no usable tokens')
  const { accessToken, accessTokenSeconds, refreshToken, scopes } = tokens
  // Without the list all that was asked for is granted.
  const missing = scopes === null ? [] : needed.filter((scope) => !scopes.some((one) => covers(one, scope)))
  if (missing.length > 0)
    throw new ProviderError('scope_missing', `The person did not allow ${missing.join(', ')}`, {
      missingScopes: missing.map(shortName),
    })
  if (refreshToken === null) throw new ProviderError('no_refresh_token', 'The answer to the code has no refresh token')
  return { accessToken, refreshToken, accessTokenSeconds, scopes: scopes ?? [] }
}

/** Providers may leave out the address before the name, or add it. */
const shortName = (scope: string) => scope.slice(scope.lastIndexOf('/') + 1)

/** Zoom's scopes of administrators have one more part. */
function covers(granted: string, needed: string): boolean {
  const [one, other] = [shortName(granted).toLowerCase(), shortName(needed).toLowerCase()]
  return one === other || one.startsWith(`${other}:`)
}

const KINDS: Readonly<Record<string, ProviderErrorKind>> = { access_denied: 'denied', invalid_grant: 'code_refused' }

function consentProblem(error: unknown, secrets: readonly (string | null)[]): ProviderError {
  const { kind, code, message } = problemOf(error, 'consent')
  const said = secrets.reduce<string>((rest, secret) => (secret ? rest.replaceAll(secret, '***') : rest), message)
  return new ProviderError(kind === 'refused' ? (KINDS[code ?? ''] ?? 'app_refused') : kind, said)
}
