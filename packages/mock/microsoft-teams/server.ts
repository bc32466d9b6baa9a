/** The mock Microsoft Teams server: the hosts and paths on the way from a link to the page of its meeting. */
import type { ServerResponse } from 'node:http'
import { randomOf } from '../shared/page/random.ts'
import {
  type MockPlatform,
  type MockServerOptions,
  type PlatformServer,
  startPlatform,
} from '../shared/platform-server.ts'
import { answerLate, type Exchange, redirect, sendPage } from '../shared/site.ts'
import * as documents from './documents.ts'
import * as links from './links.ts'
import { TeamsMeeting } from './meeting.ts'
import { SCENARIOS } from './scenarios.ts'
import type { TeamsVisit } from './visit.ts'

const SIGN_IN_HOSTS = ['login.microsoftonline.com', 'login.live.com', 'login.microsoftonline.us']
const TEAMS_HOSTS = [
  'teams.microsoft.com',
  'teams.live.com',
  'teams.cloud.microsoft',
  'gov.teams.microsoft.us',
  'dod.teams.microsoft.us',
]
const ELSEWHERE = 'www.microsoft.com'

const PING_MS = 20_000
const BUNDLE = 'mock/microsoft-teams/meeting'
/** The cookie by which the full client finds the call that the light one was let into. */
const SESSION_COOKIE = 'tsSession'

export type MockMicrosoftTeams = PlatformServer<TeamsMeeting>

export const microsoftTeams: MockPlatform<TeamsMeeting> = {
  name: 'microsoft-teams',
  title: 'Microsoft Teams',
  hosts: [...TEAMS_HOSTS, ...SIGN_IN_HOSTS, ELSEWHERE],
  scenarios: SCENARIOS,
  accountCookie: { name: 'authtoken', domain: '.microsoft.com' },
  newCode: links.randomCode,
  make: (code, scenario, options) => new TeamsMeeting(code, scenario, SCENARIOS[scenario] ?? { about: '' }, options),
  answer: (exchange, server) => {
    if (SIGN_IN_HOSTS.includes(exchange.host)) answerSignIn(exchange)
    else if (exchange.host === ELSEWHERE) sendPage(exchange.response, documents.otherDocument())
    else answerTeams(exchange, server)
  },
  acceptSocket: (url, server) => {
    if (url.pathname !== '/v4/c') return null
    const visit = visitOf(server, url.searchParams.get('epid'))?.visit
    // While the network is lost, requests get no answer.
    return visit && visit.state !== 'reconnecting' ? (socket) => visit.attachPush(socket) : null
  },
}

/** Starts serving on 127.0.0.1. Rejects if a named port is taken. */
export function startMockMicrosoftTeams(options?: MockServerOptions): Promise<MockMicrosoftTeams> {
  return startPlatform(microsoftTeams, options)
}

function answerTeams(exchange: Exchange, server: MockMicrosoftTeams): void {
  const { path, response, url } = exchange
  if (path === '/dl/launcher/launcher.html') answerLauncher(exchange, server)
  else if (path === '/light-meetings/launch') answerLight(exchange, server)
  else if (path === '/light-meetings/frame') sendPage(response, documents.frameDocument())
  else if (path === '/v2/authv2') answerAuth(exchange, server)
  else if (path === '/v2/' || path === '/v2' || path === '/') answerClient(exchange, server)
  else if (path === '/api/mt/beta/ping') answerLate(response, PING_MS)
  else if (path.startsWith('/api/conv/')) answerRoster(exchange, server)
  else if (path === '/favicon.ico') response.writeHead(204).end()
  else {
    const named = links.readPath(path + url.search)
    if (named) answerLink(named, exchange, server)
    else if (path.startsWith('/l/meetup-join/')) sendPage(response, documents.malformedDocument())
    else if (path.startsWith('/l/')) sendPage(response, documents.otherDocument())
    else sendPage(response, documents.errorDocument(404), 404)
  }
}

/** A meeting's own link: straight to the launcher, unless the scenario decides otherwise. */
function answerLink(named: links.NamedMeeting, { response, url }: Exchange, server: MockMicrosoftTeams): void {
  const meeting = meetingOf(server, named)
  const { settings } = meeting
  meeting.navigated(url.href)
  // A visitor who opens the address of the web client comes here first.
  if (!url.searchParams.has('launchAgent') || !meeting.isUnderWay) {
    meeting.loads++
    meeting.botToken = null
  }
  meeting.isUnderWay = false
  if (settings.load === 'http-404') sendError(404, meeting, response)
  else if (meeting.loads <= settings.failedLoads) sendError(503, meeting, response)
  else if (settings.load === 'sign-in' && !server.accounts.of(response.req)) {
    meeting.enterState('signIn')
    redirect(response, `https://${SIGN_IN_HOSTS[0]}/common/oauth2/v2.0/authorize`)
  } else {
    meeting.isUnderWay = true
    meeting.enterState('redirecting')
    afterHop(meeting, response, () => redirect(response, links.launcherPath(url.pathname + url.search)))
  }
}

function sendError(status: 404 | 503, meeting: TeamsMeeting, response: ServerResponse): void {
  meeting.enterState('httpError')
  sendPage(response, documents.errorDocument(status), status)
}

function answerLauncher({ response, url, host }: Exchange, server: MockMicrosoftTeams): void {
  const target = links.launcherTarget(url)
  const named = target === null ? null : links.readPath(target)
  if (target === null || named === null) {
    sendPage(response, documents.malformedDocument())
    return
  }
  const meeting = meetingOf(server, named)
  const { settings } = meeting
  meeting.navigated(url.href)
  const light = links.lightPath(named, meeting.ids)
  const asks = settings.launcher === 'choice'
  if (!asks && target.includes('launchAgent=')) {
    // The second time round it only passes on
    // (docs/platform-notes/microsoft-teams.md#redirects-before-the-pre-join-page).
    const { html, headers } = documents.forwardDocument(light)
    afterHop(meeting, response, () => sendPage(response, html, 200, headers))
    return
  }
  const auth = `/v2/authv2?${new URLSearchParams({ target })}`
  const probe = `https://${SIGN_IN_HOSTS[0]}/common/oauth2/v2.0/authorize?${new URLSearchParams({
    client_id: '5e3ce6c0-2b1f-4285-8d4b-75ee78787346',
    prompt: 'none',
    redirect_uri: `https://${host}${auth}`,
  })}`
  const next = asks ? light : settings.signInProbe === 'page' ? probe : auth
  const launch = { next, asks, probe: settings.signInProbe === 'frame' ? probe : null }
  sendApp(meeting, meeting.newVisit({ launch }), false, response, server)
}

function answerAuth({ response, url }: Exchange, server: MockMicrosoftTeams): void {
  const target = url.searchParams.get('target') ?? ''
  const named = links.readPath(target)
  const { html, headers } = documents.forwardDocument(named ? `/v2/?meetingjoin=true#${target}` : '/v2/')
  const send = () => sendPage(response, html, 200, headers)
  if (named) afterHop(meetingOf(server, named), response, send)
  else send()
}

function answerLight({ response, url }: Exchange, server: MockMicrosoftTeams): void {
  const named = links.readCoords(url)
  if (!named) {
    sendPage(response, documents.malformedDocument())
    return
  }
  const meeting = meetingOf(server, named)
  meeting.navigated(url.href)
  meeting.isUnderWay = false
  const visit = meeting.newVisit({ link: meeting.linkOf(named) })
  afterHop(meeting, response, () => sendApp(meeting, visit, false, response, server))
}

/** The web client's start, or the full client of a call that the cookie names. */
function answerClient({ request, response, url }: Exchange, server: MockMicrosoftTeams): void {
  const token = new RegExp(`${SESSION_COOKIE}=([\\w-]+)`).exec(request.headers.cookie ?? '')?.[1] ?? null
  const found = visitOf(server, token)
  if (found?.visit.isInCall && !url.searchParams.has('meetingjoin')) {
    found.meeting.navigated(url.href)
    sendApp(found.meeting, found.visit, true, response, server)
    return
  }
  const { html, headers } = documents.clientStartDocument()
  sendPage(response, html, 200, headers)
}

function answerSignIn({ response, url }: Exchange): void {
  if (url.searchParams.get('prompt') !== 'none') {
    sendPage(response, documents.signInDocument())
    return
  }
  const redirectTo = url.searchParams.get('redirect_uri') ?? ''
  const { html, headers } = documents.signInProbeDocument(`${redirectTo}#error=login_required`)
  sendPage(response, html, 200, headers)
}

/** People who came before the page did (docs/platform-notes/microsoft-teams.md#roster-messages). */
function answerRoster({ response, url }: Exchange, server: MockMicrosoftTeams): void {
  const found = visitOf(server, url.searchParams.get('epid'))
  if (!found?.visit.isInCall) {
    response.writeHead(404).end()
    return
  }
  const body = JSON.stringify(found.meeting.rosterSnapshot(found.visit))
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

function sendApp(
  meeting: TeamsMeeting,
  visit: TeamsVisit,
  isFull: boolean,
  response: ServerResponse,
  server: MockMicrosoftTeams,
): void {
  const account = server.accounts.of(response.req)
  visit.account = account
  const own = meeting.pageSettings(isFull)
  const settings = account ? { ...own, accountName: account.name } : own
  const scriptPath = server.loadScript(meeting, visit, BUNDLE, { settings })
  const cookie = `${SESSION_COOKIE}=${visit.token}; Path=/; Secure; HttpOnly; SameSite=Lax`
  sendPage(response, documents.appDocument(scriptPath, settings.lang), 200, {
    'set-cookie': account ? [cookie, account.setCookie] : [cookie],
  })
}

/** Any digits have a page. Only after the join does it report that there is no such meeting. */
function meetingOf(server: MockMicrosoftTeams, { code }: links.NamedMeeting): TeamsMeeting {
  return server.meetings.get(code) ?? microsoftTeams.make(code, 'invalid-link', {})
}

function visitOf(
  server: MockMicrosoftTeams,
  token: string | null,
): { meeting: TeamsMeeting; visit: TeamsVisit } | undefined {
  for (const meeting of token === null ? [] : server.meetings.values()) {
    const visit = meeting.visitOf(token ?? '')
    if (visit) return { meeting, visit }
  }
}

/** The delay of the platform between documents. */
function afterHop(meeting: TeamsMeeting, response: ServerResponse, answer: () => void): void {
  const [from, to] = meeting.settings.hopMs
  const wait = randomOf(meeting.seed + meeting.log.length).int(from, to) / meeting.speed
  setTimeout(() => {
    if (!response.destroyed) answer()
  }, wait).unref()
}
