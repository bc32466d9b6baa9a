/** Accounts with their calendars, and the tokens that open them. */
import { randomBytes, randomUUID } from 'node:crypto'
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
}

const ACCESS_SECONDS = 3599

/** The OAuth client, refresh tokens and access tokens. */
export class TokenOffice {
  readonly clientId = 'standin-client'
  clientSecret = 'standin-secret'
  private readonly clock: StandInClock
  private readonly rotates: boolean
  private readonly grants = new Map<string, Grant>()
  private readonly access = new Map<string, { account: StandInAccount; expiresAt: number }>()

  /** `rotates`: each exchange gives a new refresh token, and the old one is refused from then on. */
  constructor(clock: StandInClock, rotates: boolean) {
    this.clock = clock
    this.rotates = rotates
  }

  /** Returns what the client receives after the user's consent. */
  consent(account: StandInAccount): string {
    const token = `refresh.${randomUUID()}`
    this.grants.set(token, { account, isLive: true })
    return token
  }

  /** Null for a refresh token that is unknown, replaced or revoked. */
  exchange(refreshToken: string): { accessToken: string; refreshToken: string; expiresIn: number } | null {
    const grant = this.grants.get(refreshToken)
    if (!grant?.isLive) return null
    let next = refreshToken
    if (this.rotates) {
      grant.isLive = false
      next = this.consent(grant.account)
    }
    const accessToken = `access.${randomUUID()}`
    this.access.set(accessToken, { account: grant.account, expiresAt: this.clock.now() + ACCESS_SECONDS * 1000 })
    return { accessToken, refreshToken: next, expiresIn: ACCESS_SECONDS }
  }

  /** Null for an unknown or expired token. */
  accountOf(authorization: string | undefined): StandInAccount | null {
    const access = this.access.get(/^Bearer (.+)$/.exec(authorization ?? '')?.[1] ?? '')
    return access !== undefined && access.expiresAt > this.clock.now() ? access.account : null
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
