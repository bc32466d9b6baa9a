/** Both stand-ins, and one address where they are read and changed over JSON: plain HTTP on 127.0.0.1. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { z } from 'zod'
import { callbackOf } from '../shared/consent.ts'
import { bodyOf } from '../shared/site.ts'
import { StandInClock } from './clock.ts'
import { actionSchema, type Platform, perform, type StandIns } from './control.ts'
import { startMockGoogleCalendar } from './google/index.ts'
import { startMockMicrosoftCalendar } from './microsoft/index.ts'

const MAX_BODY_LENGTH = 64_000

export interface MockCalendars extends StandIns {
  /** GET shows the calendars, POST takes an action of `control.ts`, such as `http://127.0.0.1:40124/api`. */
  control: string
  /** Lines of the service's environment. */
  settings: string[]
  close(): Promise<void>
}

export interface MockCalendarsOptions {
  /** Of the control address; the others take any free ports. 0 (the default) takes any free port. */
  port?: number
  clock?: StandInClock
  /** Address of the service that the pages of consent lead back to. */
  service?: string
}

/** Starts both with one account each. Rejects if a named port is taken. */
export async function startMockCalendars(options: MockCalendarsOptions = {}): Promise<MockCalendars> {
  const clock = options.clock ?? new StandInClock()
  const [google, microsoft] = await Promise.all([
    startMockGoogleCalendar({ clock }),
    startMockMicrosoftCalendar({ clock }),
  ])
  const standIns: StandIns = { clock, google, microsoft }
  for (const platform of ['google', 'microsoft'] as const) {
    const { tokens } = standIns[platform]
    tokens.consent(standIns[platform].addAccount({ email: 'ann@example.com', name: 'Ann' }))
    tokens.redirectUris.push(callbackOf(options.service ?? 'http://127.0.0.1:8080', platform))
  }
  const server = createServer((request, response) => {
    answer(standIns, request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(sentence(error))
    })
  })
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(options.port ?? 0, '127.0.0.1', resolve)
    })
  } catch (error) {
    await Promise.all([google.close(), microsoft.close()])
    throw error
  }
  return {
    ...standIns,
    control: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    settings: [...settingsOf(standIns, 'google'), ...settingsOf(standIns, 'microsoft')],
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([google.close(), microsoft.close()])
    },
  }
}

async function answer(standIns: StandIns, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Other sites may point a name of theirs at this address, or call it from their pages; they get nothing.
  const host = (request.headers.host ?? '').replace(/:\d+$/, '')
  const { origin } = request.headers
  const isForeign = origin !== undefined && origin !== `http://${request.headers.host}`
  if ((host !== '127.0.0.1' && host !== 'localhost') || isForeign) {
    response.writeHead(421).end()
    return
  }
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const route = `${request.method} ${url.pathname}`
  if (route === 'GET /api') sendJson(response, 200, stateOf(standIns))
  else if (route === 'POST /api') await actOnJson(standIns, request, response)
  else response.writeHead(404).end()
}

async function actOnJson(standIns: StandIns, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (!request.headers['content-type']?.startsWith('application/json')) {
    response.writeHead(415).end()
    return
  }
  try {
    const action = actionSchema.parse(JSON.parse(await bodyOf(request, MAX_BODY_LENGTH)))
    sendJson(response, 200, perform(standIns, action))
  } catch (error) {
    sendJson(response, 409, { problem: sentence(error) })
  }
}

function sentence(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.') || 'the action'}: ${message}`).join('; ')
  return messageOf(error)
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(JSON.stringify(value))
}

function settingsOf(standIns: StandIns, platform: Platform): string[] {
  const { google, microsoft } = standIns
  const { clientId, clientSecret } = standIns[platform].tokens
  const name = platform.toUpperCase()
  const addresses =
    platform === 'google'
      ? [
          `STANDIN_GOOGLE_URL=${google.url}`,
          `STANDIN_GOOGLE_TOKEN_URL=${google.tokenUrl}`,
          `STANDIN_GOOGLE_CONSENT_URL=${google.consentUrl}`,
        ]
      : [`STANDIN_GRAPH_URL=${microsoft.url}`, `STANDIN_MICROSOFT_LOGIN_URL=${microsoft.loginUrl}`]
  return [...addresses, `STANDIN_${name}_CLIENT_ID=${clientId}`, `STANDIN_${name}_CLIENT_SECRET=${clientSecret}`]
}

const DAYS_SHOWN = 30

function stateOf(standIns: StandIns) {
  const now = standIns.clock.date()
  const until = new Date(now.getTime() + DAYS_SHOWN * 24 * 3600_000)
  const platformState = (platform: Platform) => {
    const { accounts, tokens, pushes, server } = standIns[platform]
    return {
      settings: settingsOf(standIns, platform),
      client_id: tokens.clientId,
      client_secret: tokens.clientSecret,
      accounts: accounts.map((account) => ({
        email: account.email,
        refresh_token: tokens.liveToken(account),
        calendars: account.calendars.map((calendar) => ({
          id: calendar.id,
          name: calendar.name,
          events: calendar.between(now, until).map(({ event, originalStart, start, end, title, link, existence }) => ({
            event: event.id,
            instance: originalStart?.toISOString() ?? null,
            start: start.toISOString(),
            end: end.toISOString(),
            title,
            link,
            existence,
          })),
        })),
      })),
      pushes: pushes.sent,
      requests: server.requests.length,
    }
  }
  return { now: now.toISOString(), google: platformState('google'), microsoft: platformState('microsoft') }
}
