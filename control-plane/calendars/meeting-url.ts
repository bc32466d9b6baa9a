/** Finds the link to the meeting in an event of a calendar. Pure. */
import { type MeetingLink, type MeetingPlatform, readMeetingLink } from '../bots/meeting-link.ts'
import { linksInHtml, linksInText } from './links-in-text.ts'

export interface MeetingSources {
  /** Addresses that the provider itself calls the conference's, best first. */
  conference: readonly string[]
  /** The conference that the provider added by itself, as Google does. */
  automatic: string | null
  /** Texts of the place, best first. */
  location: readonly string[]
  description: string | null
  /** `html` also for Google, whose descriptions mix both. */
  descriptionFormat: 'html' | 'text'
}

export interface MeetingUrlOptions {
  /** An explicit link in the location goes before one that the provider added by itself. */
  prefersLocation?: boolean
  /** The operator's own servers of Jitsi Meet. */
  jitsiHosts?: readonly string[]
}

/** Null where the event leads to no meeting of a supported platform. */
export function findMeetingUrl(sources: MeetingSources, options: MeetingUrlOptions = {}): string | null {
  const read = (links: readonly string[]) => links.flatMap((link) => meetingsBehind(link, options.jitsiHosts ?? []))
  const conference = read(sources.conference)
  const automatic = read(sources.automatic === null ? [] : [sources.automatic])
  const location = read(sources.location.flatMap(linksInText))
  // An automatic link is also among the conference's own addresses, so the location takes precedence over both.
  const isAutomatic = (link: MeetingLink) => automatic.some(({ key }) => key === link.key)
  const named =
    options.prefersLocation && conference.every(isAutomatic)
      ? [...location, ...conference, ...automatic]
      : [...conference, ...automatic, ...location]
  // Descriptions are long: most need no search.
  if (named[0] && (hasPasscode(named[0]) || HAS_NO_PASSCODES.has(named[0].platform))) return named[0].url
  const found = [...named, ...read(descriptionLinks(sources, options.jitsiHosts ?? []))]
  const [first] = found
  if (first === undefined) return null
  if (hasPasscode(first)) return first.url
  return found.find((link) => hasPasscode(link) && isSameMeeting(link, first))?.url ?? first.url
}

/** Their links have no passcode, so that no other link to the same meeting is better. */
const HAS_NO_PASSCODES: ReadonlySet<MeetingPlatform> = new Set(['meet', 'jitsi'])

/** A part of every host, which wrappers leave as it is; letters that are written as numbers can be anything. */
const TRACE_OF_HOST = /zoom|meet\.google|teams\.|jit\.si|8x8\.vc|&#/i

function descriptionLinks({ description, descriptionFormat }: MeetingSources, jitsiHosts: readonly string[]): string[] {
  if (description === null) return []
  const lower = description.toLowerCase()
  if (!TRACE_OF_HOST.test(lower) && !jitsiHosts.some((host) => lower.includes(host.toLowerCase()))) return []
  return descriptionFormat === 'html' ? linksInHtml(description) : linksInText(description)
}

const MAX_WRAPPERS = 3

/** The meeting that a link leads to: its own, or the one inside the page of a mail program. */
function meetingsBehind(link: string, jitsiHosts: readonly string[], depth = 0): MeetingLink[] {
  const inner = unwrapped(link)
  if (inner !== null) return depth < MAX_WRAPPERS ? meetingsBehind(inner, jitsiHosts, depth + 1) : []
  const meeting = readMeetingLink(link, jitsiHosts)
  return meeting !== null && leadsToMeeting(meeting) ? [meeting] : []
}

const GOOGLE_REDIRECT = /^(?:www\.)?google\.[a-z.]{2,10}$/
const SAFE_LINKS = /(?:^|\.)safelinks\.protection\.outlook\.(?:com|us)$/
const URL_DEFENSE = /(?:^|\.)urldefense\.(?:com|us)$/

/** The address inside a wrapper; null for any other address. */
function unwrapped(link: string): string | null {
  if (!URL.canParse(link)) return null
  const url = new URL(link)
  const host = url.hostname
  if (GOOGLE_REDIRECT.test(host) && url.pathname === '/url')
    return url.searchParams.get('q') ?? url.searchParams.get('url')
  if (SAFE_LINKS.test(host)) return url.searchParams.get('url')
  if (URL_DEFENSE.test(host)) return fromUrlDefense(link)
  return null
}

/**
 * Version 3: `https://urldefense.com/v3/__<address>__;<replaced characters>!!…`. Each `*` replaces the next character
 * of the base64 text; `**A` and so on replace runs of them.
 */
function fromUrlDefense(link: string): string | null {
  const [, body, encoded = ''] = /\/v3\/__(.+?)__;([^!]*)/.exec(link) ?? []
  if (body === undefined) return null
  const characters = [...Buffer.from(encoded, 'base64url').toString('utf8')]
  const nextCharacters = (count: number) => characters.splice(0, count).join('')
  const address = body.replace(/\*(?:\*([A-Za-z0-9_-]))?/g, (_, run: string | undefined) =>
    run === undefined ? nextCharacters(1) : nextCharacters(RUN_LENGTHS.indexOf(run) + 2),
  )
  // Some gateways drop one of the slashes behind the scheme.
  return address.replace(/^(https?):\/(?=[^/])/i, '$1://')
}

const RUN_LENGTHS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** The hosts of the platforms also serve help, dial-in numbers and options of the meeting, which invitations link to. */
function leadsToMeeting({ platform, url }: MeetingLink): boolean {
  const { hostname, pathname, hash, searchParams } = new URL(url)
  const path = hash.startsWith('#/') ? hash.slice(1) : pathname
  switch (platform) {
    case 'meet':
      return /^\/(?:_meet\/)?[a-z]{3}-[a-z]{4}-[a-z]{3}\/?$/i.test(path) || /^\/lookup\/[^/]+/i.test(path)
    case 'zoom':
      return /^\/(?:[jswm]\/\d|my\/[^/]|wc\/[^/])/i.test(path) || (/^\/wc\/?$/i.test(path) && searchParams.has('mn'))
    case 'teams':
      if (/^events\.|^dialin\./i.test(hostname)) return false
      return /^\/(?:(?:v2|_)\/)?(?:l\/meetup-join\/|meet\/\d|dl\/launcher|light-meetings)/i.test(
        path.replace(/^\/_#/, ''),
      )
    case 'jitsi':
      return /^\/[^/]/.test(path)
  }
}

function hasPasscode({ url }: MeetingLink): boolean {
  const { searchParams } = new URL(url)
  return ['pwd', 'p', 'passcode'].some((name) => searchParams.get(name))
}

/** The same meeting on the same platform; companies have their own hosts for it. */
function isSameMeeting(one: MeetingLink, other: MeetingLink): boolean {
  const name = ({ platform, url }: MeetingLink) => {
    const path = new URL(url).pathname.replace(/\/+$/, '')
    return `${platform} ${platform === 'zoom' ? (/\d{9,11}/.exec(path)?.[0] ?? path) : path}`
  }
  return name(one) === name(other)
}
