/**
 * `source.zoom.us`, from where pages load the SDK: the stub is served at the real paths, so that the bot's page is the
 * same as in production. The stub sends its `join` here too. Source: docs/platform-notes/zoom.md#loading-the-sdk and
 * #the-mock.
 */
import { pageScript } from '../../../core/process/page-scripts.ts'
import type { PlatformServer } from '../../shared/platform-server.ts'
import { bodyOf, type Exchange, randomPath } from '../../shared/site.ts'
import type { ZoomMeeting } from '../meeting.ts'
import { pageSettings } from '../settings.ts'
import { reportsStatusNumber, sdkError } from './errors.ts'
import { Ledger } from './ledger.ts'
import type { JoinAnswer } from './page/protocol.ts'
import { SDK_SCENARIOS } from './scenarios.ts'
import { SDK_DEFAULTS, type SdkSettings } from './settings.ts'
import { type JoinRequest, verdictOn } from './verdict.ts'
import { SdkVisit } from './visit.ts'

export const SDK_HOST = 'source.zoom.us'
const VERSION = '6.2.0'
/** The address of the SDK, for a driver. */
export const STUB_BASE = `https://${SDK_HOST}/${VERSION}`

/** The bot's page is of another origin, and isolated. */
const FOR_OTHERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-headers': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': 'no-store',
}

/** Web pages of these meetings lead to a sign-in; the SDK says it in a number. */
const WANTS_ACCOUNT = new Set(['sign-in', 'signed-in-only', 'sign-in-text', 'authorized-only'])

interface MeetingLedger {
  ledger: Ledger
  /** Number of joins of each meeting so far. */
  joins: Map<string, number>
}

const ledgers = new WeakMap<PlatformServer<ZoomMeeting>, MeetingLedger>()

/** Tokens of this server's Zoom. */
export function ledgerOf(server: PlatformServer<ZoomMeeting>): Ledger {
  return entryOf(server).ledger
}

function entryOf(server: PlatformServer<ZoomMeeting>): MeetingLedger {
  const known = ledgers.get(server)
  if (known) return known
  const entry = { ledger: new Ledger(), joins: new Map<string, number>() }
  ledgers.set(server, entry)
  return entry
}

export function answerSdkHost(exchange: Exchange, server: PlatformServer<ZoomMeeting>): void {
  const { request, response, path } = exchange
  const send = (type: string, body: string) =>
    response.writeHead(200, { ...FOR_OTHERS, 'content-type': type }).end(body)
  if (request.method === 'OPTIONS') response.writeHead(204, FOR_OTHERS).end()
  else if (path === '/sdk/join' && request.method === 'POST') void answerJoin(exchange, server)
  else if (path === `/${VERSION}/zoom-meeting-${VERSION}.min.js`) send('text/javascript', pageScript('mock/zoom/sdk'))
  else if (path.startsWith('/sdk/worklet/')) send('text/javascript', pageScript('mock/shared/worklet'))
  else if (/\.js$/.test(path)) send('text/javascript', '')
  else if (/\.css$/.test(path)) send('text/css', '')
  else if (/\.json$/.test(path)) send('application/json', '{}')
  else if (/\.wasm$/.test(path)) send('application/wasm', '')
  else response.writeHead(404, FOR_OTHERS).end()
}

async function answerJoin({ request, response }: Exchange, server: PlatformServer<ZoomMeeting>): Promise<void> {
  try {
    const given = JSON.parse(await bodyOf(request)) as JoinRequest
    const answer = join(given, server)
    response.writeHead(200, { ...FOR_OTHERS, 'content-type': 'application/json' }).end(JSON.stringify(answer))
  } catch (error) {
    response.writeHead(400, FOR_OTHERS).end(String(error))
  }
}

function join(given: JoinRequest, server: PlatformServer<ZoomMeeting>): JoinAnswer {
  const { ledger, joins } = entryOf(server)
  const meeting = server.meetings.get(given.meetingNumber) ?? null
  const settings = settingsOf(meeting)
  const earlierJoins = joins.get(given.meetingNumber) ?? 0
  joins.set(given.meetingNumber, earlierJoins + 1)
  // A meeting with an invalid link does not exist.
  const existing = meeting && meeting.settings.load !== 'invalid-link' ? meeting : null
  const seen = existing && {
    settings,
    passcode: existing.passcode,
    present: existing.people.map(({ id }) => id),
    earlierJoins,
  }
  const verdict = verdictOn(given, seen, ledger, Date.now())
  meeting?.note({
    event: 'rpc',
    target: 'sdk-join',
    detail: JSON.stringify({ code: verdict.code, token: given.obfToken ? 'obf' : given.zak ? 'zak' : null }),
  })
  if (verdict.code !== 0 || existing === null) {
    const { code, text, phase } = sdkError(verdict.code)
    return {
      is: 'error',
      code,
      text,
      phase,
      inStatus: reportsStatusNumber(code),
    }
  }
  return welcome(existing, given, settings, 'authorizer' in verdict ? verdict.authorizer : null, server)
}

function welcome(
  meeting: ZoomMeeting,
  given: JoinRequest,
  settings: SdkSettings,
  authorizerId: string | null,
  server: PlatformServer<ZoomMeeting>,
): JoinAnswer {
  const user = meeting.people.find(({ id }) => id === authorizerId)
  const authorizer = user ? { id: user.id, name: user.name } : null
  const visit = meeting.adopt(
    (host, self) =>
      new SdkVisit(host, self, {
        settings,
        userName: given.userName,
        authorizer,
        isPresent: (personId) => meeting.people.some(({ id }) => id === personId),
      }),
  )
  const { seed, speed, lang } = meeting
  const page = pageSettings(meeting.settings, { seed, speed, lang, isFramed: false })
  return {
    is: 'welcome',
    socket: `wss://${SDK_HOST}${server.socketFor(meeting, visit)}`,
    settings: { ...page, workletPath: `https://${SDK_HOST}/sdk/worklet/${randomPath()}.js` },
    recording: settings.recording,
    self: visit.self,
    authorizer: authorizer?.name ?? null,
  }
}

function settingsOf(meeting: ZoomMeeting | null): SdkSettings {
  const own = (meeting && SDK_SCENARIOS[meeting.scenarioName]?.sdk) ?? {}
  const needsAccount = meeting !== null && WANTS_ACCOUNT.has(meeting.settings.load)
  return { ...SDK_DEFAULTS, needsAccount, ...own, recording: { ...SDK_DEFAULTS.recording, ...own.recording } }
}
