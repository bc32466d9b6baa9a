/** Reads a Google Meet link, and gives the one address that the browser opens. Pure. */
import { decoded } from './text.ts'
import type { MeetingOfLink, Refused } from './types.ts'

/** Ten letters, 3-4-3. Codes have no digits. */
const CODE = /^[a-z]{3}-[a-z]{4}-[a-z]{3}$/
/** A Classroom or Workspace alias behind /lookup/. */
const ALIAS = /^[A-Za-z0-9._~-]{1,120}$/

const NO_CODE = 'The Google Meet link has no meeting code such as abc-defg-hij.'

export function readGoogleMeet(url: URL): MeetingOfLink | Refused {
  // Some programs write `&` for the first `?`.
  const [path = ''] = decoded(url.pathname).split('&')
  const parts = path.split('/').filter((part) => part !== '')
  // The number of the browser's account.
  if (parts[0]?.toLowerCase() === 'u' && /^\d{1,3}$/.test(parts[1] ?? '')) parts.splice(0, 2)
  const [first = '', second = '', ...more] = parts
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

function targetOfCode(text: string): MeetingOfLink | Refused {
  const code = text.toLowerCase()
  if (CODE.test(code)) return target(code)
  if (/^[a-z]{10}$/.test(code)) return target(`${code.slice(0, 3)}-${code.slice(3, 7)}-${code.slice(7)}`)
  return { problem: NO_CODE }
}

/** Only the code is kept: other parameters carry accounts of other people. `hl` sets the page's language. */
function target(path: string): MeetingOfLink {
  return { platform: 'meet', url: `https://meet.google.com/${path}?hl=en`, meetingId: path, key: `meet:${path}` }
}
