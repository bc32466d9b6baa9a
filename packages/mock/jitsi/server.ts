/** The mock Jitsi server: the public services, a server of one's own, and one page for each room. */

import { randomInt } from 'node:crypto'
import {
  type MockPlatform,
  type MockServerOptions,
  type PlatformServer,
  startPlatform,
} from '../shared/platform-server.ts'
import { answerLate, type Exchange, redirect, sendPage } from '../shared/site.ts'
import * as documents from './documents.ts'
import { JitsiMeeting } from './meeting.ts'
import { SCENARIOS } from './scenarios.ts'

const WORDS =
  'Amber Brave Calm Distant Early Friendly Gentle Hidden Ivory Jolly Kind Lively Meadows Rivers Harbors Lanterns'.split(
    ' ',
  )

function randomRoom(): string {
  return `${Array.from({ length: 4 }, () => WORDS[randomInt(WORDS.length)]).join('')}${randomInt(1000)}`
}

const POLL_MS = 20_000
const SIGN_IN_HOST = 'sso.example.org'

export type MockJitsi = PlatformServer<JitsiMeeting>

export const jitsi: MockPlatform<JitsiMeeting> = {
  name: 'jitsi',
  title: 'Jitsi Meet',
  /** The third is a server that an operator runs; the last one signs people in. */
  hosts: ['meet.jit.si', '8x8.vc', 'meet.example.org', SIGN_IN_HOST],
  scenarios: SCENARIOS,
  newCode: randomRoom,
  make: (code, scenario, options) => new JitsiMeeting(code, scenario, SCENARIOS[scenario] ?? { about: '' }, options),
  answer: (exchange, server) => {
    if (exchange.host === SIGN_IN_HOST) sendPage(exchange.response, documents.signInDocument())
    else answerServer(exchange, server)
  },
}

/** Starts serving on 127.0.0.1. Rejects if a named port is taken. */
export function startMockJitsi(options?: MockServerOptions): Promise<MockJitsi> {
  return startPlatform(jitsi, options)
}

function answerServer(exchange: Exchange, server: MockJitsi): void {
  const { path, response } = exchange
  if (path === '/_/poll') answerLate(response, POLL_MS)
  else if (path === '/') sendPage(response, documents.welcomeDocument())
  else if (/^\/static\/close\d*\.html$/.test(path)) sendPage(response, documents.closeDocument())
  else if (path === '/static/authError.html') sendPage(response, documents.refusedDocument())
  else if (/\.\w{2,4}$/.test(path)) response.writeHead(404).end()
  else answerRoom(exchange, server)
}

/** Any name is a room. Rooms that no test opened are free and empty. */
function answerRoom(exchange: Exchange, server: MockJitsi): void {
  const { path, response, url } = exchange
  const room = decodeURIComponent(path.split('/').at(-1) ?? '')
  let meeting = server.meetings.get(room)
  if (!meeting) {
    meeting = jitsi.make(room, 'open', { people: [] })
    server.meetings.set(room, meeting)
  }
  // While the network is gone, requests get no answer.
  if (meeting.isUnreachable) {
    response.destroy()
    return
  }
  meeting.loads++
  meeting.navigated(url.href)
  const { load, failedLoads } = meeting.settings
  if (meeting.loads <= failedLoads) sendPage(response, documents.unavailableDocument(), 503)
  else if (load === 'not-found') sendPage(response, documents.notFoundDocument(), 404)
  else if (load === 'sign-in') redirect(response, `https://${SIGN_IN_HOST}/authorize?room=${encodeURIComponent(room)}`)
  else if (load === 'refused') redirect(response, '/static/authError.html')
  else if (load === 'welcome') redirect(response, '/')
  else {
    const { visit, page } = meeting.newVisit()
    const script = server.loadScript(meeting, visit, 'mock/jitsi/meeting', { settings: page })
    sendPage(response, documents.roomDocument(script, { lang: page.lang }))
  }
}
