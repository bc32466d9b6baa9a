/** Reads a Zoom link, and gives the one address that the browser opens. Pure. */
import { decoded } from './text.ts'
import type { MeetingOfLink, Refused } from './types.ts'

export const ZOOM_HOST = /^(?:(?:[a-z0-9-]+\.)*zoom(?:gov)?\.(?:us|com|com\.cn)|(?:[a-z0-9-]+\.)*zoom-x\.de)$/
/** 9 to 11 digits: Zoom's own form accepts no other length. People write them in groups. */
const NUMBER = /^\d{9,11}$/
const NUMBER_AT_START = /^(\d[\d\s-]*\d)(?:\s*\(?(?:passcode|password)\b.*)?$/i
/** The name of a personal link; notes 1.1. */
const PERSONAL_NAME = /^[A-Za-z][A-Za-z0-9._-]{4,39}$/
const TOKEN = /^[A-Za-z0-9._~-]{1,512}$/
/** Hosts of Zoom itself, which all lead to one web client; anything else before `zoom.us` is a company's own. */
const ZOOMS_OWN = /^(?:www|app|(?:[a-z]{2}\d{2})?web|[a-z]{2}\d{2})$/

const NO_NUMBER = 'The Zoom link has no meeting number of 9 to 11 digits.'
const REGISTRATION =
  'The link leads to a registration, not to a meeting. Register and give the personal link that Zoom sends.'

export function readZoom(url: URL): MeetingOfLink | Refused {
  if (url.protocol === 'zoommtg:' || url.protocol === 'zoomus:')
    return targetOfNumber(url.searchParams.get('confno') ?? '', url, clientHost(url.hostname))
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
    case 'launch':
      return targetOfNumber(third, url, host)
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
  if (/(?:^|\.)zoom-x\.de$/.test(host)) return host
  const own = host.replace(/\.?zoom\.(?:us|com)$/, '')
  return own === '' || ZOOMS_OWN.test(own) ? 'app.zoom.us' : `${own}.zoom.us`
}

function targetOfNumber(text: string, url: URL, host: string): MeetingOfLink | Refused {
  const number = (NUMBER_AT_START.exec(text.trim())?.[1] ?? '').replace(/\D/g, '')
  if (!NUMBER.test(number)) return { problem: NO_NUMBER }
  return target(number, `https://${host}/wc/${number}/join`, url)
}

function targetOfName(name: string, url: URL, host: string): MeetingOfLink | Refused {
  if (!PERSONAL_NAME.test(name)) return { problem: 'The Zoom link has no personal link name that Zoom allows.' }
  return target(`my/${name}`, `https://${host}/wc/my/${name}`, url)
}

/** Only what is needed to join is kept: the other parameters carry names and accounts of other people. */
function target(meetingId: string, address: string, given: URL): MeetingOfLink {
  const url = new URL(address)
  const fragment = new URLSearchParams(given.hash.slice(1))
  // A redirect may have encoded it twice.
  const passcode = decoded(given.searchParams.get('pwd') ?? fragment.get('pwd') ?? '')
  if (TOKEN.test(passcode)) url.searchParams.set('pwd', passcode)
  for (const name of ['tk', 'zak']) {
    const value = given.searchParams.get(name)
    if (value !== null && TOKEN.test(value)) url.searchParams.set(name, value)
  }
  // The number is the meeting on every host but those of the government's cloud, which has separate numbers.
  const cloud = /zoomgov\.com$/.test(url.hostname) ? 'zoomgov.com/' : ''
  return { platform: 'zoom', url: url.href, meetingId, key: `zoom:${cloud}${meetingId.toLowerCase()}` }
}
