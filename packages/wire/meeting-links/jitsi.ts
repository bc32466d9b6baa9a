/** Reads a Jitsi Meet link: of the public services and of the servers that the operator lists. Pure. */
import type { MeetingOfLink, Refused } from './types.ts'

/** Public services; 8x8.vc always has a tenant before the room. */
const PUBLIC_HOSTS = ['meet.jit.si', '8x8.vc'] as const
const TENANT_HOSTS: ReadonlySet<string> = new Set(['8x8.vc'])
/** Names of the server's own files and channels; never a room. */
const RESERVED =
  /^(?:static|libs|images|sounds|fonts|css|lang|connection_optimization|http-bind|xmpp-websocket|colibri-ws|[\w-]+\.(?:js|html?|json|css|ico|txt|xml))$/i
/** The page refuses room names with these (docs/platform-notes/jitsi.md#links). */
const FORBIDDEN = /[?&:'"%#]/
const MAX_PARTS = 4
const MAX_ROOM_LENGTH = 200

/** `hosts`: further servers as `host` or `host:port`. */
export function isJitsiHost(url: URL, hosts: readonly string[]): boolean {
  return [...PUBLIC_HOSTS, ...hosts.map((host) => host.trim().toLowerCase())].includes(url.host)
}

export function readJitsi(url: URL): MeetingOfLink | Refused {
  const parts = url.pathname.split('/').filter((part) => part !== '')
  if (parts.length === 0) return { problem: `The link leads to the home page of ${url.host}; it names no room.` }
  if (parts.length > MAX_PARTS || RESERVED.test(parts[0]!))
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
    // The servers ignore the case of a room's name.
    key: `jitsi:${url.host}/${encodeURI(names.join('/').normalize('NFC').toLowerCase())}`,
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
