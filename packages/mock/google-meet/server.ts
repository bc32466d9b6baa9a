/** The mock Google Meet server: routes for its hosts, and one page per meeting code. */

import { randomInt } from 'node:crypto'
import { pageScript } from '../../core/process/page-scripts.ts'
import {
  type MockPlatform,
  type MockServerOptions,
  type PlatformServer,
  startPlatform,
} from '../shared/platform-server.ts'
import { answerLate, type Exchange, randomPath, redirect, sendPage, sendScript } from '../shared/site.ts'
import * as documents from './documents.ts'
import { HOME } from './final-states.ts'
import { GoogleMeetMeeting } from './meeting.ts'
import { SCENARIOS } from './scenarios.ts'

const CODE = /^[a-z]{3}-[a-z]{4}-[a-z]{3}$/

function randomCode(): string {
  const letters = (count: number) =>
    Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('')
  return `${letters(3)}-${letters(4)}-${letters(3)}`
}

const POLL_MS = 20_000

export type MockGoogleMeet = PlatformServer<GoogleMeetMeeting>

export const googleMeet: MockPlatform<GoogleMeetMeeting> = {
  name: 'google-meet',
  title: 'Google Meet',
  hosts: ['meet.google.com', 'accounts.google.com', 'workspace.google.com', 'www.google.com'],
  scenarios: SCENARIOS,
  accountCookie: { name: 'SID', domain: '.google.com' },
  newCode: randomCode,
  make: (code, scenario, options) =>
    new GoogleMeetMeeting(code, scenario, SCENARIOS[scenario] ?? { about: '' }, options),
  answer: (exchange, server) => {
    const { host, response, url } = exchange
    if (host === 'accounts.google.com') {
      const target = url.searchParams.get('continue') ?? HOME
      // Pressing Next, which only a person does.
      if (url.searchParams.has('identifier')) {
        response.writeHead(302, { location: target, 'set-cookie': server.accounts.signInHeader() }).end()
      } else sendPage(response, documents.signInDocument(target))
    } else if (host === 'workspace.google.com') sendPage(response, documents.marketingDocument())
    else if (host === 'www.google.com') sendPage(response, documents.captchaDocument())
    else answerMeet(exchange, server)
  },
}

/** Starts serving on 127.0.0.1. Rejects if a named port is taken. */
export function startMockGoogleMeet(options?: MockServerOptions): Promise<MockGoogleMeet> {
  return startPlatform(googleMeet, options)
}

function answerMeet(exchange: Exchange, server: MockGoogleMeet): void {
  const { path, response, url } = exchange
  if (path === '/_/poll') answerLate(response, POLL_MS)
  else if (path.startsWith('/_/worklet/')) sendScript(response, pageScript('mock/shared/worklet'))
  else if (path.startsWith('/$rpc/')) answerCall(exchange, server)
  else if (path === '/' || path === '/landing' || path === '/about') sendPage(response, documents.landingDocument())
  else if (path === '/new' || path.startsWith('/lookup/')) redirectToSignIn(exchange)
  else if (path === '/favicon.ico') response.writeHead(204).end()
  else answerMeeting(path.slice(1), url, exchange, server)
}

function answerMeeting(code: string, url: URL, exchange: Exchange, server: MockGoogleMeet): void {
  const { response } = exchange
  const known = server.meetings.get(code)
  if (!known && !CODE.test(code)) {
    redirect(response, HOME)
    return
  }
  // A well-formed code without a meeting: the page says so after a moment. It never becomes a real meeting.
  const meeting = known ?? googleMeet.make(code, 'invalid-link', {})
  meeting.loads++
  meeting.navigated(url.href)
  if (meeting.loads <= meeting.settings.failedLoads) sendPage(response, documents.errorDocument(503), 503)
  else if (meeting.settings.load === 'login-wall' && !server.accounts.of(exchange.request)) redirectToSignIn(exchange)
  else if (meeting.settings.load === 'landing') redirect(response, HOME)
  else sendMeeting(meeting, exchange, server)
}

function sendMeeting(meeting: GoogleMeetMeeting, { request, response }: Exchange, server: MockGoogleMeet): void {
  const account = server.accounts.of(request)
  const { visit, page } = meeting.newVisit(account)
  const settings = { ...page, workletPath: `/_/worklet/${randomPath()}.js` }
  const scriptPath = server.loadScript(meeting, visit, 'mock/google-meet/meeting', { settings })
  const { html, headers } = documents.meetingDocument(scriptPath, page.lang, meeting.settings.workersAreRefused)
  sendPage(response, html, 200, { ...headers, ...(account && { 'set-cookie': account.setCookie }) })
}

function answerCall({ request, response }: Exchange, server: MockGoogleMeet): void {
  request.resume()
  const token = String(request.headers['x-goog-meeting-identifier'] ?? '')
  const meeting = [...server.meetings.values()].find((candidate) => candidate.visitOf(token))
  if (!meeting || !request.url?.includes('SyncMeetingSpaceCollections')) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(meeting.rosterAnswer())
}

function redirectToSignIn({ response, url }: Exchange): void {
  redirect(response, `https://accounts.google.com/v3/signin/identifier?continue=${encodeURIComponent(url.href)}`)
}
