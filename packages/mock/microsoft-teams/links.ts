/** The platform's links: how a meeting is named in an address, and the chain of addresses that leads to its page. */
import { createHash, randomInt, randomUUID } from 'node:crypto'

export type LinkForm = 'short' | 'classic'

/** The meeting that an address names. */
export interface NamedMeeting {
  form: LinkForm
  code: string
  /** Absent if the link brought none; classic links have none at all. */
  passcode?: string
}

/** All that the links of one meeting are made of. */
export interface MeetingIds {
  host: string
  /** 13 digits. */
  code: string
  passcode: string
  tenant: string
  organizer: string
}

const PASSCODE_LETTERS = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const THREAD = /^19:meeting_([A-Za-z0-9_-]+)@thread\.v2$/

export function randomCode(): string {
  return `2${Array.from({ length: 12 }, () => randomInt(10)).join('')}`
}

export function newIds(host: string, code: string): MeetingIds {
  const passcode = Array.from({ length: 12 }, () => PASSCODE_LETTERS[randomInt(PASSCODE_LETTERS.length)]).join('')
  return { host, code, passcode, tenant: uuidOf(`tenant ${code}`), organizer: uuidOf(`organizer ${code}`) }
}

/** The same text gives the same id. */
export function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}

/** The meeting's link as people pass it on. */
export function invitationOf(ids: MeetingIds, form: LinkForm): string {
  return `https://${ids.host}${pathOf(ids, form)}`
}

/** Path and query of the meeting's link. */
function pathOf(ids: MeetingIds, form: LinkForm): string {
  if (form === 'short') return `/meet/${ids.code}?p=${ids.passcode}`
  const context = JSON.stringify({ Tid: ids.tenant, Oid: ids.organizer })
  return `/l/meetup-join/${encodeURIComponent(threadOf(ids.code))}/0?context=${encodeURIComponent(context)}`
}

function threadOf(code: string): string {
  return `19:meeting_${Buffer.from(code).toString('base64url')}@thread.v2`
}

/** Which meeting a path of either form names; null for all others. */
export function readPath(pathAndQuery: string): NamedMeeting | null {
  const url = new URL(pathAndQuery, 'https://teams.invalid')
  const short = /^\/meet\/(\d{9,20})$/.exec(url.pathname)
  if (short) return { form: 'short', code: short[1] ?? '', passcode: url.searchParams.get('p') ?? undefined }
  const classic = /^\/l\/meetup-join\/([^/]+)\/([^/]+)$/.exec(url.pathname)
  if (!classic) return null
  const thread = THREAD.exec(decoded(classic[1] ?? ''))
  return thread ? { form: 'classic', code: Buffer.from(thread[1] ?? '', 'base64url').toString() } : null
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

/** The page that asks whether to use the app; `target` is the path of the meeting. */
export function launcherPath(target: string): string {
  const type = target.startsWith('/meet/') ? 'meet' : 'meetup-join'
  const query = new URLSearchParams({
    url: `/_#${target}`,
    type,
    directDl: 'true',
    msLaunch: 'true',
    enableMobilePage: 'true',
  })
  return `/dl/launcher/launcher.html?${query}`
}

/** The meeting's path that a launcher's address carries. */
export function launcherTarget(url: URL): string | null {
  const target = url.searchParams.get('url') ?? ''
  return target.startsWith('/_#/') ? target.slice(3) : null
}

/** The light client's own address; what was wrong with the link is found out only after joining. */
export function lightPath(named: NamedMeeting, ids: MeetingIds): string {
  const coords =
    named.form === 'short'
      ? { meetingUrl: `https://${ids.host}/meet/${named.code}`, meetingCode: named.code, passcode: named.passcode }
      : { conversationId: threadOf(named.code), tenantId: ids.tenant, messageId: '0', organizerId: ids.organizer }
  const query = new URLSearchParams({
    agent: 'web',
    anon: 'true',
    launchAgent: 'join_launcher_web',
    lightExperience: 'true',
    correlationId: randomUUID(),
    coords: Buffer.from(JSON.stringify(coords)).toString('base64'),
    deeplinkId: randomUUID(),
  })
  return `/light-meetings/launch?${query}`
}

/** Reads the meeting out of `coords`; null if they are missing or incomplete. */
export function readCoords(url: URL): NamedMeeting | null {
  const text = url.searchParams.get('coords')
  if (!text) return null
  try {
    const coords = JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>
    if (typeof coords.meetingCode === 'string') {
      const { passcode } = coords
      return { form: 'short', code: coords.meetingCode, passcode: typeof passcode === 'string' ? passcode : undefined }
    }
    const thread = THREAD.exec(String(coords.conversationId))
    return thread ? { form: 'classic', code: Buffer.from(thread[1] ?? '', 'base64url').toString() } : null
  } catch {
    return null
  }
}
