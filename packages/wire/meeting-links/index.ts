/** Reads which meeting a text means: a bare link, a wrapped one, or a whole invitation. Used by the worker, the API and calendars. */
import { MAX_MEETING_TEXT_LENGTH, MAX_MEETING_URL_LENGTH } from '../bot-fields.ts'
import { PLATFORM_TITLES } from '../platforms.ts'
import { readGoogleMeet } from './google-meet.ts'
import { isJitsiHost, readJitsi } from './jitsi.ts'
import { readMicrosoftTeams, TEAMS_HOST } from './microsoft-teams.ts'
import { readOtherPlatform } from './other-platforms.ts'
import { passcodeIn } from './passcode.ts'
import { addressesInside, isGateway } from './redirectors.ts'
import { addressesIn, plainText, trimmedLink } from './text.ts'
import type { MeetingOfLink, Refused } from './types.ts'
import { readZoom, ZOOM_HOST } from './zoom.ts'

export interface MeetingLink extends MeetingOfLink {
  host: string
  /** As it was written, without wrappers and the text around it; it reads as the same meeting. */
  link: string
}

export interface LinkOptions {
  /** The operator's own servers of Jitsi Meet, as `host` or `host:port`. */
  jitsiHosts?: readonly string[]
}

/** A wrapper may lead to a wrapper. */
const MAX_WRAPPERS = 5

/** The meeting that a text means, or one sentence why it means none. */
export function readMeeting(text: string, options: LinkOptions = {}): MeetingLink | Refused {
  if (text.length > MAX_MEETING_TEXT_LENGTH)
    return { problem: `The text is longer than ${MAX_MEETING_TEXT_LENGTH} characters; give the meeting link alone.` }
  const found = readingsIn(text, options)
  const meetings = found.filter((item) => 'url' in item)
  const keys = new Set(meetings.map(({ key }) => key))
  if (new Set(meetings.map(({ platform }) => platform)).size > 1)
    return { problem: 'The text holds links of several platforms; give one of them.' }
  // The same meeting may be named with and without its passcode.
  const best = meetings.find(hasPasscode) ?? meetings[0]
  if (best && keys.size > 1)
    return {
      problem: `The text holds ${keys.size} different ${PLATFORM_TITLES[best.platform]} links; give one of them.`,
    }
  if (best) return withPasscodeOf(text, best)
  return (
    found[0] ??
    readOtherPlatform(addressesIn(plainText(text)).flatMap((address) => targetsOf(address))) ?? {
      problem: 'This is not a meeting link; give one such as https://meet.google.com/abc-defg-hij.',
    }
  )
}

/** All links to meetings, in the order of the text; an invitation also contains links to options and help. */
export function meetingsIn(text: string, options: LinkOptions = {}): MeetingLink[] {
  return readingsIn(text, options).filter((item) => 'url' in item)
}

export function hasPasscode({ url, passcode }: MeetingLink): boolean {
  return passcode !== undefined || /[?&](?:pwd|p)=./.test(url)
}

/** Adds the passcode that the text writes beside the link. */
export function withPasscodeOf(text: string, meeting: MeetingLink): MeetingLink {
  const { platform, url, link } = meeting
  const written = platform === 'meet' ? null : passcodeIn(plainText(text))
  if (written === null || (platform === 'jitsi' && meeting.passcode !== undefined)) return meeting
  // A classic link of Microsoft Teams needs no passcode.
  if (platform === 'teams' && !/\/meet\/\d+\?anon=true$/.test(url)) return meeting
  const value = encodeURIComponent(written)
  if (platform === 'teams')
    return { ...meeting, url: url.replace('?anon', `?p=${value}&anon`), link: withParameter(link, 'p', written) }
  if (hasPasscode(meeting)) return { ...meeting, passcode: written }
  const linked = withParameter(link, 'pwd', written)
  if (platform === 'jitsi') return { ...meeting, link: linked, passcode: written }
  const opened = new URL(url)
  opened.searchParams.set('pwd', written)
  return { ...meeting, url: opened.href, link: linked, passcode: written }
}

function withParameter(link: string, name: string, value: string): string {
  const parameter = `${name}=${encodeURIComponent(value)}`
  // The web client of Microsoft Teams carries its route in the fragment.
  const at = link.includes('#/') ? -1 : link.indexOf('#')
  const [start, fragment] = at < 0 ? [link, ''] : [link.slice(0, at), link.slice(at)]
  const route = start.slice(start.indexOf('#') + 1)
  return `${start}${route.includes('?') ? '&' : '?'}${parameter}${fragment}`
}

function readingsIn(text: string, options: LinkOptions): (MeetingLink | Refused)[] {
  return addressesIn(plainText(text)).flatMap((address) => readAddress(address, options, 0))
}

function readAddress(address: string, options: LinkOptions, depth: number): (MeetingLink | Refused)[] {
  const wrapper = parse(trimmedLink(address, /\s/))
  const inside = wrapper && addressesInside(address, wrapper)
  if (wrapper && inside?.length === 0 && isGateway(wrapper))
    return [{ problem: `A link of ${wrapper.host} hides its target. Open it, and give the link of the meeting.` }]
  if (inside) return depth < MAX_WRAPPERS ? inside.flatMap((inner) => readAddress(inner, options, depth + 1)) : []
  const isJitsi = wrapper !== null && isJitsiHost(wrapper, options.jitsiHosts ?? [])
  // Rooms of Jitsi Meet may have letters of any script and brackets.
  const link = trimmedLink(
    address,
    isJitsi ? /[^\p{L}\p{M}\p{N}\-._~:/?#@!$&*+=%()[\]]/u : /[^A-Za-z0-9\-._~:/?#@!$&*+=%]/,
  )
  const url = parse(link)
  if (url === null || url.username !== '' || url.password !== '') return []
  const reading = readLink(url, isJitsi)
  if (reading === null || 'problem' in reading) return reading === null ? [] : [reading]
  if (link.length > MAX_MEETING_URL_LENGTH)
    return [{ problem: `The meeting link is longer than ${MAX_MEETING_URL_LENGTH} characters.` }]
  return [{ ...reading, host: new URL(reading.url).host, link }]
}

function readLink(url: URL, isJitsi: boolean): MeetingOfLink | Refused | null {
  if (isJitsi) return readJitsi(url)
  if (/^(?:www\.)?meet\.google\.com$/.test(url.hostname)) return readGoogleMeet(url)
  if (TEAMS_HOST.test(url.hostname)) return readMicrosoftTeams(url)
  return ZOOM_HOST.test(url.hostname) ? readZoom(url) : null
}

/** The links of an address without its wrappers. */
function targetsOf(address: string, depth = 0): URL[] {
  const link = parse(trimmedLink(address, /\s/))
  const inside = link && addressesInside(address, link)
  if (inside && depth < MAX_WRAPPERS) return inside.flatMap((inner) => targetsOf(inner, depth + 1))
  return link === null ? [] : [link]
}

/** Schemes of programs name the same hosts and routes. A browser gives no insecure page a microphone, so http is read as https. */
function parse(link: string): URL | null {
  const full = link
    .replace(/^(?:http|msteams|org\.jitsi\.meet|jitsi-meet):\/\//i, 'https://')
    .replace(/^msteams:\/?(?=[^/])/i, 'https://teams.microsoft.com/')
  if (!URL.canParse(full)) return null
  const url = new URL(full)
  if (!/^zoom(?:mtg|us):$/.test(url.protocol)) return url.protocol === 'https:' ? url : null
  url.hostname = url.hostname.toLowerCase()
  return ZOOM_HOST.test(url.hostname) ? url : null
}
