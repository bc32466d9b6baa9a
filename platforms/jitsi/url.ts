/** Recognizes a Jitsi Meet link in what people paste: of the public services and of the servers that the operator lists. Pure. */
import type { MeetingTarget } from '../../core/meeting/meeting.ts'
import { START_OF_HOST, trimEndOf } from '../shared/link-text.ts'

export type Recognized = MeetingTarget | { problem: string }

/** Public services; 8x8.vc always has a tenant before the room. */
const PUBLIC_HOSTS = ['meet.jit.si', '8x8.vc'] as const
const TENANT_HOSTS: ReadonlySet<string> = new Set(['8x8.vc'])
/** Brackets and punctuation that belong to the sentence around a link. */
const TRAILING = '.,;:!?)]*'
/** Names of the server's own files and channels; never a room. */
const RESERVED =
  /^(?:static|libs|images|sounds|fonts|css|lang|connection_optimization|http-bind|xmpp-websocket|colibri-ws|[\w-]+\.(?:js|html?|json|css|ico|txt|xml))$/i
/** The page refuses room names with these (docs/platform-notes/jitsi.md#links). */
const FORBIDDEN = /[?&:'"%#]/
const MOST_PARTS = 4
const MAX_ROOM_LENGTH = 200

/**
 * Null when the text holds no link to a known host; otherwise the target, or one sentence on why it can never be one.
 * `hosts`: further servers as `host` or `host:port`.
 */
export function recognizeJitsi(text: string, hosts: readonly string[] = []): Recognized | null {
  const known = [...new Set([...PUBLIC_HOSTS, ...hosts.map((host) => host.trim().toLowerCase())])].filter(Boolean)
  const links = linksIn(text, known)
  if (links.length === 0) return null
  const recognized = links.map(targetOf)
  const targets = recognized.filter((item) => 'url' in item)
  const different = new Map(targets.map((target) => [target.meetingId.toLowerCase(), target]))
  if (different.size > 1)
    return { problem: `The text holds ${different.size} different Jitsi links; give one of them.` }
  return targets[0] ?? recognized[0] ?? null
}

function linksIn(text: string, hosts: readonly string[]): URL[] {
  const anyHost = hosts.map((host) => host.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')
  const link = new RegExp(
    `(?:https?:\\/\\/|${START_OF_HOST})(?:${anyHost})(?![\\w-]|\\.\\w)(?::\\d+)?(?:[/?#][^\\s"'<>«»„“”‘’\`|\\\\^{}]*)?`,
    'gi',
  )
  return [...text.matchAll(link)].flatMap(([found]) => {
    const bare = trimEndOf(found, TRAILING).replace(/^https?:\/\//i, '')
    // A browser gives an insecure page neither camera nor microphone, so plain http is never opened.
    const full = `https://${bare}`
    if (!URL.canParse(full)) return []
    const url = new URL(full)
    return hosts.includes(url.host) ? [url] : []
  })
}

function targetOf(url: URL): Recognized {
  const parts = url.pathname.split('/').filter((part) => part !== '')
  if (parts.length === 0) return { problem: `The link leads to the home page of ${url.host}; it names no room.` }
  if (parts.length > MOST_PARTS || RESERVED.test(parts[0]!))
    return { problem: `The link leads to a page of ${url.host} that is no meeting room.` }
  if (TENANT_HOSTS.has(url.host) && parts.length < 2)
    return { problem: `A link of ${url.host} needs a tenant and a room, such as https://${url.host}/team/weekly.` }
  const names = parts.map(decoded)
  if (
    names.some((name) => name === null || name.trim() === '' || FORBIDDEN.test(name) || name.length > MAX_ROOM_LENGTH)
  )
    return { problem: 'The room name of the Jitsi link holds characters that it cannot have.' }
  const path = names.map((name) => encodeURIComponent(name!)).join('/')
  const hash = new URLSearchParams(url.hash.slice(1))
  const token = unquoted(hash.get('jwt')) ?? url.searchParams.get('jwt')
  const password = hash.get('pwd') ?? url.searchParams.get('pwd')
  const query = token ? `?jwt=${encodeURIComponent(token)}` : ''
  return {
    platform: 'jitsi',
    // The rest of a link is configuration, and the sender of the link does not configure the bot.
    url: `https://${url.host}/${path}${query}`,
    meetingId: `${url.host}/${path}`,
    ...(password ? { passcode: password } : {}),
  }
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

/** Values of the fragment are JSON. */
function unquoted(value: string | null): string | null {
  return value?.replace(/^"(.*)"$/, '$1') ?? null
}
