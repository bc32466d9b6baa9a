/**
 * Access tokens of calendars and connections, refreshed when they are used. A provider may replace the refresh token; then
 * the one before it works no more. Therefore:
 * - One refresh of a row runs at a time, under a lease of the database and outside of any transaction.
 * - New tokens are written only over those that were used.
 * - A replaced refresh token that cannot be written is kept in memory and written as soon as the database accepts it.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Backoff, backoff } from '@standin/wire/time/backoff.ts'
import type { Meters } from '../platform/meters.ts'
import { type Log, ProviderError, type Seals, type TokenAnswer } from '../platform/ports.ts'
import type { Database } from '../store/database.ts'
import {
  type NewTokens,
  readTokens,
  releaseRefreshLease,
  type TokenRow,
  type TokenTable,
  takeRefreshLease,
  writeTokens,
} from '../store/oauth-tokens.ts'

/** An access token that ends within this time is refreshed. */
const MARGIN_SECONDS = 60
/** Longer than a refresh may take. */
const LEASE_SECONDS = 40
/** How often a process looks whether the refresh of another one is done. */
const POLL_MS = 100
/** No process holds the lease longer, so this ends every wait. */
const WAIT_MS = 60_000
/** Pauses between tries to write tokens that the database did not take. */
const SAVE_AGAIN_MS: Backoff = { first: 200, max: 15_000, jitter: 0.2 }

export interface OAuthTokenSettings {
  database: Database
  seals: Seals
  log: Log
  meters?: Meters
  leaseSeconds?: number
  saveAgainMs?: Backoff
}

/** Where calendars and connections differ. */
export interface TokenOwner<T extends TokenTable> {
  table: T
  /** In logs and metrics. */
  name: 'calendar' | 'connection'
  /** The sentence about a row that was deleted. */
  gone: string
  /** Asks the provider. `columns`: what the answer changes, beside the access token; sealed where it is secret. */
  refresh(row: TokenRow<T>): Promise<{ answer: TokenAnswer; columns: NewTokens['columns'] }>
  /** Stores that the provider refused these tokens or failed. Returns the error for the caller. */
  failed(row: TokenRow<T>, error: ProviderError): Promise<ProviderError>
}

export interface Access {
  token: string
  /** Of the tokens that it belongs to. */
  version: number
}

interface Kept {
  /** Of the tokens in the database that these replace. */
  version: number
  token: string | null
  /** `performance.now()` at which the access token ends. */
  until: number
  columns: NewTokens['columns']
  nextVersion: number
}

export class OAuthTokens<T extends TokenTable> {
  readonly #settings: OAuthTokenSettings
  readonly #owner: TokenOwner<T>
  readonly #kept = new Map<string, Kept>()
  readonly #refreshes = new Set<Promise<unknown>>()
  readonly #writes = new Set<Promise<unknown>>()
  readonly #closing = new AbortController()

  constructor(settings: OAuthTokenSettings, owner: TokenOwner<T>) {
    this.#settings = settings
    this.#owner = owner
  }

  /**
   * Works with an access token; one that the provider refuses is replaced once. Rejects with `ProviderError`, an error of
   * the database, or what the work rejects with.
   */
  async withToken<R>(id: string, work: (access: Access) => Promise<R>): Promise<R> {
    const access = await this.accessOf(id)
    try {
      return await work(access)
    } catch (error) {
      if (!(error instanceof ProviderError) || error.kind !== 'token_refused') throw error
    }
    return work(await this.accessOf(id, access.token))
  }

  /** `refused`: an access token that the provider refused before its time. */
  async accessOf(id: string, refused: string | null = null): Promise<Access> {
    const { database, seals } = this.#settings
    const { table, gone } = this.#owner
    const until = performance.now() + WAIT_MS
    for (;;) {
      const row = await readTokens(database, table, id, MARGIN_SECONDS)
      if (row === undefined) throw new ProviderError('not_found', gone)
      const kept = this.#keptOf(row)
      if (kept !== null) return usable(kept, refused)
      const stored = row.is_fresh && row.access_token && seals.open(row.access_token, this.#placeOf(id))
      if (stored && stored !== refused) return { token: stored, version: row.tokens_version }
      const refreshed = await this.#refreshOnce(row)
      if (refreshed !== null) return refreshed
      if (performance.now() > until)
        throw new ProviderError(
          'unavailable',
          'Another process refreshes the access token and does not come to an end.',
        )
      await sleep(POLL_MS * (1 + Math.random()))
    }
  }

  /** Waits for running refreshes, and tries to write kept tokens for `patienceMs` more. Those that are left are lost. */
  async close(patienceMs: number): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#refreshes)
    const until = performance.now() + patienceMs
    await Promise.all(this.#writes)
    while (this.#kept.size > 0 && performance.now() < until) {
      for (const [id, kept] of this.#kept) await this.#writeKept(id, kept)
      if (this.#kept.size > 0) await sleep(POLL_MS)
    }
    for (const id of this.#kept.keys())
      this.#settings.log.error(
        { [this.#owner.name]: id },
        'New tokens are lost: their user may have to authorize the app again',
      )
  }

  #keptOf({ id, tokens_version: version }: TokenRow<T>): Kept | null {
    const kept = this.#kept.get(id)
    return kept?.version === version ? kept : null
  }

  #placeOf = (id: string) => ({ table: this.#owner.table, column: 'access_token', row: id })

  /**
   * Null: another has the lease, or the tokens changed. The refresh continues after its last caller has stopped waiting.
   */
  async #refreshOnce(row: TokenRow<T>): Promise<Access | null> {
    const { database, leaseSeconds = LEASE_SECONDS } = this.#settings
    const claim = { owner: randomUUID(), leaseSeconds }
    const { id, tokens_version: version } = row
    if (!(await takeRefreshLease(database, this.#owner.table, { id, version }, claim))) return null
    // Another refresh of this process may have lost its lease, and keeps what it got.
    if (this.#keptOf(row) !== null) return null
    if (this.#closing.signal.aborted) {
      await releaseRefreshLease(database, this.#owner.table, id, claim.owner)
      throw new ProviderError('unavailable', 'The process ends, so it refreshes no more tokens.')
    }
    const refresh = this.#refresh(row, claim.owner)
    this.#refreshes.add(refresh)
    return refresh.finally(() => this.#refreshes.delete(refresh))
  }

  async #refresh(row: TokenRow<T>, owner: string): Promise<Access | null> {
    const { database, meters } = this.#settings
    const { id, tokens_version: version } = row
    const { table, name } = this.#owner
    const refreshed = await this.#owner.refresh(row).catch(async (error: unknown) => {
      // The lease was lost and another process has used this token: its tokens are the good ones.
      const now = await readTokens(database, table, id, MARGIN_SECONDS).catch(() => row)
      if (now?.tokens_version !== version) return null
      await releaseRefreshLease(database, table, id, owner).catch(() => {})
      if (!(error instanceof ProviderError)) throw error
      meters?.count('token_refresh_failures', { of: name, reason: error.isPassing ? 'unavailable' : 'refused' })
      throw await this.#owner.failed(row, error)
    })
    if (refreshed === null) return null
    const { answer, columns } = refreshed
    const until = performance.now() + answer.accessTokenSeconds * 1000
    const nextVersion = answer.refreshToken === null ? version : version + 1
    const newest: Kept = { version, token: answer.accessToken, until, columns, nextVersion }
    const written = await this.#write(id, newest)
    return written && { ...usable(newest), version: written.version }
  }

  /** The version that the row has then. Null: it was deleted or authorized again meanwhile, so these tokens are useless. */
  async #write(id: string, kept: Kept): Promise<{ version: number } | null> {
    const { log, meters } = this.#settings
    const { name } = this.#owner
    try {
      return (await this.#save(id, kept)) ? { version: kept.nextVersion } : null
    } catch (error) {
      meters?.count('token_refresh_failures', { of: name, reason: 'not_stored' })
      log.error(
        { [name]: id, error: String(error) },
        'New tokens could not be written: they are kept in memory and written again',
      )
      this.#kept.set(id, kept)
      const write = this.#writeLater(id, kept)
      this.#writes.add(write)
      void write.then(() => this.#writes.delete(write))
      return kept
    }
  }

  async #writeLater(id: string, kept: Kept): Promise<void> {
    const { saveAgainMs = SAVE_AGAIN_MS } = this.#settings
    const { signal } = this.#closing
    for (let tries = 1; this.#kept.get(id) === kept && !signal.aborted; tries++) {
      await sleep(backoff(saveAgainMs, tries), undefined, { signal, ref: false }).catch(() => {})
      await this.#writeKept(id, kept)
    }
  }

  async #writeKept(id: string, kept: Kept): Promise<void> {
    try {
      const isStored = await this.#save(id, kept)
      if (this.#kept.get(id) === kept) this.#kept.delete(id)
      this.#settings.log.warn({ [this.#owner.name]: id, isStored }, 'The tokens that were kept in memory are written')
    } catch (error) {
      this.#settings.log.error({ [this.#owner.name]: id, error: String(error) }, 'New tokens are still not written')
    }
  }

  #save(id: string, { version, token, until, ...rest }: Kept): Promise<boolean> {
    const { database, seals } = this.#settings
    const accessToken = token === null ? null : seals.seal(token, this.#placeOf(id))
    const accessTokenSeconds = Math.max(0, (until - performance.now()) / 1000)
    return writeTokens(database, this.#owner.table, { id, version }, { accessToken, accessTokenSeconds, ...rest })
  }
}

function usable({ token, until, version }: Kept, refused?: string | null): Access {
  if (token === null) throw new ProviderError('unavailable', 'The provider gave no access token that can be used.')
  // A token that was just given out is used however soon it ends.
  const isOver = refused !== undefined && (token === refused || until < performance.now() + MARGIN_SECONDS * 1000)
  if (isOver) throw new ProviderError('unavailable', 'The new tokens cannot be written to the database yet.')
  return { token, version }
}
