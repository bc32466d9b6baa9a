/** Both providers' stand-ins, the real adapters in front of them, and a receiver of notifications. */
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { CalendarPlatform } from '@standin/control-plane/calendars/ports.ts'
import { openCalendarProviders } from '@standin/control-plane/calendars/providers/index.ts'
import { accessTokenOf } from '@standin/control-plane/connections/token-answer.ts'
import { createGuardedClient } from '@standin/control-plane/platform/outgoing/guarded-client.ts'
import type { ProviderError } from '@standin/control-plane/platform/ports.ts'
import {
  type StandInAccount,
  StandInClock,
  startMockGoogleCalendar,
  startMockMicrosoftCalendar,
} from '@standin/mock/calendars/index.ts'
import { atEnd } from '../../fakes/at-end.ts'

export const HOUR = 3_600_000
export const DAY = 24 * HOUR
export const PLATFORMS = ['google', 'microsoft'] as const

/** A Tuesday. */
export const NOW = new Date('2026-11-24T09:00:00Z')
export const WINDOW = { start: NOW, end: new Date(NOW.getTime() + 30 * DAY) }
export const at = (text: string) => new Date(text)

/** Their clock begins at `now`, the real time without it. They close with the test, or with the file, that opened them. */
export async function openStandIns(now?: Date) {
  const clock = new StandInClock(now)
  const [google, microsoft] = await Promise.all([
    startMockGoogleCalendar({ clock }),
    startMockMicrosoftCalendar({ clock }),
  ])
  const http = createGuardedClient({ allowPrivate: true, maxUrlLength: 15_000 })
  const addresses = {
    google: google.url,
    googleToken: google.tokenUrl,
    graph: microsoft.url,
    microsoftLogin: microsoft.loginUrl,
  }
  const providers = openCalendarProviders({ http, clock, addresses })
  const standIns = { google, microsoft }
  atEnd(async () => {
    await http.close()
    await Promise.all([google.close(), microsoft.close()])
  })

  /** What a person who connects the account has. */
  function credentialsOf(platform: CalendarPlatform, account: StandInAccount) {
    const { clientId, clientSecret } = standIns[platform].tokens
    return { clientId, clientSecret, refreshToken: standIns[platform].tokens.consent(account), tenantId: 'common' }
  }

  return {
    clock,
    ...standIns,
    providers,
    http,
    credentialsOf,
    /** An account with its access token; `all` and `since` read its primary calendar. */
    async connect(platform: CalendarPlatform) {
      const [provider, standIn] = [providers[platform], standIns[platform]]
      const account = standIn.addAccount({ email: 'ann@example.com', name: 'Ann Example' })
      const calendar = account.primary
      const credentials = credentialsOf(platform, account)
      const token = accessTokenOf(await provider.refresh(credentials))
      const since = (cursor: string | null, window = WINDOW) => provider.changes(token, calendar.id, { cursor, window })
      const all = (window = WINDOW) => since(null, window)
      return { provider, standIn, account, calendar, credentials, token, all, since }
    },
  }
}

/** Notifications of both providers, at `/…`; it gives the words of a handshake back. */
export async function openReceiver() {
  const receiver = {
    url: '',
    heard: [] as { path: string; headers: IncomingMessage['headers']; body: string }[],
    /** Of the answer to a notification. */
    status: 202,
    shakesHands: true,
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const url = new URL(request.url ?? '/', 'http://receiver')
    const token = url.searchParams.get('validationToken')
    if (token === null) {
      receiver.heard.push({ path: url.pathname, headers: request.headers, body })
      response.writeHead(receiver.status).end()
    } else if (receiver.shakesHands) response.writeHead(200, { 'content-type': 'text/plain' }).end(token)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}

/** The problem that the work is refused with; fails where it is not refused, or with anything else. */
export async function problemOf(work: Promise<unknown>): Promise<ProviderError> {
  const error = await work.then(
    () => new Error('It was not refused'),
    (reason: unknown) => reason,
  )
  if ((error as Error).name !== 'ProviderError') throw error
  return error as ProviderError
}
