/**
 * The state of the stand-in of Zoom's OAuth server: apps, users, codes, and pairs of tokens that rotate. Every refresh
 * token works once; every code works once and for a few minutes. Source: docs/platform-notes/zoom.md#oauth and
 * #access-keys-and-on-behalf-of-tokens.
 */
import { randomBytes } from 'node:crypto'
import { Codes, type codeOf, type OAuthApp } from '../shared/consent.ts'
import type { Reply } from '../shared/scripted-server.ts'
import * as refusals from './refusals.ts'

const ACCESS_LIFE_SECONDS = 3599

export const ALL_SCOPES = ['user:read:user', 'user:read:token', 'user:read:zak'] as const

export type StandInApp = OAuthApp

export interface StandInUser {
  id: string
  accountId: string
  email: string
  firstName: string
  lastName: string
}

/** The permissions that a user gave to an app. */
export interface Grant {
  app: StandInApp
  user: StandInUser
  scopes: string[]
  isRevoked: boolean
}

interface AccessToken {
  grant: Grant
  expiresAt: number
}

export class Account {
  readonly apps: StandInApp[] = []
  readonly users: StandInUser[] = []
  readonly grants: Grant[] = []
  readonly #codes: Codes<Grant>
  readonly #accessTokens = new Map<string, AccessToken>()
  readonly #refreshTokens = new Map<string, Grant>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
    this.#codes = new Codes(now)
  }

  appOf(clientId: string): StandInApp | undefined {
    return this.apps.find((app) => app.clientId === clientId)
  }

  /** The app whose credentials the header `authorization: Basic …` holds. */
  appOfBasic(header: string | undefined): StandInApp | undefined {
    const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(header ?? '') ?? []
    const [id = '', ...rest] = Buffer.from(encoded ?? '', 'base64')
      .toString('utf8')
      .split(':')
    const app = this.appOf(id)
    return app?.clientSecret === rest.join(':') ? app : undefined
  }

  /** The user allows the app what it asks for. */
  consent(
    app: StandInApp,
    user: StandInUser,
    { redirectUri, scopes, challenge }: { redirectUri: string; scopes: readonly string[]; challenge: string | null },
  ): string {
    const grant: Grant = { app, user, scopes: [...scopes], isRevoked: false }
    this.grants.push(grant)
    return this.#codes.make(grant, { clientId: app.clientId, redirectUri, challenge })
  }

  exchange(app: StandInApp, { code, redirectUri, verifier }: ReturnType<typeof codeOf>): Reply {
    const redeemed = this.#codes.redeem(code, { clientId: app.clientId, redirectUri, verifier })
    return 'grant' in redeemed ? this.#pair(redeemed.grant) : REFUSED[redeemed.refused]
  }

  /** A refresh token works once, and only for the app that it was given to. */
  refresh(app: StandInApp, refreshToken: string): Reply {
    const grant = this.#refreshTokens.get(refreshToken)
    if (grant === undefined || grant.app !== app || grant.isRevoked) return refusals.INVALID_REFRESH_TOKEN
    this.#refreshTokens.delete(refreshToken)
    return this.#pair(grant)
  }

  /** The user of a valid access token, or the refusal. */
  readAccess(header: string | undefined): { grant: Grant } | { refused: Reply } {
    const [, token = ''] = /^Bearer (.+)$/i.exec(header ?? '') ?? []
    const access = this.#accessTokens.get(token)
    if (access === undefined || access.grant.isRevoked) return { refused: refusals.INVALID_ACCESS_TOKEN }
    if (access.expiresAt <= this.#now()) return { refused: refusals.EXPIRED_ACCESS_TOKEN }
    if (!this.users.includes(access.grant.user)) return { refused: refusals.userGone(access.grant.user.id) }
    return { grant: access.grant }
  }

  /** The user revokes the app's permissions, or an administrator removes the app. */
  revoke(wanted: (grant: Grant) => boolean): void {
    for (const grant of this.grants.filter(wanted)) grant.isRevoked = true
  }

  /** Expires every access token; refresh tokens stay valid. */
  expireAccess(): void {
    for (const access of this.#accessTokens.values()) access.expiresAt = this.#now()
  }

  /** The number of valid refresh tokens. */
  get refreshTokens(): number {
    return [...this.#refreshTokens.values()].filter(({ isRevoked }) => !isRevoked).length
  }

  /** The one grant of the token, for `POST /oauth/revoke`. */
  grantOf(token: string): Grant | undefined {
    return this.#refreshTokens.get(token) ?? this.#accessTokens.get(token)?.grant
  }

  #pair(grant: Grant): Reply {
    const accessToken = `access.${randomBytes(24).toString('base64url')}`
    const refreshToken = `refresh.${randomBytes(24).toString('base64url')}`
    this.#accessTokens.set(accessToken, { grant, expiresAt: this.#now() + ACCESS_LIFE_SECONDS * 1000 })
    this.#refreshTokens.set(refreshToken, grant)
    const body = {
      access_token: accessToken,
      token_type: 'bearer',
      refresh_token: refreshToken,
      expires_in: ACCESS_LIFE_SECONDS,
      scope: grant.scopes.join(' '),
      api_url: 'https://api.zoom.us',
    }
    return { status: 200, body }
  }
}

const REFUSED = {
  code: refusals.INVALID_CODE,
  redirect: refusals.REDIRECT_MISMATCH,
  verifier: refusals.INVALID_CHALLENGE,
} as const
