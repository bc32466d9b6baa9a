/** Finds the link to the meeting in an event of a calendar. Pure. */

import {
  hasPasscode,
  type LinkOptions,
  type MeetingLink,
  meetingsIn,
  withPasscodeOf,
} from '@standin/wire/meeting-links/index.ts'
import { withoutInvisible } from '@standin/wire/meeting-links/text.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'
import { textsOfHtml } from './html-texts.ts'

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

export interface MeetingUrlOptions extends LinkOptions {
  /** An explicit link in the location goes before one that the provider added by itself. */
  prefersLocation?: boolean
}

/** Null if the event leads to no meeting of a supported platform. */
export function findMeetingUrl(sources: MeetingSources, options: MeetingUrlOptions = {}): string | null {
  const read = (texts: readonly string[]) => texts.flatMap((text) => meetingsIn(text, options))
  const conference = read(sources.conference)
  const automatic = read(sources.automatic === null ? [] : [sources.automatic])
  const location = read(sources.location)
  // An automatic link is also among the conference's own addresses, so the location takes precedence over both.
  const isAutomatic = (link: MeetingLink) => automatic.some(({ key }) => key === link.key)
  const named =
    options.prefersLocation && conference.every(isAutomatic)
      ? [...location, ...conference, ...automatic]
      : [...conference, ...automatic, ...location]
  // Descriptions are long: most need no search.
  if (named[0] && (hasPasscode(named[0]) || HAS_NO_PASSCODES.has(named[0].platform))) return named[0].link
  const texts = descriptionTexts(sources, options.jitsiHosts ?? [])
  const described = read(texts)
  const found = [...named, ...described]
  const [first] = found
  if (first === undefined) return null
  const same = found.filter(({ key }) => key === first.key)
  const whole = same.find(hasPasscode)
  if (whole !== undefined) return whole.link
  // A passcode belongs to the meeting of its text, if the text has only one.
  const beside = [...sources.location, texts.join('\n')].filter((text) => {
    const meetings = meetingsIn(text, options)
    return meetings.length > 0 && meetings.every(({ key }) => key === first.key)
  })
  return beside.map((text) => withPasscodeOf(text, first)).find(hasPasscode)?.link ?? first.link
}

/** Their links have no passcode, so that no other link to the same meeting is better. */
const HAS_NO_PASSCODES: ReadonlySet<PlatformName> = new Set(['meet', 'jitsi'])

/**
 * A part of every host, which wrappers leave as it is or write in base64. Letters that are written as numbers or by a name can
 * be anything, and invisible ones or a place for a line break may be inside.
 */
const TRACE_OF_HOST =
  /zoom|meet\.google|teams\.|msteams:|jit\.si|8x8\.vc|&(?!(?:amp|nbsp|lt|gt|quot);)[#a-z]|<wbr|aHR0c/i

function descriptionTexts({ description, descriptionFormat }: MeetingSources, jitsiHosts: readonly string[]): string[] {
  if (description === null) return []
  const text = withoutInvisible(description)
  const lower = text.toLowerCase()
  if (!TRACE_OF_HOST.test(lower) && !jitsiHosts.some((host) => lower.includes(host.toLowerCase()))) return []
  return descriptionFormat === 'html' ? textsOfHtml(text) : [text]
}
