/** Recognizes a Zoom link in what people paste, and gives the one address that the browser opens. Pure. */
import type { MeetingTarget } from '../../core/meeting/meeting.ts'
import { START_OF_HOST, trimEndOf } from '../shared/link-text.ts'

export type Recognized = MeetingTarget | { problem: string }

/** 9 to 11 digits: Zoom's own form accepts no other length. People write them in groups. */
const NUMBER = /^\d{9,11}$/
const NUMBER_AT_START = /^(\d[\d\s-]*\d)(?:\s*\(?(?:passcode|password)\b.*)?$/i
/** The name of a personal link; notes 1.1. */
const PERSONAL_NAME = /^[A-Za-z][A-Za-z0-9._-]{4,39}$/
const TOKEN = /^[A-Za-z0-9._~-]{1,512}$/
/** A link in running text, with or without a scheme; brackets belong to the sentence around it. */
const LINK = new RegExp(
  `(?:https?://|${START_OF_HOST})(?:[a-z0-9-]+\\.)*zoom(?:gov)?\\.(?:com\\.cn|us|com)(?![\\w-]|\\.\\w)(?::\\d+)?(?:[/?#][^\\s"'<>«»„“”‘’\`|\\\\^{}()[\\]]*)?`,
  'gi',
)
const DESKTOP_LINK = /zoom(?:mtg|us):\/\/[^\s"'<>«»„“”‘’`|\\^{}()[\]]*/gi
/** Calendars lead through Google; the meeting's link is in `q`. */
const REDIRECT = /https?:\/\/(?:www\.)?google\.[a-z.]+\/url\?[^\s"'<>«»„“”‘’`|\\^{}()[\]]*/gi
/** As invitations write it, in brackets or on a separate line; it ends with the line. */
const PASSCODE_IN_TEXT = /(?:passcode|password):\s*([^\s()]{1,512})\)?\s*$/im
const TRAILING = '.,;:!?*_'
const MAX_BOUNCES = 3
/** Hosts of Zoom itself, which all lead to one web client; anything else before `zoom.us` is a company's own. */
const ZOOMS_OWN = /^(?:www|app|(?:[a-z]{2}\d{2})?web|[a-z]{2}\d{2})$/

const NO_NUMBER = 'The Zoom link has no meeting number of 9 to 11 digits.'
const REGISTRATION =
  'The link leads to a registration, not to a meeting. Register and give the personal link that Zoom sends.'

interface Found {
  target: MeetingTarget
  passcode: string | null
}

/** Null when the text holds no Zoom link; otherwise the target, or one sentence on why it can never be one. */
export function recognizeZoom(text: string): Recognized | null {
  const links = linksIn(text, 0)
  if (links.length === 0) return null
  const recognized = links.map(targetOf)
  const found = recognized.filter((item) => 'target' in item)
  const different = new Set(found.map(({ target }) => target.meetingId))
  if (different.size > 1) return { problem: `The text holds ${different.size} different Zoom meetings; give one link.` }
  // The same meeting may be named with and without its passcode.
  const best = found.find(({ passcode }) => passcode !== null) ?? found[0]
  if (!best) {
    const [first] = recognized
    return first && 'problem' in first ? first : { problem: NO_NUMBER }
  }
  const written = PASSCODE_IN_TEXT.exec(text)?.[1]
  if (written === undefined) return best.target
  // A link without a passcode takes the one that is written beside it; a form wants it as people type it.
  const url = new URL(best.target.url)
  if (best.passcode === null) url.searchParams.set('pwd', written)
  return { ...best.target, url: url.href, passcode: written }
}

function linksIn(text: string, depth: number): URL[] {
  const bounced = [...text.matchAll(REDIRECT)].flatMap(([link]) => {
    const onward = parse(link)?.searchParams.get('q')
    return onward && depth < MAX_BOUNCES ? linksIn(onward, depth + 1) : []
  })
  const rest = text.replace(REDIRECT, ' ')
  const desktop = [...rest.matchAll(DESKTOP_LINK)].flatMap(([link]) => parse(trimEndOf(link, TRAILING)) ?? [])
  const direct = [...rest.replace(DESKTOP_LINK, ' ').matchAll(LINK)].flatMap(([link]) => {
    const url = parse(trimEndOf(link, TRAILING))
    return url && isZoomHost(url.hostname) ? [url] : []
  })
  return [...bounced, ...desktop, ...direct]
}

function parse(link: string): URL | null {
  const full = /^[a-z]+:\/\//i.test(link) ? link : `https://${link}`
  return URL.canParse(full) ? new URL(full) : null
}

function isZoomHost(host: string): boolean {
  return /^(?:[a-z0-9-]+\.)*zoom(?:gov)?\.(?:us|com|com\.cn)$/.test(host)
}

function targetOf(url: URL): Found | { problem: string } {
  if (url.protocol === 'zoommtg:' || url.protocol === 'zoomus:')
    return targetOfNumber(url.searchParams.get('confno') ?? '', url, 'app.zoom.us')
  if (url.hostname.endsWith('.com.cn')) return { problem: 'Meetings of Zoom in China (zoom.com.cn) are not supported.' }
  if (url.hostname === 'events.zoom.us' || url.hostname === 'events.zoom.com')
    return { problem: 'The link leads to Zoom Events, which admits ticket holders only. Give the link of the meeting.' }
  const host = clientHost(url.hostname)
  const parts = url.pathname.split('/').filter((part) => part !== '')
  const [first = '', second = '', third = ''] = parts.map(decoded)
  switch (first.toLowerCase()) {
    case 'j':
    case 's':
    case 'w':
    case 'm':
      return targetOfNumber(second, url, host)
    case 'my':
      return targetOfName(second, url, host)
    case 'wc': {
      if (parts.length === 1) return targetOfNumber(url.searchParams.get('mn') ?? '', url, host)
      if (second === 'my') return targetOfName(third, url, host)
      const isVerbFirst = second === 'join' || second === 'start'
      return targetOfNumber(isVerbFirst ? third : second, url, host)
    }
    case 'meeting':
    case 'webinar':
      return { problem: second === 'register' ? REGISTRATION : NO_NUMBER }
    case 'rec':
      return { problem: 'The link leads to a recording, not to a meeting.' }
    case 'u':
      return { problem: 'The link leads to telephone numbers. Give the link of the meeting.' }
    default:
      return { problem: NO_NUMBER }
  }
}

/** A vanity host serves its own web client, and so does the government's cloud; all others share one. */
function clientHost(hostname: string): string {
  const host = hostname.toLowerCase()
  if (/(?:^|\.)zoomgov\.com$/.test(host)) return host === 'zoomgov.com' ? 'www.zoomgov.com' : host
  const own = host.replace(/\.?zoom\.(?:us|com)$/, '')
  return own === '' || ZOOMS_OWN.test(own) ? 'app.zoom.us' : `${own}.zoom.us`
}

function targetOfNumber(text: string, url: URL, host: string): Found | { problem: string } {
  const number = (NUMBER_AT_START.exec(text.trim())?.[1] ?? '').replace(/\D/g, '')
  if (!NUMBER.test(number)) return { problem: NO_NUMBER }
  return target(number, `https://${host}/wc/${number}/join`, url)
}

function targetOfName(name: string, url: URL, host: string): Found | { problem: string } {
  if (!PERSONAL_NAME.test(name)) return { problem: 'The Zoom link has no personal link name that Zoom allows.' }
  return target(`my/${name}`, `https://${host}/wc/my/${name}`, url)
}

/** Only what is needed to join is kept: the other parameters carry names and accounts of other people. */
function target(meetingId: string, address: string, given: URL): Found {
  const url = new URL(address)
  // A redirect may have encoded it twice.
  const passcode = decoded(given.searchParams.get('pwd') ?? '')
  if (TOKEN.test(passcode)) url.searchParams.set('pwd', passcode)
  for (const name of ['tk', 'zak']) {
    const value = given.searchParams.get(name)
    if (value !== null && TOKEN.test(value)) url.searchParams.set(name, value)
  }
  return {
    target: { platform: 'zoom', url: url.href, meetingId },
    passcode: TOKEN.test(passcode) ? passcode : null,
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
