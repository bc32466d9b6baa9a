/**
 * Signing in through an OpenID provider: authorization code with PKCE, state and nonce. openid-client checks issuer,
 * audience, times, nonce and signature of the ID token. The address of the provider is a setting of the operator.
 */
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  None,
  randomNonce,
} from 'openid-client'
import { z } from 'zod'
import type { GuardedClient } from '../../platform/ports.ts'
import type { Identity } from '../../store/people/identities.ts'
import { type Attempt, beginAttempt, fetchThrough } from './code-flow.ts'
import { problemOf } from './problems.ts'

const REQUEST_SECONDS = 8
/** How long the provider's metadata is cached. */
const DISCOVERY_MS = 3_600_000
const SCOPE = 'openid email profile'

export interface OidcSettings {
  issuer: string
  clientId: string
  clientSecret: string | null
  client: Pick<GuardedClient, 'request'>
  /** How long the provider may take for one answer. Default 8. */
  requestSeconds?: number
}

interface OidcAttempt extends Attempt {
  nonce: string
}

export interface OidcProvider {
  /** Where the browser goes. Rejects with `ProviderError`. */
  begin(redirectUri: string): Promise<{ address: string; attempt: OidcAttempt }>
  /** `answer`: the address to which the provider sent the browser. Rejects with `ProviderError`. */
  finish(answer: URL, attempt: OidcAttempt): Promise<Identity>
}

export function createOidcProvider(settings: OidcSettings): OidcProvider {
  let known: { configuration: Promise<Configuration>; until: number } | null = null

  /** Providers change their addresses rarely; one that could not be asked is asked again by the next try. */
  function configuration(): Promise<Configuration> {
    if (known !== null && known.until > performance.now()) return known.configuration
    const asked = { configuration: discover(settings), until: performance.now() + DISCOVERY_MS }
    known = asked
    asked.configuration.catch(() => {
      if (known === asked) known = null
    })
    return asked.configuration
  }

  return {
    async begin(redirectUri) {
      const provider = await configuration().catch(rethrow('discovery'))
      const nonce = randomNonce()
      const { address, attempt } = await beginAttempt(provider, { redirect_uri: redirectUri, scope: SCOPE, nonce })
      return { address, attempt: { ...attempt, nonce } }
    },

    async finish(answer, { state, nonce, verifier }) {
      const provider = await configuration().catch(rethrow('discovery'))
      const tokens = await authorizationCodeGrant(provider, answer, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      }).catch(rethrow('sign-in'))
      const idToken = tokens.claims()!
      // Both claims from one source: the address of one and "verified" of another prove nothing.
      const isComplete =
        (idToken.email !== undefined && (idToken.email_verified ?? idToken.xms_edov) !== undefined) ||
        provider.serverMetadata().userinfo_endpoint === undefined
      const claims = isComplete
        ? idToken
        : await fetchUserInfo(provider, tokens.access_token, idToken.sub).catch(rethrow('user information'))
      const identity = { issuer: idToken.iss, subject: idToken.sub, ...readClaims(claims) }
      const isOther = idToken.email !== undefined && !isSameEmail(idToken.email, identity.verifiedEmail)
      return isOther ? { ...identity, verifiedEmail: null } : identity
    },
  }
}

const isSameEmail = (one: unknown, other: string | null) =>
  typeof one === 'string' && one.toLowerCase() === other?.toLowerCase()

function rethrow(what: string): (error: unknown) => never {
  return (error) => {
    throw problemOf(error, what)
  }
}

async function discover(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret, client, requestSeconds = REQUEST_SECONDS } = settings
  const isPlain = issuer.startsWith('http:')
  return discovery(new URL(issuer), clientId, undefined, clientSecret === null ? None() : secretOf(clientSecret), {
    timeout: requestSeconds,
    execute: [enableNonRepudiationChecks, ...(isPlain ? [allowInsecureRequests] : [])],
    [customFetch]: fetchThrough(client, requestSeconds),
  })
}

/** In the header, as the standard wants it by default, or in the body where the provider takes only that. */
function secretOf(secret: string): ClientAuth {
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const isBasic = methods.includes('client_secret_basic') || !methods.includes('client_secret_post')
    return (isBasic ? basic : post)(server, ...rest)
  }
}

/** Some providers write it as text or as a number. */
const isTrue = (claim: unknown) => claim === true || claim === 1 || claim === 'true' || claim === '1'
const claimsSchema = z.object({
  email: z.email().max(254).optional().catch(undefined),
  email_verified: z.unknown().optional(),
  /** Entra ID's own claim: the owner of the address's domain was verified. */
  xms_edov: z.unknown().optional(),
  name: z
    .string()
    .transform(
      (name) =>
        name
          .replace(/\p{C}+/gu, ' ')
          .trim()
          .slice(0, 100) || null,
    )
    .nullable()
    .catch(null),
})

function readClaims(claims: unknown): Pick<Identity, 'verifiedEmail' | 'name'> {
  const { email, email_verified, xms_edov, name } = claimsSchema.parse(claims)
  const isVerified = isTrue(email_verified ?? xms_edov)
  return { verifiedEmail: isVerified ? (email ?? null) : null, name }
}
