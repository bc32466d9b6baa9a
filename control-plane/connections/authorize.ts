/** From the code that a user brought back from the page of consent, or from its tokens, to tokens and profile. */

import { setTimeout as sleep } from 'node:timers/promises'
import { ProviderError } from '../platform/ports.ts'
import type { ConnectionTokens } from '../store/connections/connections.ts'
import type { App, ConferencingPlatform, Profile, TeamsApp, TeamsSignIn } from './ports.ts'

/** The code is spent by then, so a failed request for the profile is repeated. Milliseconds. */
const AGAIN_MS = [300, 1_000, 3_000]

export type Authorization =
  | { user: { tokens: ConnectionTokens; profile: Profile } }
  /** A sentence that says what the provider answered and what helps. */
  | { refused: string }
  /** Nothing was decided; the code may still be good. */
  | { unavailable: string; retryAfterMs: number | null }

export async function authorizeUser(
  platform: Pick<ConferencingPlatform, 'exchange' | 'profile'>,
  app: App,
  grant: { code: string; redirectUri: string } | ConnectionTokens,
): Promise<Authorization> {
  let tokens: ConnectionTokens
  try {
    tokens = 'code' in grant ? await platform.exchange(app, grant) : grant
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.isPassing) return { unavailable: error.message, retryAfterMs: error.retryAfterMs }
    return { refused: `${error.message}${adviceFor(error)}` }
  }
  try {
    return { user: { tokens, profile: await profileOf(platform, tokens) } }
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    const advice =
      error.kind === 'scope_missing'
        ? ' Add the scope user:read:user to the app.'
        : ' The profile of the user could not be read.'
    return { refused: `${error.message}${advice} The code is used up: let the user authorize the app again.` }
  }
}

async function profileOf(platform: Pick<ConferencingPlatform, 'profile'>, tokens: ConnectionTokens): Promise<Profile> {
  for (let tries = 0; ; tries++) {
    try {
      return await platform.profile(tokens.accessToken)
    } catch (error) {
      const pause = AGAIN_MS[tries]
      if (pause === undefined || !(error instanceof ProviderError) || !error.isPassing) throw error
      await sleep(pause)
    }
  }
}

function adviceFor({ kind }: ProviderError): string {
  switch (kind) {
    case 'code_refused':
      return ' A code works once and for about ten minutes: let the user authorize the app again.'
    case 'redirect_mismatch':
      return ' redirect_uri has to be exactly the address that the user was sent back to.'
    case 'client_refused':
      return ' Check the client id and the client secret of the app.'
    default:
      return ''
  }
}

/** Requests a token only to check the app. Null: Microsoft accepts it. */
export async function checkTeamsApp(
  teams: TeamsSignIn,
  app: TeamsApp,
): Promise<Exclude<Authorization, { user: unknown }> | null> {
  try {
    await teams.botToken(app)
    return null
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error
    if (error.isPassing) return { unavailable: error.message, retryAfterMs: error.retryAfterMs }
    return { refused: `${error.message} Check the tenant id, the client id and the client secret.` }
  }
}
