/** The mock Google Meet: the platform's hosts on one local port, one page per meeting code, and the host's page. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { pageScript } from '../../src/page-scripts.ts'
import type { MockMeetingOptions, MockServer } from '../types.ts'
import { makeCertificate } from './certificate.ts'
import { CODE, randomCode } from './codes.ts'
import * as documents from './documents.ts'
import { HOME, MARKETING } from './final-states.ts'
import { startHostPage } from './host-page.ts'
import { GoogleMeetMeeting } from './meeting.ts'
import { SCENARIOS } from './scenarios.ts'
import type { Visit } from './visit.ts'

export const HOSTS = ['meet.google.com', 'accounts.google.com', 'workspace.google.com', 'www.google.com'] as const

const POLL_MS = 20_000

export interface MockGoogleMeetOptions {
  /** 0 (the default) takes any free port. */
  port?: number
  /** Port of the host's page; 0 (the default) takes any free port. */
  hostPort?: number
}

/** Starts serving on 127.0.0.1. Rejects where a named port is taken. */
export async function startMockGoogleMeet(options: MockGoogleMeetOptions = {}): Promise<MockGoogleMeet> {
  const certificate = await makeCertificate(HOSTS)
  const mock = new MockGoogleMeet(certificate)
  await mock.listen(options)
  return mock
}

export class MockGoogleMeet implements MockServer {
  readonly certificateHash: string
  readonly meetings = new Map<string, GoogleMeetMeeting>()
  private readonly server: Server
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: 4_000_000 })
  /** Paths of scripts and sockets of the loads that are under way; nobody can guess them. */
  private readonly scripts = new Map<string, { meeting: GoogleMeetMeeting; script: string }>()
  private readonly socketPaths = new Map<string, { meeting: GoogleMeetMeeting; visit: Visit }>()
  private readonly closers: (() => Promise<void>)[] = []
  private hostAddress = ''

  constructor(certificate: { key: string; cert: string; hash: string }) {
    this.certificateHash = certificate.hash
    this.server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
      try {
        this.answer(request, response)
      } catch (error) {
        response.writeHead(500).end(error instanceof Error ? error.message : String(error))
      }
    })
    this.server.on('upgrade', (request, socket, head) => {
      const found = this.socketPaths.get(request.url ?? '')
      if (!found) {
        socket.destroy()
        return
      }
      this.socketPaths.delete(request.url ?? '')
      this.sockets.handleUpgrade(request, socket, head, (client: WebSocket) => {
        found.meeting.makeCurrent(found.visit)
        found.visit.attach(client)
      })
    })
  }

  async listen({ port = 0, hostPort = 0 }: MockGoogleMeetOptions): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, '127.0.0.1', resolve)
    })
    const host = await startHostPage(this, hostPort)
    this.hostAddress = host.address
    this.closers.push(host.close)
  }

  get address(): string {
    const { address, port } = this.server.address() as AddressInfo
    return `${address}:${port}`
  }

  get hosts(): readonly string[] {
    return HOSTS
  }

  get hostPage(): string {
    return this.hostAddress
  }

  get scenarios(): readonly { name: string; about: string }[] {
    return Object.entries(SCENARIOS).map(([name, { about }]) => ({ name, about }))
  }

  open(scenarioName: string, options: MockMeetingOptions = {}): GoogleMeetMeeting {
    const scenario = SCENARIOS[scenarioName]
    if (!scenario) {
      throw new Error(`There is no scenario "${scenarioName}"; there are: ${Object.keys(SCENARIOS).join(', ')}`)
    }
    let code = randomCode()
    while (this.meetings.has(code)) code = randomCode()
    const meeting = new GoogleMeetMeeting(code, scenarioName, scenario, options)
    this.meetings.set(code, meeting)
    return meeting
  }

  async close(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate()
    await Promise.all([...this.meetings.values()].map((meeting) => meeting.close()))
    await Promise.all(this.closers.map((close) => close()))
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const host = (request.headers.host ?? '').split(':')[0]
    const url = new URL(request.url ?? '/', `https://${host}`)
    if (host === 'accounts.google.com') {
      sendPage(response, documents.signInDocument(url.searchParams.get('continue') ?? HOME))
    } else if (host === 'workspace.google.com') sendPage(response, documents.marketingDocument())
    else if (host === 'www.google.com') sendPage(response, documents.captchaDocument())
    else if (host === 'meet.google.com') this.answerMeet(request, url, response)
    else response.writeHead(421).end()
  }

  private answerMeet(request: IncomingMessage, url: URL, response: ServerResponse): void {
    const path = url.pathname
    const script = this.scripts.get(path)
    if (script) {
      this.scripts.delete(path)
      response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' })
      response.end(script.script)
    } else if (path === '/_/poll') setTimeout(() => response.writeHead(204).end(), POLL_MS).unref()
    else if (path.startsWith('/_/worklet/')) {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(pageScript('mock/google-meet/worklet'))
    } else if (path.startsWith('/$rpc/')) this.answerCall(request, response)
    else if (path === '/' || path === '/landing' || path === '/about') sendPage(response, documents.landingDocument())
    else if (path === '/new' || path.startsWith('/lookup/')) this.redirectToSignIn(url, response)
    else if (path === '/favicon.ico') response.writeHead(204).end()
    else this.answerMeeting(path.slice(1), url, response)
  }

  private answerMeeting(code: string, url: URL, response: ServerResponse): void {
    const known = this.meetings.get(code)
    if (!known && !CODE.test(code)) {
      response.writeHead(302, { location: HOME }).end()
      return
    }
    const meeting = known ?? this.unknownMeeting(code)
    meeting.loads++
    meeting.navigated(url.href)
    if (meeting.loads <= meeting.settings.failedLoads) {
      sendPage(response, documents.errorDocument(503), 503)
    } else if (meeting.settings.load === 'login-wall') this.redirectToSignIn(url, response)
    else if (meeting.settings.load === 'landing') response.writeHead(302, { location: HOME }).end()
    else this.sendMeeting(meeting, response)
  }

  private sendMeeting(meeting: GoogleMeetMeeting, response: ServerResponse): void {
    const { visit, page } = meeting.newVisit()
    const socketPath = `/${randomPath()}`
    const scriptPath = `/_/scs/${randomPath()}.js`
    const settings = { ...page, workletPath: `/_/worklet/${randomPath()}.js` }
    const given = JSON.stringify({ settings, socketPath, token: visit.token }).replaceAll('\u2028', '\\u2028')
    // One function around both keeps what the page was given out of its globals.
    const script = `(()=>{const __meeting=${given};\n${pageScript('mock/google-meet/meeting')}\n})()`
    this.scripts.set(scriptPath, { meeting, script })
    this.socketPaths.set(socketPath, { meeting, visit })
    const { html, headers } = documents.meetingDocument(scriptPath, {
      trustedTypes: meeting.settings.trustedTypes,
      lang: page.lang,
    })
    sendPage(response, html, 200, headers)
  }

  /** A well-formed code that nobody opened: the page says so after a moment. It never becomes a real meeting. */
  private unknownMeeting(code: string): GoogleMeetMeeting {
    return new GoogleMeetMeeting(code, 'invalid-code', SCENARIOS['invalid-code'] ?? { about: '' }, {})
  }

  private answerCall(request: IncomingMessage, response: ServerResponse): void {
    request.resume()
    const token = String(request.headers['x-goog-meeting-identifier'] ?? '')
    const meeting = [...this.meetings.values()].find((candidate) => candidate.hasVisit(token))
    if (!meeting || !request.url?.includes('SyncMeetingSpaceCollections')) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(meeting.rosterAnswer())
  }

  private redirectToSignIn(url: URL, response: ServerResponse): void {
    const location = `https://accounts.google.com/v3/signin/identifier?continue=${encodeURIComponent(url.href)}`
    response.writeHead(302, { location }).end()
  }
}

function sendPage(response: ServerResponse, html: string, status = 200, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers })
  response.end(html)
}

function randomPath(): string {
  return randomBytes(15).toString('base64url')
}

export { MARKETING }
