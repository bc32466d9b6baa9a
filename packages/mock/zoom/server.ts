/**
 * The mock Zoom site: the routes of its hosts (docs/platform-notes/zoom.md#web-client-address-and-redirects and
 * #the-mock).
 */
import { pageScript } from '../../core/process/page-scripts.ts'
import { randomOf } from '../shared/page/random.ts'
import {
  type MockPlatform,
  type MockServerOptions,
  type PlatformServer,
  startPlatform,
} from '../shared/platform-server.ts'
import { answerLate, type Exchange, randomPath, redirect, sendPage } from '../shared/site.ts'
import * as documents from './documents.ts'
import { VANITY, ZoomMeeting } from './meeting.ts'
import { NUMBER, randomNumber } from './numbers.ts'
import { TEXT } from './page/table.ts'
import { SCENARIOS } from './scenarios.ts'
import { answerSdkHost, SDK_HOST } from './sdk/host.ts'

const POLL_MS = 20_000
const APP = 'app.zoom.us'
const WALLS = [TEXT.authorizedOnly, TEXT.authenticationRequired, TEXT.authenticatedOnly]

export type MockZoom = PlatformServer<ZoomMeeting>

export const zoom: MockPlatform<ZoomMeeting> = {
  name: 'zoom',
  title: 'Zoom',
  hosts: ['zoom.us', APP, 'us02web.zoom.us', 'us06web.zoom.us', VANITY, SDK_HOST, 'www.google.com'],
  scenarios: SCENARIOS,
  accountCookie: { name: '_zm_ssid', domain: '.zoom.us' },
  newCode: randomNumber,
  make: (code, scenario, options) => new ZoomMeeting(code, scenario, SCENARIOS[scenario] ?? { about: '' }, options),
  answer: (exchange, server) => {
    if (exchange.host === SDK_HOST) answerSdkHost(exchange, server)
    else if (exchange.host === 'www.google.com') send(exchange, documents.captchaFrame())
    else answerSite(exchange, server)
  },
}

/** Starts serving on 127.0.0.1. Rejects if a named port is taken. */
export function startMockZoom(options?: MockServerOptions): Promise<MockZoom> {
  return startPlatform(zoom, options)
}

function answerSite(exchange: Exchange, server: MockZoom): void {
  const { path, response, request, url } = exchange
  const launch = path.match(/^\/j\/(\d+)$/)
  const client = path.match(/^\/wc\/(?:join\/(\d+)|(\d+)\/(join|start))$/)
  if (launch) answerLaunch(launch[1] ?? '', exchange, server)
  else if (client) answerClient(client[1] ?? client[2] ?? '', client[3] ?? 'short', exchange, server)
  else if (path === '/wc' && url.searchParams.has('mn')) answerApp(exchange)
  else if (path === '/wc/ping') answerLate(response, POLL_MS)
  else if (path === '/wc/saveMeetingDisclaimer' && request.method === 'POST') {
    request.resume()
    response.writeHead(204).end()
  } else if (path.startsWith('/wc/worklet/')) {
    // The SDK's page is of another origin.
    const headers = { 'content-type': 'text/javascript', 'access-control-allow-origin': '*', ...documents.ISOLATION }
    response.writeHead(200, headers).end(pageScript('mock/shared/worklet'))
  } else if (path === '/captcha-image') {
    response.writeHead(200, { 'content-type': 'image/svg+xml', ...documents.ISOLATION }).end(documents.CAPTCHA_IMAGE)
  } else if (path === '/signin') send(exchange, documents.signInDocument())
  else if (/^\/(?:webinar|meeting)\/register\//.test(path)) send(exchange, documents.registrationDocument())
  else if (path === '/wc/leave') send(exchange, documents.leftDocument())
  else if (path === '/wc' || path === '/wc/home' || path === '/') send(exchange, documents.homeDocument())
  else response.writeHead(path === '/favicon.ico' ? 204 : 404).end()
}

/** The launch page does not check the number: an invalid one shows the same page. */
function answerLaunch(code: string, exchange: Exchange, server: MockZoom): void {
  const meeting = server.meetings.get(code)
  meeting?.navigated(exchange.url.href)
  const pwd = exchange.url.searchParams.get('pwd')
  const browser = `https://zoom.us/wc/join/${code}?ref_from=launch&fromPWA=1${pwd ? `&pwd=${encodeURIComponent(pwd)}` : ''}`
  send(exchange, documents.launchDocument(meeting?.settings.launch ?? 'new', browser))
}

/** Every host but the company's own leads to the app's; the short form leads to the long one, or is the old form. */
function answerClient(code: string, form: string, exchange: Exchange, server: MockZoom): void {
  const { host, url, response } = exchange
  const meeting = server.meetings.get(code)
  if (host !== APP && host !== VANITY) {
    redirect(response, `https://${APP}${url.pathname}${url.search}`)
    return
  }
  if (form === 'short' && meeting?.settings.form !== 'classic') {
    redirect(response, `https://${host}/wc/${code}/join${url.search}`)
    return
  }
  if (!meeting || !NUMBER.test(code)) send(exchange, documents.errorDocument())
  else if (form === 'start') redirect(response, `https://${APP}/signin`)
  else answerMeeting(meeting, exchange, server)
}

function answerMeeting(meeting: ZoomMeeting, exchange: Exchange, server: MockZoom): void {
  const { host, url, response, request } = exchange
  const { load, framed } = meeting.settings
  meeting.navigated(url.href)
  const wantsFrame = framed || url.searchParams.get('fromPWA') === '1'
  if (wantsFrame && url.searchParams.get('from') !== 'pwa') {
    send(exchange, documents.shellDocument(frameUrl(meeting.code, url)))
    return
  }
  meeting.loads++
  const elsewhere = (state: string, html: string) => {
    meeting.enterState(state)
    send(exchange, html)
  }
  const away = (state: string, location: string) => {
    meeting.enterState(state)
    redirect(response, location)
  }
  const signIn = `https://${APP}/signin`
  if (!meeting.isUnderWay() || load === 'invalid-link') elsewhere('errorPage', documents.errorDocument())
  else if (load === 'sign-in') away('signIn', signIn)
  else if (load === 'signed-in-only' && !server.accounts.of(request)) away('signIn', signIn)
  else if (load === 'sign-in-text') elsewhere('signIn', documents.wallDocument(TEXT.classicSignIn))
  else if (load === 'authorized-only' && !server.accounts.of(request))
    elsewhere('signIn', documents.wallDocument(oneOf(WALLS, meeting.seed)))
  else if (load === 'registration') away('registration', `https://zoom.us/webinar/register/WN_${meeting.code}`)
  else if (load === 'external' && host === VANITY) elsewhere('external', documents.externalDocument())
  else if (load === 'something-wrong') elsewhere('somethingWrong', documents.somethingWrongDocument())
  else sendClient(meeting, exchange, server)
}

function sendClient(meeting: ZoomMeeting, exchange: Exchange, server: MockZoom): void {
  const { url, request } = exchange
  const account = server.accounts.of(request)
  const { visit, page } = meeting.newVisit({
    isFramed: url.searchParams.get('from') === 'pwa',
    pwd: url.searchParams.get('pwd') ?? '',
    account,
    language: request.headers['accept-language'] ?? '',
  })
  const settings = { ...page, workletPath: `/wc/worklet/${randomPath()}.js` }
  const scriptPath = server.loadScript(meeting, visit, 'mock/zoom/meeting', { settings })
  const { lang, isFramed } = settings
  const headers = { ...documents.ISOLATION, ...(account && { 'set-cookie': account.setCookie }) }
  const { cookies } = meeting.settings
  sendPage(exchange.response, documents.clientDocument({ scriptPath, lang, cookies, isFramed }), 200, headers)
}

function oneOf<T>(choices: readonly T[], seed: number): T {
  return choices[randomOf(seed).int(0, choices.length - 1)]!
}

/** The web app, entered with the number in the query. */
function answerApp(exchange: Exchange): void {
  const code = exchange.url.searchParams.get('mn') ?? ''
  if (NUMBER.test(code)) send(exchange, documents.shellDocument(frameUrl(code, exchange.url)))
  else send(exchange, documents.homeDocument())
}

function frameUrl(code: string, url: URL): string {
  const pwd = url.searchParams.get('pwd')
  return `/wc/${code}/join?from=pwa${pwd ? `&pwd=${encodeURIComponent(pwd)}` : ''}`
}

function send({ response }: Exchange, html: string): void {
  sendPage(response, html, 200, documents.ISOLATION)
}
