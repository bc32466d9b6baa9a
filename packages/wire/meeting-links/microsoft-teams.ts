/** Reads a Microsoft Teams link of any form, and gives the one address that the browser opens. Pure. */
import { fullyDecoded } from './text.ts'
import type { MeetingOfLink, Refused } from './types.ts'

export const TEAMS_HOST =
  /^(?:[a-z0-9-]+\.)*(?:teams\.microsoft\.com|teams\.live\.com|teams\.cloud\.microsoft|teams\.microsoft\.us)$/
/** A launcher may lead to a launcher. */
const MAX_HOPS = 3
const THREAD = /^19:[^/\s]{1,200}@thread\.(?:v2|tacv2|skype)$/
const MESSAGE = /^\d{1,20}$/
const MEETING_CODE = /^\d{9,20}$/
const GUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'
const GOVERNMENT = /(?:^|\.)teams\.microsoft\.us$/
const BASE_HOSTS = ['teams.microsoft.com', 'teams.live.com', 'teams.cloud.microsoft']

const NO_MEETING = 'The Microsoft Teams link leads to no meeting.'
const OTHER_PHASES: Readonly<Record<string, string>> = {
  chat: 'The Microsoft Teams link leads to a chat, not to a meeting.',
  message: 'The Microsoft Teams link leads to a chat message, not to a meeting.',
  team: 'The Microsoft Teams link leads to a team, not to a meeting.',
  channel: 'The Microsoft Teams link leads to a channel, not to a meeting.',
  call: 'The Microsoft Teams link starts a call; give the link of a meeting.',
}
const REGISTRATION =
  'The Microsoft Teams link leads to the registration of an event; give the link to join that follows it.'
const CUT_OFF = 'The Microsoft Teams link is cut off: its context, which names the organization, is missing or broken.'

export function readMicrosoftTeams(url: URL, hops = 0): MeetingOfLink | Refused {
  if (/^events\./.test(url.hostname)) return { problem: REGISTRATION }
  const { path, query } = routeOf(url)
  if (path.length > 1 && (path[0] === 'v2' || path[0] === '_') && !OTHER_PHASES[path[1]!]) path.shift()
  const [first = '', second = '', ...more] = path
  if (first === 'dl' && second === 'launcher') return targetInside(url, query.get('url'), hops)
  if (first === 'light-meetings') return targetOfCoordinates(url, query.get('coords'), hops)
  if (first === 'meet') return targetOfCode(url, second, query.get('p'))
  if (first === 'l' && second === 'meetup-join') return targetOfThread(url, more, query)
  if (first === 'l' || first === '_') {
    const problem = OTHER_PHASES[second]
    if (problem) return { problem }
  }
  if (first === 'event' || first === 'registration') return { problem: REGISTRATION }
  return { problem: NO_MEETING }
}

/** The web client carries its route in the fragment, with a separate query there. */
function routeOf(url: URL): { path: string[]; query: URLSearchParams } {
  const fragment = /^#(\/.*)$/.exec(url.hash)?.[1]
  const [path = '', search = ''] = fragment === undefined ? [url.pathname, url.search] : split(fragment)
  return {
    path: path
      .split('/')
      .filter((part) => part !== '')
      .map(fullyDecoded)
      .map((part, index) => (index < 2 ? part.toLowerCase() : part)),
    query: new URLSearchParams(search),
  }
}

function split(route: string): [string, string] {
  const at = route.indexOf('?')
  return at < 0 ? [route, ''] : [route.slice(0, at), route.slice(at)]
}

function targetInside(url: URL, inner: string | null, hops: number): MeetingOfLink | Refused {
  if (inner === null || hops >= MAX_HOPS) return { problem: NO_MEETING }
  const route = /%2f/i.test(inner) && !inner.startsWith('/') ? fullyDecoded(inner) : inner
  // Always the host of the launcher: a link must not lead to another one.
  if (!route.startsWith('/') || !URL.canParse(route, url.origin)) return { problem: NO_MEETING }
  const onward = new URL(route, url.origin)
  return onward.hostname === url.hostname ? readMicrosoftTeams(onward, hops + 1) : { problem: NO_MEETING }
}

function targetOfCoordinates(url: URL, coords: string | null, hops: number): MeetingOfLink | Refused {
  const data = coords === null ? null : readJson(fromBase64(coords))
  const text = (name: string) => (typeof data?.[name] === 'string' ? (data[name] as string) : '')
  const thread = text('conversationId')
  if (thread !== '') return target(url, { thread, message: text('messageId') || '0', ...idsOf(data ?? {}) })
  const code = text('meetingCode')
  if (code !== '') return targetOfCode(url, code, text('passcode') || null)
  const inner = URL.canParse(text('meetingUrl')) ? new URL(text('meetingUrl')) : null
  return inner && hops < MAX_HOPS && TEAMS_HOST.test(inner.hostname)
    ? readMicrosoftTeams(inner, hops + 1)
    : { problem: CUT_OFF }
}

function targetOfCode(url: URL, text: string, passcode: string | null): MeetingOfLink | Refused {
  const code = text.replace(/\s/g, '')
  if (!MEETING_CODE.test(code)) return { problem: 'The Microsoft Teams link has no meeting number.' }
  const host = hostOf(url)
  const query = `${passcode ? `p=${encodeURIComponent(passcode)}&` : ''}anon=true`
  return {
    platform: 'teams',
    url: `https://${host}${clientOf(host)}/meet/${code}?${query}`,
    meetingId: code,
    key: keyOf(host, code),
  }
}

function targetOfThread(
  url: URL,
  [thread = '', message = '0']: string[],
  query: URLSearchParams,
): MeetingOfLink | Refused {
  const context = query.get('context')
  return target(url, { thread, message, ...idsOf(context === null ? {} : readContext(context)) })
}

function target(
  url: URL,
  parts: { thread: string; message: string; tenant: string | null; organizer: string | null },
): MeetingOfLink | Refused {
  const { thread, message, tenant, organizer } = parts
  if (!THREAD.test(thread) || !MESSAGE.test(message))
    return { problem: 'The Microsoft Teams link names no meeting; it may be cut off.' }
  if (tenant === null) return { problem: CUT_OFF }
  const context = JSON.stringify({ Tid: tenant, ...(organizer === null ? {} : { Oid: organizer }) })
  const host = hostOf(url)
  const path = `/l/meetup-join/${encodeURIComponent(thread)}/${message}?context=${encodeURIComponent(context)}&anon=true`
  const meetingId = message === '0' ? thread : `${thread}/${message}`
  return { platform: 'teams', url: `https://${host}${clientOf(host)}${path}`, meetingId, key: keyOf(host, meetingId) }
}

/**
 * The web client's own form of the link skips the launcher
 * (docs/platform-notes/microsoft-teams.md#opening-the-web-client-directly). Personal and government hosts are only
 * known to accept the original link.
 */
function clientOf(host: string): string {
  return host === 'teams.live.com' || GOVERNMENT.test(host) ? '' : '/v2/?meetingjoin=true#'
}

/** Government clouds differ by their host; elsewhere the part before the known host means nothing. */
function hostOf(url: URL): string {
  if (GOVERNMENT.test(url.hostname)) return url.hostname
  return BASE_HOSTS.find((host) => url.hostname.endsWith(host)) ?? url.hostname
}

/** The personal service and each government cloud have separate meetings; the other hosts lead to the same ones. */
function keyOf(host: string, meetingId: string): string {
  return host === 'teams.live.com' || GOVERNMENT.test(host) ? `teams:${host}/${meetingId}` : `teams:${meetingId}`
}

function readContext(text: string): Record<string, unknown> {
  const plain = fullyDecoded(text)
  const json = readJson(plain)
  if (json) return json
  // Some programs break the JSON but keep the important values.
  const found = (name: string) => new RegExp(`\\b${name}\\W{1,12}(${GUID})`, 'i').exec(plain)?.[1]
  return { Tid: found('Tid'), Oid: found('Oid') }
}

function idsOf(data: Record<string, unknown>): { tenant: string | null; organizer: string | null } {
  const guid = (...names: string[]) => {
    const value = Object.entries(data).find(([name]) => names.includes(name.toLowerCase()))?.[1]
    return typeof value === 'string' && new RegExp(`^${GUID}$`, 'i').test(value) ? value.toLowerCase() : null
  }
  return { tenant: guid('tid', 'tenantid'), organizer: guid('oid', 'organizerid') }
}

function readJson(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    // Not JSON.
    return null
  }
}

function fromBase64(text: string): string {
  return Buffer.from(text.replace(/ /g, '+'), 'base64').toString('utf8')
}
