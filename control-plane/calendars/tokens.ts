/** Access tokens of calendars. */
import { type OAuthTokenSettings, OAuthTokens } from '../connections/oauth-tokens.ts'
import { ProviderError } from '../platform/ports.ts'
import { changeCalendar, credentialsPlace } from '../store/calendars/calendars.ts'
import type { CalendarPlatform, CalendarProvider, OAuthCredentials } from './ports.ts'
import { lastingStatus, problemText, statusChange } from './status.ts'

export interface TokenSettings extends OAuthTokenSettings {
  providers: Readonly<Record<CalendarPlatform, CalendarProvider>>
}

export interface Tokens {
  /**
   * Work with an access token; one that the provider refuses is replaced once. Rejects with `ProviderError`, and has
   * written a status by then where the refresh token is of no use.
   */
  withToken<T>(calendarId: string, work: (accessToken: string) => Promise<T>): Promise<T>
  /** Writes what could not be written yet; gives up after `patienceMs`. */
  close(patienceMs: number): Promise<void>
}

export function createTokens({ providers, ...settings }: TokenSettings): Tokens {
  const { database, seals } = settings
  const tokens = new OAuthTokens(settings, {
    table: 'calendars',
    name: 'calendar',
    gone: 'The calendar is not connected any more',
    async refresh({ id, platform, credentials: sealed }) {
      const credentials = JSON.parse(seals.open(sealed!, credentialsPlace(id))) as OAuthCredentials
      const answer = await providers[platform as CalendarPlatform].refresh(credentials)
      const newest = JSON.stringify({ ...credentials, refreshToken: answer.refreshToken })
      const columns = { credentials: seals.seal(newest, credentialsPlace(id)) }
      return { answer, columns: answer.refreshToken === null ? {} : columns }
    },
    async failed({ id, tokens_version: version }, error) {
      const status = lastingStatus(error)
      if (status !== null)
        await changeCalendar(database, id, (calendar, now) =>
          // Credentials that were replaced meanwhile were not refused.
          calendar.tokens_version === version ? statusChange(calendar, status, problemText(error), now) : null,
        )
      return error
    },
  })
  return {
    withToken: (calendarId, work) =>
      tokens
        .withToken(calendarId, ({ token }) => work(token))
        .catch((error: unknown) => {
          if (!(error instanceof ProviderError) || error.kind !== 'token_refused') throw error
          throw new ProviderError('unavailable', 'The provider refused an access token that it had just given out')
        }),
    close: (patienceMs) => tokens.close(patienceMs),
  }
}
