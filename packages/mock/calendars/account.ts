/** Accounts with their calendars, and the tokens that open them. */
import { randomBytes, randomUUID } from 'node:crypto'
import { Codes, codeOf } from '../shared/consent.ts'
import type { StandInCalendar } from './calendar.ts'
import type { StandInClock } from './clock.ts'

export interface NewAccount {
  email?: string
  name?: string
  /** Of its first calendar, such as `Europe/Berlin`. */
  timezone?: string
  /** Microsoft: without a licence there is none. */
  hasMailbox?: boolean
  /** The scopes that the user permitted. Default: all scopes. */
  scopes?: readonly string[]
}

export class StandInAccount {
  readonly email: string
  readonly name: string
  hasMailbox: boolean
  scopes: readonly string[]
  readonly timezone: string
  readonly calendars: StandInCalendar[] = []
  private readonly makeCalendar: (account: StandInAccount, name: string, isPrimary: boolean) => StandInCalendar

  constructor(
    account: NewAccount,
    scopes: readonly string[],
    makeCalendar: (account: StandInAccount, name: string, isPrimary: boolean) => StandInCalendar,
  ) {
    this.email = account.email ?? `ann-${randomBytes(3).toString('hex')}@example.com`
    this.name = account.name ?? 'Ann Example'
    this.hasMailbox = account.hasMailbox ?? true
    this.scopes = account.scopes ?? scopes
    this.timezone = account.timezone ?? 'UTC'
    this.makeCalendar = makeCalendar
    this.addCalendar(this.name, true)
  }

  get primary(): StandInCalendar {
    return this.calendars[0]!
  }

  addCalendar(name: string, isPrimary = false): StandInCalendar {
    const calendar = this.makeCalendar(this, name, isPrimary)
    this.calendars.push(calendar)
    return calendar
  }
}

interface Grant {
  account: StandInAccount
  isLive: boolean
  /** Null: those of the account. */
  scopes: readonly string[] | null
}

const ACCESS_SECONDS = 3599

interface Issued {
  accessToken: string
  refreshToken: string
  expiresIn: number
  scopes: readonly string[]
}

/** The OAuth client, codes, refresh tokens and access tokens. */
export class TokenOffice {
  readonly clientId = 'standin-client'
  clientSecret = 'standin-secret'
  /** Where the page of consent may send people. */
  readonly redirectUris: string[] = []
  readonly codes: Codes<{ account: StandInAccount; scopes: string[]; isOffline: boolean }>
  private readonly clock: StandInClock
  private readonly rotates: boolean
  private readonly grants = new Map<string, Grant>()
  private readonly access = new Map<string, Pick<Grant, 'account' | 'scopes'> & { expiresAt: number }>()

  /** `rotates`: each exchange gives a new refresh token, and the old one is refused from then on. */
  constructor(clock: StandInClock, rotates: boolean) {
    this.clock = clock
    this.rotates = rotates
    this.codes = new Codes(() => clock.now())
  }

  /** Returns what the client receives after the user's consent. */
  consent(account: StandInAccount, scopes: readonly string[] | null = null): string {
    const token = `refresh.${randomUUID()}`
    this.grants.set(token, { account, isLive: true, scopes })
    return token
  }

  /** The tokens for a code, without a refresh token unless offline access was asked for and allowed; or why not. */
  redeem(
    form: URLSearchParams,
  ): (Omit<Issued, 'refreshToken'> & { refreshToken: string | null }) | 'code' | 'redirect' | 'verifier' {
    const redeemed = this.codes.redeem(codeOf(form).code, codeOf(form))
    if ('refused' in redeemed) return redeemed.refused
    const { account, scopes, isOffline } = redeemed.grant
    const issued = this.exchange(this.consent(account, scopes))!
    if (isOffline) return issued
    this.grants.delete(issued.refreshToken)
    return { ...issued, refreshToken: null }
  }

  /** Null for a refresh token that is unknown, replaced or revoked. */
  exchange(refreshToken: string): Issued | null {
    const grant = this.grants.get(refreshToken)
    if (!grant?.isLive) return null
    let next = refreshToken
    if (this.rotates) {
      grant.isLive = false
      next = this.consent(grant.account, grant.scopes)
    }
    const accessToken = `access.${randomUUID()}`
    const { account, scopes } = grant
    this.access.set(accessToken, { account, scopes, expiresAt: this.clock.now() + ACCESS_SECONDS * 1000 })
    return { accessToken, refreshToken: next, expiresIn: ACCESS_SECONDS, scopes: scopes ?? account.scopes }
  }

  /** Null for an unknown or expired token. */
  accessOf(authorization: string | undefined): { account: StandInAccount; scopes: readonly string[] } | null {
    const access = this.access.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '')
    if (access === undefined || access.expiresAt <= this.clock.now()) return null
    return { account: access.account, scopes: access.scopes ?? access.account.scopes }
  }

  /** The refresh token that works now, for a person who connects the calendar. */
  liveToken(account: StandInAccount): string | null {
    for (const [token, grant] of [...this.grants].reverse()) if (grant.account === account && grant.isLive) return token
    return null
  }

  /** The user revokes the permission: no token of the account is valid any more. */
  revoke(account: StandInAccount): void {
    for (const grant of this.grants.values()) if (grant.account === account) grant.isLive = false
    this.expireAccess(account)
  }

  /** Expires all access tokens, as after one hour. Refresh tokens stay valid. */
  expireAccess(account: StandInAccount): void {
    for (const [token, access] of this.access) if (access.account === account) this.access.delete(token)
  }
}
