/** Both stand-ins with one page for a person, and the same over JSON for scripts: plain HTTP on 127.0.0.1. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@standin/base/error-text.ts'
import { z } from 'zod'
import { callbackOf } from '../shared/consent.ts'
import { bodyOf } from '../shared/site.ts'
import { StandInClock } from './clock.ts'
import { actionSchema, type Platform, perform, type StandIns } from './control.ts'
import { startMockGoogleCalendar } from './google/index.ts'
import { startMockMicrosoftCalendar } from './microsoft/index.ts'
import { type Notice, pageOf, settingsOf } from './page.ts'

const MAX_BODY_LENGTH = 64_000

export interface MockCalendars extends StandIns {
  /** Where a person plays the providers, such as `http://127.0.0.1:40124/`. */
  page: string
  /** Lines of the service's environment. */
  settings: string[]
  close(): Promise<void>
}

export interface MockCalendarsOptions {
  /** Of the page; the others take any free ports. 0 (the default) takes any free port. */
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
  const shown: Shown = { notice: null }
  const server = createServer((request, response) => {
    answer(standIns, shown, request, response).catch((error: unknown) => {
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
    page: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    settings: [...settingsOf(standIns, 'google'), ...settingsOf(standIns, 'microsoft')],
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
      await Promise.all([google.close(), microsoft.close()])
    },
  }
}

/** The result of the last form. The next page shows it once. */
interface Shown {
  notice: Notice | null
}

async function answer(
  standIns: StandIns,
  shown: Shown,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  // Other sites may point a name of theirs at this address, or send forms to it; they get nothing.
  const host = (request.headers.host ?? '').replace(/:\d+$/, '')
  const { origin } = request.headers
  const isForeign = origin !== undefined && origin !== `http://${request.headers.host}`
  if ((host !== '127.0.0.1' && host !== 'localhost') || isForeign) {
    response.writeHead(421).end()
    return
  }
  const url = new URL(request.url ?? '/', 'http://127.0.0.1')
  const route = `${request.method} ${url.pathname}`
  if (route === 'GET /') {
    sendPage(response, pageOf(standIns, shown.notice))
    shown.notice = null
  } else if (route === 'GET /api') sendJson(response, 200, stateOf(standIns))
  else if (route === 'POST /api') await actOnJson(standIns, request, response)
  else if (route === 'POST /do') {
    shown.notice = await actOnForm(standIns, request)
    // So that a reload of the page does not repeat the action.
    response.writeHead(303, { location: '/' }).end()
  } else response.writeHead(url.pathname === '/favicon.ico' ? 204 : 404).end()
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

async function actOnForm(standIns: StandIns, request: IncomingMessage): Promise<Notice> {
  try {
    const fields = Object.fromEntries(new URLSearchParams(await bodyOf(request, MAX_BODY_LENGTH)))
    return { text: perform(standIns, actionSchema.parse(fields)).done, isProblem: false }
  } catch (error) {
    return { text: sentence(error), isProblem: true }
  }
}

function sentence(error: unknown): string {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join('.') || 'the action'}: ${message}`).join('; ')
  return messageOf(error)
}

function sendPage(response: ServerResponse, html: string): void {
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
  })
  response.end(html)
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
  response.end(JSON.stringify(value))
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
      pushes: pushes.sent.length,
      requests: server.requests.length,
    }
  }
  return { now: now.toISOString(), google: platformState('google'), microsoft: platformState('microsoft') }
}
