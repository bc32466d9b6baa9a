/**
 * Writes new pairs of tokens. The platform has forgotten the pair before. A pair that the database does not accept is
 * kept in memory, used from there, and written again until the process ends.
 */
import { type Backoff, backoff } from '@standin/base/backoff.ts'
import type { Meters } from '../meters.ts'
import type { Log, Seals } from '../ports.ts'
import { writeTokens } from '../store/connections/tokens.ts'
import type { Database } from '../store/database.ts'
import type { TokenPair } from './ports.ts'
import type { Access } from './tokens.ts'

/** Pauses between tries. */
const AGAIN_MS: Backoff = { first: 200, max: 15_000, factor: 5, jitter: 0.2 }
/** A kept access token this close to its end is not given out. */
const MARGIN_MS = 60_000

interface Kept {
  /** Of the pair in the database that this one replaces. */
  version: number
  pair: TokenPair
  /** `performance.now()` at which the access token ends. */
  accessUntil: number
  tries: number
  timer: NodeJS.Timeout | null
}

interface Settings {
  database: Database
  seals: Seals
  log: Log
  meters?: Meters
  saveAgainMs?: Backoff
}

export class UnsavedPairs {
  readonly #settings: Settings
  readonly #kept = new Map<string, Kept>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /** The kept token in the place of the database's, if that still has the pair before. */
  of(id: string, version: number): Access | 'out_of_date' | null {
    const kept = this.#kept.get(id)
    if (kept === undefined || kept.version !== version) return null
    return kept.accessUntil - MARGIN_MS < performance.now() ? 'out_of_date' : accessOf(kept)
  }

  forgetAccess(id: string, version: number): void {
    const kept = this.#kept.get(id)
    if (kept?.version === version) kept.accessUntil = 0
  }

  /** Null if the connection was authorized again or deleted in the meantime: then this pair is useless. */
  async write({ id, version }: { id: string; version: number }, pair: TokenPair): Promise<Access | null> {
    const kept: Kept = {
      version,
      pair,
      accessUntil: performance.now() + pair.accessTokenSeconds * 1000,
      tries: 0,
      timer: null,
    }
    try {
      const isWritten = await this.#save(id, kept)
      return isWritten ? { ...accessOf(kept), version: version + 1 } : null
    } catch (error) {
      this.#settings.meters?.count('token_refresh_failures', { of: 'connection', reason: 'not_stored' })
      this.#settings.log.error(
        { connection: id, error: String(error) },
        'New tokens of a connection could not be written: they are kept in memory and written again',
      )
      this.#kept.set(id, kept)
      this.#later(id, kept)
      return accessOf(kept)
    }
  }

  /** Tries to write every pair once more. Pairs that cannot be written are lost, and logged. */
  async close(): Promise<void> {
    for (const [id, kept] of this.#kept) {
      if (kept.timer !== null) clearTimeout(kept.timer)
      await this.#save(id, kept).catch((error) =>
        this.#settings.log.error(
          { connection: id, error: String(error) },
          'New tokens of a connection are lost: its user has to authorize the app again',
        ),
      )
    }
    this.#kept.clear()
  }

  #later(id: string, kept: Kept): void {
    const pause = backoff(this.#settings.saveAgainMs ?? AGAIN_MS, ++kept.tries)
    kept.timer = setTimeout(() => void this.#again(id, kept), pause)
    kept.timer.unref()
  }

  async #again(id: string, kept: Kept): Promise<void> {
    try {
      const isWritten = await this.#save(id, kept)
      if (this.#kept.get(id) === kept) this.#kept.delete(id)
      const message = isWritten
        ? 'Kept tokens of a connection are written'
        : 'Kept tokens of a connection are out of date'
      this.#settings.log.info({ connection: id }, message)
    } catch {
      if (this.#kept.get(id) === kept) this.#later(id, kept)
    }
  }

  #save(id: string, { version, pair, accessUntil }: Kept): Promise<boolean> {
    const left = Math.max(0, (accessUntil - performance.now()) / 1000)
    return writeTokens(
      this.#settings.database,
      this.#settings.seals,
      { id, version },
      { ...pair, accessTokenSeconds: left },
    )
  }
}

function accessOf({ version, pair }: Kept): Access {
  return { token: pair.accessToken, version, scopes: pair.scopes }
}
