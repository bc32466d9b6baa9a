/**
 * Access tokens of calendars. One refresh at a time for each calendar, by a lease, so that no lock is held over the network.
 * A provider may replace the refresh token: the new credentials are written only over those that were used.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { backoff } from '@standin/base/backoff.ts'
import { endsWithin, systemClock } from '@standin/base/deadline.ts'
import { type Meters, NO_METERS } from '../meters.ts'
import type { Log, Seals } from '../ports.ts'
import { changeCalendar } from '../store/calendars/calendars.ts'
import {
  type Refreshed,
  readTokens,
  refreshLease,
  storeRefreshed,
  type TokenState,
  takeRefreshLease,
} from '../store/calendars/tokens.ts'
import type { Database } from '../store/database.ts'
import {
  type AccessToken,
  type CalendarPlatform,
  type CalendarProvider,
  type OAuthCredentials,
  ProviderProblem,
} from './ports.ts'
import { lastingStatus, problemText, statusChange } from './status.ts'

/** Seconds that an access token has to work still. */
const MARGIN_SECONDS = 60
const LEASE_SECONDS = 40
/** How long a process waits for another one that refreshes. */
const PATIENCE_MS = 45_000
const LOOK_MS = 100
const RETRY_MS = { first: 200, max: 30_000, jitter: 0.2 }

export interface TokenSettings {
  database: Database
  seals: Seals
  providers: Readonly<Record<CalendarPlatform, CalendarProvider>>
  log: Log
  meters?: Meters
}

export interface Tokens {
  /**
   * Work with an access token; one that the provider refuses is replaced once. Rejects with `ProviderProblem`, and has
   * written a status by then where the refresh token is of no use.
   */
  withToken<T>(calendarId: string, work: (accessToken: string) => Promise<T>): Promise<T>
  /** Writes what could not be written yet; gives up after `patienceMs`. */
  close(patienceMs: number): Promise<void>
}

/** A refresh whose result is not stored yet. Its refresh token is the only one that works. */
interface Unwritten {
  version: number
  refreshed: Refreshed
  expiresAtMs: number
  written: Promise<void>
}

export function createTokens({ database, seals, providers, log, meters = NO_METERS }: TokenSettings): Tokens {
  const unwritten = new Map<string, Unwritten>()
  const closing = new AbortController()

  async function accessToken(calendarId: string, refused: string | null): Promise<string> {
    const waitUntil = performance.now() + PATIENCE_MS
    for (;;) {
      const kept = unwritten.get(calendarId)
      if (kept !== undefined && isUseful(kept.refreshed.accessToken, refused) && isFresh(kept))
        return kept.refreshed.accessToken
      // Another refresh would use a token that no longer works.
      if (kept !== undefined) await endsWithin(systemClock, LOOK_MS, kept.written)
      const state = await readTokens(database, seals, calendarId, MARGIN_SECONDS)
      if (state === undefined) throw new ProviderProblem('not_found', 'The calendar is not connected any more')
      if (state.accessToken !== null && isUseful(state.accessToken, refused)) return state.accessToken
      const claim = { owner: randomUUID(), leaseSeconds: LEASE_SECONDS }
      if (!unwritten.has(calendarId) && (await takeRefreshLease(database, calendarId, state.version, claim)))
        return refresh(calendarId, state, claim.owner)
      if (performance.now() > waitUntil)
        throw new ProviderProblem(
          'unavailable',
          'Another process refreshes the access token and does not come to an end',
        )
      await sleep(LOOK_MS * (1 + Math.random()))
    }
  }

  async function refresh(calendarId: string, state: TokenState, owner: string): Promise<string> {
    const credentials = JSON.parse(state.credentials) as OAuthCredentials
    let token: AccessToken
    try {
      token = await providers[state.platform as CalendarPlatform].refresh(credentials)
    } catch (problem) {
      const reason = lastingStatus(problem) === null ? 'unavailable' : 'refused'
      meters.count('token_refresh_failures', { of: 'calendar', reason })
      await refreshLease.release(database, calendarId, owner)
      await storeRefusal(calendarId, state.version, problem)
      throw problem
    }
    const refreshed: Refreshed = {
      accessToken: token.value,
      expiresInSeconds: token.expiresInSeconds,
      credentials:
        token.newRefreshToken === null || token.newRefreshToken === credentials.refreshToken
          ? null
          : JSON.stringify({ ...credentials, refreshToken: token.newRefreshToken }),
    }
    await write(calendarId, state.version, refreshed)
    return refreshed.accessToken
  }

  /** A replaced refresh token that cannot be written is kept, and written as soon as that is possible. */
  async function write(calendarId: string, version: number, refreshed: Refreshed): Promise<void> {
    try {
      await storeRefreshed(database, seals, calendarId, version, refreshed)
    } catch (error) {
      if (refreshed.credentials === null) {
        log.warn({ calendar: calendarId, error: String(error) }, 'An access token could not be stored')
        return
      }
      meters.count('token_refresh_failures', { of: 'calendar', reason: 'not_stored' })
      log.error(
        { calendar: calendarId, error: String(error) },
        'A replaced refresh token could not be stored: it is kept in memory and must not be lost before it is written',
      )
      const expiresAtMs = Date.now() + (refreshed.expiresInSeconds - MARGIN_SECONDS) * 1000
      unwritten.set(calendarId, {
        version,
        refreshed,
        expiresAtMs,
        written: writeLater(calendarId, version, refreshed),
      })
    }
  }

  async function writeLater(calendarId: string, version: number, refreshed: Refreshed): Promise<void> {
    for (let tries = 1; ; tries++) {
      await sleep(backoff(RETRY_MS, tries), undefined, { signal: closing.signal }).catch(() => {})
      try {
        const isStored = await storeRefreshed(database, seals, calendarId, version, refreshed)
        // A caller that used the old token meanwhile got the answer that the connection is revoked, which is wrong.
        if (isStored)
          await changeCalendar(database, calendarId, () => ({ patch: { sync_due_at: new Date(0) }, messages: [] }))
        log.warn({ calendar: calendarId, isStored }, 'The replaced refresh token that was kept in memory was written')
        unwritten.delete(calendarId)
        return
      } catch (error) {
        log.error({ calendar: calendarId, error: String(error) }, 'A replaced refresh token is still not stored')
        // Closing keeps trying until its time limit.
        if (closing.signal.aborted) await sleep(RETRY_MS.first)
      }
    }
  }

  async function storeRefusal(calendarId: string, version: number, problem: unknown): Promise<void> {
    const status = lastingStatus(problem)
    if (status === null) return
    await changeCalendar(database, calendarId, (calendar, now) =>
      // Credentials that were replaced meanwhile were not refused.
      calendar.credentials_version === version ? statusChange(calendar, status, problemText(problem), now) : null,
    )
  }

  return {
    async withToken(calendarId, work) {
      const token = await accessToken(calendarId, null)
      try {
        return await work(token)
      } catch (problem) {
        if (!isRefused(problem)) throw problem
      }
      try {
        return await work(await accessToken(calendarId, token))
      } catch (problem) {
        if (isRefused(problem))
          throw new ProviderProblem('unavailable', 'The provider refused an access token that it had just given out')
        throw problem
      }
    },
    async close(patienceMs) {
      closing.abort()
      const left = [...unwritten.values()].map(({ written }) => written)
      await endsWithin(systemClock, patienceMs, Promise.all(left))
      for (const calendarId of unwritten.keys())
        log.error({ calendar: calendarId }, 'A replaced refresh token is lost: the calendar has to be connected again')
    },
  }
}

const isUseful = (token: string, refused: string | null) => token !== refused
const isFresh = ({ expiresAtMs }: Unwritten) => Date.now() < expiresAtMs
const isRefused = (problem: unknown) => problem instanceof ProviderProblem && problem.kind === 'token_refused'
