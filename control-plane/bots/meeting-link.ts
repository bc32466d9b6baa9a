/** Detects the platform of a meeting link by its host. The bot finds out whether the link leads to a meeting. Pure. */

export const MEETING_PLATFORMS = ['meet', 'teams', 'zoom', 'jitsi'] as const
export type MeetingPlatform = (typeof MEETING_PLATFORMS)[number]

export interface MeetingLink {
  /** A whole address. */
  url: string
  platform: MeetingPlatform
  /** Equal for links to one meeting that are written in different ways: what the search for duplicates compares. */
  key: string
}

/** Longer texts are no links; as in the job of the worker. */
export const MAX_MEETING_URL_LENGTH = 2048

const HOSTS: Readonly<Record<MeetingPlatform, RegExp>> = {
  meet: /^(?:www\.)?meet\.google\.com$/,
  teams: /(?:^|[.-])teams\.(?:microsoft\.com|live\.com|cloud\.microsoft|microsoft\.us)$/,
  zoom: /^(?:[a-z0-9-]+\.)*zoom(?:gov)?\.(?:us|com)$/,
  jitsi: /^(?:meet\.jit\.si|8x8\.vc)$/,
}

/**
 * Null where the text is no link to a supported platform. A missing scheme is completed. `jitsiHosts` are the operator's
 * own servers.
 */
export function readMeetingLink(text: string, jitsiHosts: readonly string[] = []): MeetingLink | null {
  const trimmed = text.trim()
  if (trimmed === '' || /\s/.test(trimmed)) return null
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`
  if (written.length > MAX_MEETING_URL_LENGTH || !URL.canParse(written)) return null
  const url = new URL(written)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return null
  const platform = platformOf(url, jitsiHosts)
  return platform === null ? null : { url: written, platform, key: keyOf(platform, url) }
}

function platformOf(url: URL, jitsiHosts: readonly string[]): MeetingPlatform | null {
  const known = MEETING_PLATFORMS.find((platform) => HOSTS[platform].test(url.hostname))
  if (known !== undefined) return known
  const isOwn = jitsiHosts.some((host) => [url.host, url.hostname].includes(host.toLowerCase()))
  return isOwn ? 'jitsi' : null
}

/** Host in lower case, no fragment, no slash at the end, with the query. */
function keyOf(platform: MeetingPlatform, url: URL): string {
  const path = url.pathname.replace(/\/+$/, '')
  // The web client of Teams keeps the meeting in a route behind the number sign.
  const route = url.hash.startsWith('#/') ? url.hash : ''
  return `${platform}:${url.host}${path}${url.search}${route}`
}
