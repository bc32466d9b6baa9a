/** The interface to the conferencing platform: an adapter, or a stand-in in tests. */

import type { TokenAnswer } from '../platform/ports.ts'
import type { ConnectionTokens } from '../store/connections/connections.ts'

/** An app of the platform, as its owner registered it. */
export interface App {
  clientId: string
  clientSecret: string
}

/** A bot that is registered at Microsoft Teams: an app of a tenant of Microsoft Entra. */
export interface TeamsApp extends App {
  tenantId: string
}

export interface TeamsSignIn {
  /** A token for one try to join, which lasts about an hour. Rejects with `ProviderError`. */
  botToken(app: TeamsApp): Promise<string>
}

/** Adds the secret of the operator's app, which is not stored; other apps stay as they are. */
export type CompleteApp = (app: App) => App

export interface Profile {
  userId: string
  accountId: string | null
  email: string | null
  displayName: string | null
}

export type UserTokenKind = 'obf' | 'zak'

/** The verbs of the platform. Every one may reject with `ProviderError`. No state is kept between calls. */
export interface ConferencingPlatform {
  /** The code is spent, even if the answer is lost. */
  exchange(app: App, grant: { code: string; redirectUri: string }): Promise<ConnectionTokens>
  /** The refresh token is spent, even if the answer is lost. */
  refresh(app: App, refreshToken: string): Promise<TokenAnswer>
  profile(accessToken: string): Promise<Profile>
  /** With `obf` and a meeting number the token serves only that meeting. */
  userToken(accessToken: string, kind: UserTokenKind, meetingNumber: string | null): Promise<string>
}
