/** The interface to the conferencing platform: an adapter, or a stand-in in tests. */

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
  /** A token for one try to join, which lasts about an hour. Rejects with `PlatformProblem`. */
  botToken(app: TeamsApp): Promise<string>
}

/** Adds the secret of the operator's app, which is not stored; other apps stay as they are. */
export type CompleteApp = (app: App) => App

/** The answer of the platform to a code or to a refresh token. */
export interface TokenPair {
  accessToken: string
  accessTokenSeconds: number
  /** The one before it no longer works. */
  refreshToken: string
  /** Such as `user:read:token`; empty if the platform names none. */
  scopes: string[]
}

export interface Profile {
  userId: string
  accountId: string | null
  email: string | null
  displayName: string | null
}

export type UserTokenKind = 'obf' | 'zak'

/** The verbs of the platform. Every one may reject with `PlatformProblem`. No state is kept between calls. */
export interface ConferencingPlatform {
  /** The code is spent, even if the answer is lost. */
  exchange(app: App, grant: { code: string; redirectUri: string }): Promise<TokenPair>
  /** The refresh token is spent, even if the answer is lost. */
  refresh(app: App, refreshToken: string): Promise<TokenPair>
  profile(accessToken: string): Promise<Profile>
  /** With `obf` and a meeting number the token serves only that meeting. */
  userToken(accessToken: string, kind: UserTokenKind, meetingNumber: string | null): Promise<string>
}

export type PlatformProblemKind =
  /** The code is unknown, used or too old. */
  | 'code_refused'
  /** The address of the exchange is not the one that the code was made for. */
  | 'redirect_mismatch'
  /** Client id or secret is wrong, or the app is switched off. */
  | 'client_refused'
  /** The refresh token was used, revoked or is too old. */
  | 'revoked'
  /** The access token was refused: refresh once, repeat once. */
  | 'token_refused'
  | 'scope_missing'
  | 'user_gone'
  | 'rate_limited'
  /** 5xx, network, a time-out, an answer that is not understood. */
  | 'unavailable'
  /** Refused for another reason, which a repetition meets again. */
  | 'refused'

export class PlatformProblem extends Error {
  readonly kind: PlatformProblemKind
  /** The delay that the platform asked for; null without one. */
  readonly retryAfterMs: number | null

  /** `message`: a sentence without secrets that says what the platform answered. */
  constructor(kind: PlatformProblemKind, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'PlatformProblem'
    this.kind = kind
    this.retryAfterMs = retryAfterMs
  }

  /** Whether the same request may work a little later. */
  get isPassing(): boolean {
    return this.kind === 'rate_limited' || this.kind === 'unavailable'
  }
}
