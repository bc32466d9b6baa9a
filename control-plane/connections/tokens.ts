/**
 * Access tokens of connections, refreshed when they are used. A refresh spends the refresh token. Therefore:
 * - One refresh runs at a time, under a lease of the database and outside of any transaction.
 * - The new pair is written only over the pair that was used.
 * - A pair that cannot be written is kept in memory and written as soon as the database accepts it.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Backoff } from '@standin/base/backoff.ts'
import type { Meters } from '../meters.ts'
import type { Log, Seals } from '../ports.ts'
import type { ConnectionRow } from '../rows/index.ts'
import { connectionPlace, type SecretColumn } from '../store/connections/connections.ts'
import {
  dropAccessToken,
  noteOutcome,
  readTokens,
  refreshLease,
  takeRefreshLease,
} from '../store/connections/tokens.ts'
import type { Database } from '../store/database.ts'
import { type CompleteApp, type ConferencingPlatform, PlatformProblem } from './ports.ts'
import { UnsavedPairs } from './unsaved-pairs.ts'

/** An access token that ends within this time is refreshed. Seconds. */
const MARGIN_SECONDS = 60
/** Longer than a refresh may take. */
const LEASE_SECONDS = 40
/** How often a process looks whether the refresh of another one is done. */
const POLL_MS = 200
/** No process holds the lease longer, so this ends every wait. */
const WAIT_MS = 60_000

/** The connection was deleted or never existed. */
export class ConnectionGone extends Error {
  constructor() {
    super('The stored credential was deleted or never existed.')
    this.name = 'ConnectionGone'
  }
}

export interface Access {
  token: string
  /** Of the pair that it belongs to. */
  version: number
  scopes: string[]
}

export interface TokenKeeperSettings {
  database: Database
  seals: Seals
  platform: Pick<ConferencingPlatform, 'refresh'>
  log: Log
  meters?: Meters
  leaseSeconds?: number
  /** Pauses between tries to write a pair that the database did not take. */
  saveAgainMs?: Backoff
  /** The secret of the operator's app is not stored. Absent: the operator has no app. */
  complete?: CompleteApp
}

export class TokenKeeper {
  readonly #settings: TokenKeeperSettings
  readonly #unsaved: UnsavedPairs
  readonly #refreshes = new Set<Promise<unknown>>()

  constructor(settings: TokenKeeperSettings) {
    this.#settings = settings
    this.#unsaved = new UnsavedPairs(settings)
  }

  /** Rejects with `ConnectionGone`, `PlatformProblem`, or an error of the database. */
  async accessOf(id: string): Promise<Access> {
    const { database } = this.#settings
    const until = performance.now() + WAIT_MS
    for (;;) {
      const row = await readTokens(database, id, MARGIN_SECONDS)
      if (row === undefined || row.deleted_at !== null) throw new ConnectionGone()
      const kept = this.#unsaved.of(id, row.tokens_version)
      if (kept === 'out_of_date')
        throw new PlatformProblem(
          'unavailable',
          'The new tokens of the credential cannot be written to the database yet.',
        )
      if (kept !== null) return kept
      if (row.is_fresh) return { token: this.#open(row, 'access_token'), ...factsOf(row) }
      const refreshed = await this.#refreshOnce(row)
      if (refreshed !== null) return refreshed
      if (performance.now() > until)
        throw new PlatformProblem(
          'unavailable',
          'Another process is refreshing the credential and has not come to an end.',
        )
      await sleep(POLL_MS)
    }
  }

  /** The platform refused this access token before its time: the next use refreshes. */
  async forget(id: string, { version }: Access): Promise<void> {
    this.#unsaved.forgetAccess(id, version)
    await dropAccessToken(this.#settings.database, id, version)
  }

  /** Stores the outcome of a request with the token; null: it worked. Never rejects. */
  async note(id: string, version: number, problem: PlatformProblem | null): Promise<void> {
    const error = problem && { message: problem.message, isPermanent: isPermanent(problem) }
    await noteOutcome(this.#settings.database, { id, version }, error).catch((failure) =>
      this.#settings.log.warn(
        { connection: id, error: String(failure) },
        'The state of a connection could not be written',
      ),
    )
  }

  /** Waits for running refreshes and tries once more to write unsaved pairs. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#refreshes)
    await this.#unsaved.close()
  }

  /**
   * Null: another has the lease, or the pair changed. The refresh continues after its last caller has stopped waiting.
   */
  async #refreshOnce(row: ConnectionRow): Promise<Access | null> {
    const { database, leaseSeconds = LEASE_SECONDS } = this.#settings
    const claim = { owner: randomUUID(), leaseSeconds }
    if (!(await takeRefreshLease(database, row.id, row.tokens_version, claim))) return null
    const refresh = this.#refresh(row, claim.owner)
    this.#refreshes.add(refresh)
    return refresh.finally(() => this.#refreshes.delete(refresh))
  }

  async #refresh(row: ConnectionRow, owner: string): Promise<Access | null> {
    const { database, platform, log } = this.#settings
    const { id, tokens_version: version } = row
    try {
      const stored = { clientId: row.client_id, clientSecret: this.#open(row, 'client_secret') }
      const app = this.#settings.complete?.(stored) ?? stored
      const pair = await platform.refresh(app, this.#open(row, 'refresh_token'))
      log.info({ connection: id }, 'Tokens of a connection refreshed')
      // The platform may leave the scopes out.
      const scopes = pair.scopes.length > 0 ? pair.scopes : factsOf(row).scopes
      return await this.#unsaved.write({ id, version }, { ...pair, scopes })
    } catch (error) {
      if (!(error instanceof PlatformProblem)) throw error
      // The lease was lost and another process has used this token: its pair is the good one.
      const now = await readTokens(database, id, MARGIN_SECONDS).catch(() => undefined)
      if (now !== undefined && (now.tokens_version !== version || now.deleted_at !== null)) return null
      const reason = isPermanent(error) ? 'refused' : 'unavailable'
      this.#settings.meters?.count('token_refresh_failures', { of: 'connection', reason })
      const refreshProblem = new PlatformProblem(
        error.kind,
        `Token refresh failed: ${error.message}`,
        error.retryAfterMs,
      )
      log.warn(
        { connection: id, kind: error.kind, error: refreshProblem.message },
        'Tokens of a connection could not be refreshed',
      )
      await this.note(id, version, refreshProblem)
      await refreshLease.release(database, id, owner).catch(() => {})
      throw refreshProblem
    }
  }

  #open(row: ConnectionRow, column: SecretColumn): string {
    const sealed = row[column]
    if (sealed === null) throw new ConnectionGone()
    return this.#settings.seals.open(sealed, connectionPlace(column, row.id))
  }
}

function factsOf(row: ConnectionRow): { version: number; scopes: string[] } {
  return { version: row.tokens_version, scopes: row.scopes as string[] }
}

/** Whether a person has to do something before it can work again. */
function isPermanent({ kind }: PlatformProblem): boolean {
  return kind === 'revoked' || kind === 'client_refused' || kind === 'user_gone'
}
