/** Decides the page state from one snapshot: a pure function of its signs, in the order of their precedence. */
import type { PagePhase, PageState } from '../shared/page-state.ts'
import { matches } from '../shared/words.ts'
import { kindOf } from './dialogs.ts'
import type { DialogSnapshot, PageSnapshot } from './page/types.ts'
import { type DialogText, type PageStateText, WORDS } from './words.ts'

export const PAGE_PHASES = {
  /** Another site: an identity provider, or the page to which the server sends people afterwards. */
  off_site: 'out',
  login_wall: 'out',
  removed: 'out',
  ended_for_all: 'out',
  time_limit: 'out',
  lobby_closed: 'out',
  /** The last dialog of a conference, with unknown words. */
  unknown_end: 'out',
  left: 'out',
  landing: 'out',
  denied: 'out',
  full: 'out',
  not_allowed: 'out',
  maintenance: 'out',
  reservation: 'out',
  too_quick: 'out',
  not_connected: 'obstacle',
  waiting_for_host: 'waiting',
  lobby: 'waiting',
  password: 'entrance',
  lobby_entrance: 'entrance',
  prejoin: 'entrance',
  deep_link: 'entrance',
  consent: 'disturbed',
  /** The page will reload itself in a moment, or only the media connection is lost. */
  reconnecting: 'reconnecting',
  /** The browser's own page for an address that it could not load. */
  unreachable: 'reconnecting',
  in_call: 'in_call',
  /** The meeting's own frame without any people in it: the page is not in yet. */
  connecting: 'unclear',
  loading: 'unclear',
  unknown: 'unclear',
} as const satisfies Record<string, PagePhase>

export type PageStateKind = keyof typeof PAGE_PHASES

/** The page's own name of a refusal, with or without an account; a notification says which. */
export const NOT_ALLOWED = 'conference.connectionError.notAllowed'

/**
 * Meaning of a notification, by the key of its text (docs/platform-notes/jitsi.md#denial-and-closing-of-the-lobby,
 * #accounts-and-tokens and #refusals).
 */
const NOTICES: Readonly<Record<string, PageStateKind>> = {
  'lobby.joinRejectedTitle': 'denied',
  'lobby.joinRejectedMessage': 'denied',
  'dialog.maxUsersLimitReachedTitle': 'full',
  'dialog.maxUsersLimitReached': 'full',
  'dialog.unauthenticatedAccessDisabled': 'login_wall',
  'dialog.tokenAuthFailedTitle': 'not_allowed',
  'dialog.tokenAuthFailed': 'not_allowed',
  'dialog.errorRoomCreationRestriction': 'too_quick',
  'dialog.serviceUnavailable': 'maintenance',
  'dialog.gracefulShutdown': 'maintenance',
  'dialog.reservationError': 'reservation',
  'connection.CONNFAIL': 'not_connected',
  'dialog.connectError': 'not_connected',
  'dialog.connectErrorWithMsg': 'not_connected',
  'notify.connectionFailed': 'not_connected',
}

/**
 * The same by the page's own names of failures (docs/platform-notes/jitsi.md#conference), which do not need a
 * notification.
 */
const FAILURES: Readonly<Record<string, PageStateKind>> = {
  'conference.connectionError.accessDenied': 'denied',
  'conference.max_users': 'full',
  [NOT_ALLOWED]: 'not_allowed',
  'conference.gracefulShutdown': 'maintenance',
  'conference.reservationError': 'reservation',
  'connection.passwordRequired': 'login_wall',
}

const ENDS = ['removed', 'lobby_closed', 'time_limit', 'ended_for_all'] as const satisfies readonly PageStateText[]
/** Pages to which the page goes by itself when a visit is over (docs/platform-notes/jitsi.md#pages-after-the-end). */
const CLOSE_PAGE = /\/close\d*\.html$/
const REFUSED_PAGE = /\/authError\.html$/

/** `meetingHost` is the host of the meeting's link. */
export function stateOf(snapshot: PageSnapshot, meetingHost: string): PageState<PageStateKind> {
  const proofs = proofsOf(snapshot)
  const found = (kind: PageStateKind, text: string): PageState<PageStateKind> => ({ kind, text, proofs })
  const { state } = snapshot
  const isJoined = state?.isJoined ?? false

  const location = locationOf(snapshot, meetingHost)
  if (location) return found(location.kind, location.text)
  if (snapshot.leaveReason !== null) {
    const text = snapshot.leaveReason
    return found(ENDS.find((end) => matches(WORDS.states[end], text)) ?? 'unknown_end', text)
  }
  const overlay = snapshot.overlay
  if (overlay) return found('reconnecting', overlay.text)
  if (!isJoined) {
    const refusal = refusalIn(snapshot)
    if (refusal) return found(refusal.kind, refusal.text)
  }
  if (snapshot.loginBox || dialogOf(snapshot, 'login')) return found('login_wall', 'a dialog that asks for an account')
  const host = dialogOf(snapshot, 'waiting_for_host')
  if (!isJoined && (host || state?.waitsForModerator))
    return found('waiting_for_host', host?.text ?? 'no moderator is there')
  if (snapshot.passwordBox && !isJoined) return found('password', 'the room is locked')
  if (snapshot.isKnocking) return found('lobby', snapshot.headings[0] ?? 'the lobby')
  if (snapshot.screen === 'lobby') return found('lobby_entrance', snapshot.join?.label ?? 'the lobby')
  if (snapshot.screen === 'prejoin') return found('prejoin', snapshot.join?.label ?? 'the page in front of the meeting')
  const hostLine = [...snapshot.headings, ...snapshot.lines].find((line) =>
    matches(WORDS.dialogs.waiting_for_host, line),
  )
  if (hostLine !== undefined && proofs.length === 0) return found('waiting_for_host', hostLine)
  if (proofs.length > 0) {
    const consent = snapshot.dialogs.find((dialog) => kindOf(dialog) === 'consent')
    if (consent) return found('consent', consent.text)
    if (snapshot.isMediaLost) return found('reconnecting', 'the connection for sound and picture is lost')
    return found('in_call', proofs.join(', '))
  }
  if (state?.wasJoined) return found('left', 'the conference is over')
  const link = snapshot.lines.find((line) => matches(WORDS.states.deep_link, line))
  if (snapshot.launchWeb) return found('deep_link', link ?? 'a page that offers an app')
  if (snapshot.toolbox || snapshot.leaveControl) return found('connecting', "the meeting's page without the meeting")
  if (snapshot.lines.length === 0) return found('loading', 'an empty page')
  return found('unknown', snapshot.headings[0] ?? snapshot.lines[0] ?? '')
}

/** Two independent signs agree: the page's state of the conference, and the tiles of others. */
export function isCorroborated({ proofs }: PageState<PageStateKind>): boolean {
  return proofs.length > 1
}

/** The open dialog of this kind, if there is one. */
function dialogOf(snapshot: PageSnapshot, kind: DialogText): DialogSnapshot | null {
  return snapshot.dialogs.find(({ text }) => matches(WORDS.dialogs[kind], text)) ?? null
}

/** Where the tab is, when it is not in the meeting's room. */
function locationOf(snapshot: PageSnapshot, meetingHost: string): { kind: PageStateKind; text: string } | null {
  if (!URL.canParse(snapshot.url)) return { kind: 'loading', text: 'an empty page' }
  const { protocol, host, pathname } = new URL(snapshot.url)
  if (protocol === 'chrome-error:') return { kind: 'unreachable', text: 'the page could not be loaded' }
  if (!/^https?:$/.test(protocol)) return { kind: 'loading', text: snapshot.url }
  if (host !== meetingHost) return { kind: 'off_site', text: host || snapshot.url }
  if (REFUSED_PAGE.test(pathname)) return { kind: 'not_allowed', text: pathname }
  if (CLOSE_PAGE.test(pathname)) return { kind: 'left', text: pathname }
  return pathname === '/' ? { kind: 'landing', text: `${host}/` } : null
}

function refusalIn({ notices, state }: PageSnapshot): { kind: PageStateKind; text: string } | null {
  const said = notices.flatMap(({ name, text }) => {
    const kind = NOTICES[name]
    return kind ? [{ kind, text }] : []
  })
  // The title may be that of a wrong token while the description has the reason.
  const notice = said.find(({ kind }) => kind !== 'not_allowed') ?? said[0]
  if (notice) return notice
  const kind = state?.failure ? FAILURES[state.failure] : undefined
  return kind ? { kind, text: state!.failure! } : null
}

/** Tiles of others count where the page's own state does not say that the bot is outside. */
function proofsOf({ state, remoteTiles }: PageSnapshot): string[] {
  if (state && !state.isJoined) return []
  return [...(state ? ['state'] : []), ...(remoteTiles > 0 ? ['tile'] : [])]
}
