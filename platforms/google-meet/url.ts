/** Recognizes a Google Meet link in what people paste, and gives the one address that the browser opens. Pure. */
import type { MeetingTarget } from '../../core/meeting/meeting.ts'
import { START_OF_HOST, trimEndOf } from '../shared/link-text.ts'

export type Recognized = MeetingTarget | { problem: string }

/** Ten letters, 3-4-3. Codes have no digits. */
const CODE = /^[a-z]{3}-[a-z]{4}-[a-z]{3}$/
/** A Classroom or Workspace alias behind /lookup/. */
const ALIAS = /^[A-Za-z0-9._~-]{1,120}$/
const HOSTS = new Set(['meet.google.com', 'www.meet.google.com'])
/** A link in running text, in quotes or angle brackets, with or without a scheme; stray letters before it are dropped. */
const LINK = new RegExp(
  `(?:https?://|${START_OF_HOST})(?:www\\.)?meet\\.google\\.com(?![\\w-]|\\.\\w)(?::\\d+)?(?:[/?#][^\\s"'<>«»„“”‘’\`|\\\\^{}]*)?`,
  'gi',
)
const SIGN_IN_LINK = /https?:\/\/accounts\.google\.com\/[^\s"'<>«»„“”‘’`|\\^{}]*/gi
/** Brackets and punctuation that belong to the sentence around a link. */
const TRAILING = '.,;:!?)]*_'
/** A sign-in redirect may contain another one. */
const MAX_BOUNCES = 3

const NO_CODE = 'The Google Meet link has no meeting code such as abc-defg-hij.'

/** Null when the text holds no Google Meet link; otherwise the target, or one sentence on why it can never be one. */
export function recognizeGoogleMeet(text: string): Recognized | null {
  const links = linksIn(text, 0)
  if (links.length === 0) return null
  const recognized = links.map(targetOf)
  const targets = recognized.filter((item) => 'url' in item)
  const different = new Map(targets.map((target) => [target.url, target]))
  if (different.size > 1)
    return { problem: `The text holds ${different.size} different Google Meet links; give one of them.` }
  return targets[0] ?? recognized[0] ?? null
}

function linksIn(text: string, depth: number): URL[] {
  const bounced = [...text.matchAll(SIGN_IN_LINK)].flatMap(([link]) => {
    const url = parse(link)
    const onward = url?.searchParams.get('continue') ?? url?.searchParams.get('followup')
    return onward && depth < MAX_BOUNCES ? linksIn(onward, depth + 1) : []
  })
  const rest = text.replace(SIGN_IN_LINK, ' ')
  const direct = [...rest.matchAll(LINK)].flatMap(([link]) => {
    const url = parse(trimEndOf(link, TRAILING))
    return url && HOSTS.has(url.hostname) ? [url] : []
  })
  return [...bounced, ...direct]
}

function parse(link: string): URL | null {
  const full = /^https?:\/\//i.test(link) ? link : `https://${link}`
  return URL.canParse(full) ? new URL(full) : null
}

function targetOf(url: URL): Recognized {
  const [first = '', second = '', ...more] = url.pathname.split('/').filter((part) => part !== '')
  if (first.toLowerCase() === '_meet' && more.length === 0) return targetOfCode(second)
  if (first.toLowerCase() === 'lookup' && second !== '') {
    if (!ALIAS.test(second))
      return { problem: 'The alias of the Google Meet link holds characters that it cannot have.' }
    return target(`lookup/${second}`)
  }
  if (first === '' || first.toLowerCase() === 'landing' || first.toLowerCase() === 'about')
    return { problem: `The link leads to the home page of Google Meet. ${NO_CODE}` }
  if (first.toLowerCase() === 'new')
    return { problem: 'The link would make a new meeting, which needs a signed-in user. Give the link of the meeting.' }
  if (first.toLowerCase() === 'tel') return { problem: 'The link is for joining by telephone. Give the meeting link.' }
  return targetOfCode(first)
}

function targetOfCode(text: string): Recognized {
  const code = text.toLowerCase()
  if (CODE.test(code)) return target(code)
  if (/^[a-z]{10}$/.test(code)) return target(`${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`)
  return { problem: NO_CODE }
}

/** Only the code is kept: other parameters carry accounts of other people. `hl` sets the page's language. */
function target(path: string): MeetingTarget {
  return { platform: 'meet', url: `https://meet.google.com/${path}?hl=en`, meetingId: path }
}
