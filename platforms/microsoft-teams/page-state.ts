/** Decides the page state from one snapshot: a pure function of its signs, in the order of their precedence. */
import type { PagePhase, PageState } from '../shared/page-state.ts'
import { matches, plain } from '../shared/words.ts'
import type { PageSnapshot } from './page/types.ts'
import { type PageStateText, WORDS } from './words.ts'

export const PAGE_PHASES = {
  off_site: 'unclear',
  /** The server has no such page. */
  no_page: 'unclear',
  server_error: 'unclear',
  sign_in_page: 'obstacle',
  sign_in_wall: 'out',
  organization_policy: 'out',
  bots_blocked: 'out',
  locked: 'out',
  full: 'out',
  not_started: 'out',
  not_found: 'out',
  bad_link: 'out',
  unsupported_browser: 'out',
  captcha: 'obstacle',
  captcha_failed: 'out',
  could_not_connect: 'out',
  denied: 'out',
  no_response: 'out',
  removed: 'out',
  encryption_error: 'out',
  ended_for_all: 'out',
  left: 'out',
  /** The page of an ended visit, with unknown words. */
  unknown_end: 'out',
  launcher: 'entrance',
  permission_gate: 'entrance',
  pre_join: 'entrance',
  connecting: 'unclear',
  lobby: 'waiting',
  /** The waiting room of a meeting that no host has started. */
  waiting_for_host: 'waiting',
  /** The waiting room dropped the request without a message: its button to join works again. */
  lobby_dropped: 'waiting',
  in_call: 'in_call',
  reconnecting: 'reconnecting',
  /** The button to leave without any other sign. */
  undecided: 'undecided',
  loading: 'unclear',
  unknown: 'unclear',
} as const satisfies Record<string, PagePhase>

export type PageStateKind = keyof typeof PAGE_PHASES

/** Sub-domains count as well; government clouds are sub-domains of the last one. */
export const TEAMS_HOSTS: readonly string[] = [
  'teams.microsoft.com',
  'teams.live.com',
  'teams.cloud.microsoft',
  'teams.microsoft.us',
]
const SIGN_IN_HOSTS: readonly string[] = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.partner.microsoftonline.cn',
  'login.microsoftonline.de',
  'login.microsoft.com',
  'login.live.com',
  'login.windows.net',
]

/** Words that decide an attempt on any page; if a page has several, the first in this order counts. */
const FINAL_TEXTS = [
  'bots_blocked',
  'removed',
  'denied',
  'no_response',
  'not_found',
  'bad_link',
  'captcha_failed',
  'not_started',
  'locked',
  'full',
  'organization_policy',
  'sign_in_wall',
  'could_not_connect',
  'encryption_error',
  'ended_for_all',
  'left',
  'unsupported_browser',
] as const satisfies readonly (PageStateText & PageStateKind)[]

/** docs/platform-notes/microsoft-teams.md#end-messages. */
const DENIED_CODE = 5854
const NO_ANONYMOUS_CODE = 5723
const REMOVED_CODES: readonly number[] = [5000, 5300]

export function stateOf(snapshot: PageSnapshot): PageState<PageStateKind> {
  const proofs = snapshot.callMarks
  const found = (kind: PageStateKind, text: string): PageState<PageStateKind> => ({ kind, text, proofs })

  const location = locationOf(snapshot)
  if (location) return found(location.kind, location.text)
  const failed = failureOfServer(snapshot)
  if (failed) return found(failed, `HTTP ${snapshot.httpStatus}`)
  const final = finalOf(snapshot)
  if (final) return found(final.kind, final.text)
  if (snapshot.captcha) return found('captcha', 'a captcha')
  if (snapshot.signInForm) return found('sign_in_page', 'a sign-in form')
  const { kind: waiting, text: lobby } = waitingOf(snapshot)
  // The request was dropped: the words are gone and the button works, while the screen is the same.
  if (snapshot.lobby && lobby === null && snapshot.join?.isEnabled) return found('lobby_dropped', snapshot.join.label)
  if (snapshot.lobby || isHeld(snapshot) || (lobby !== null && !snapshot.join?.isEnabled && !snapshot.leaveControl))
    return found(waiting, lobby ?? 'the waiting room without words')
  if (snapshot.connecting) return found('connecting', 'Connecting')
  if (snapshot.join !== null || snapshot.nameBox !== null)
    return found('pre_join', snapshot.join?.label ?? 'the name box')
  // Whatever the page says, a call that is seen and heard is connected.
  const isHeard = snapshot.leaveControl && snapshot.receivesSound === true && proofs.includes('tiles')
  // The toolbar may be missing while the network is.
  const reconnecting = isHeard ? null : lineOf(snapshot, 'reconnecting')
  if (reconnecting !== null) return found('reconnecting', reconnecting)
  if (snapshot.leaveControl)
    return proofs.length > 0 ? found('in_call', proofs.join(', ')) : found('undecided', 'the button to leave')
  const gate = lineOf(snapshot, 'permission_gate')
  if (gate !== null) return found('permission_gate', gate)
  if (snapshot.launcher) return found('launcher', snapshot.headings[0] ?? 'the launcher')
  if (snapshot.splash) return found('loading', 'the splash screen')
  if (snapshot.isBlank) return found('loading', 'an empty page')
  return found('unknown', snapshot.headings[0] ?? snapshot.lines[0] ?? 'nothing that can be read')
}

/** The waiting room by its words, if it has known ones. */
function waitingOf(snapshot: PageSnapshot): { kind: 'lobby' | 'waiting_for_host'; text: string | null } {
  const host = lineOf(snapshot, 'waiting_for_host')
  return host === null ? { kind: 'lobby', text: lineOf(snapshot, 'lobby') } : { kind: 'waiting_for_host', text: host }
}

/** The button to join is disabled behind the page before the join. */
export function isHeld({ join, preJoin }: Pick<PageSnapshot, 'join' | 'preJoin'>): boolean {
  return join !== null && !join.isEnabled && !preJoin
}

/** The end that the meeting's signalling reports; null if it reports no certain one. */
export function noticeKind({ endNotice }: Pick<PageSnapshot, 'endNotice'>): PageStateKind | null {
  if (endNotice === null) return null
  if (endNotice.subCode === DENIED_CODE) return 'denied'
  if (endNotice.subCode === NO_ANONYMOUS_CODE) return 'organization_policy'
  if (REMOVED_CODES.includes(endNotice.subCode) && endNotice.isByOther) return 'removed'
  return 'ended_for_all'
}

/** Where the tab is, when it is not on a page of Microsoft Teams. */
function locationOf(snapshot: PageSnapshot): { kind: PageStateKind; text: string } | null {
  const host = URL.canParse(snapshot.url) ? new URL(snapshot.url).hostname : ''
  if (isWithin(host, SIGN_IN_HOSTS)) return { kind: 'sign_in_page', text: host }
  if (isWithin(host, TEAMS_HOSTS)) return null
  return { kind: 'off_site', text: host || snapshot.url }
}

/** 408 and 429 mean to try again later; the others mean that there is no such page. */
function failureOfServer({ httpStatus }: PageSnapshot): PageStateKind | null {
  if (httpStatus === null || httpStatus < 400) return null
  return httpStatus >= 500 || httpStatus === 408 || httpStatus === 429 ? 'server_error' : 'no_page'
}

function isWithin(host: string, hosts: readonly string[]): boolean {
  return hosts.some((known) => host === known || host.endsWith(`.${known}`))
}

/**
 * The screens that end an attempt or a call; words alone count only outside of a call and of the page before the join.
 */
function finalOf(snapshot: PageSnapshot): { kind: PageStateKind; text: string } | null {
  if (snapshot.leaveControl) return null
  if (snapshot.encryptionEnd) return { kind: 'encryption_error', text: textOf(snapshot, 'encryption_error') }
  const { retry } = snapshot
  if (retry) {
    const text = plain(retry.texts.join(' ')).slice(0, 300)
    const kind = kindOf(retry.texts)
    if (kind) return { kind, text }
    if (retry.asksForCode) return { kind: 'not_found', text }
    return { kind: noticeKind(snapshot) ?? 'unknown_end', text }
  }
  if (snapshot.endScreen !== null)
    return { kind: kindOf([snapshot.endScreen, ...snapshot.lines]) ?? 'ended_for_all', text: snapshot.endScreen }
  const said = [...snapshot.lines, ...snapshot.dialogs.map(({ text }) => text)]
  const kind = snapshot.join === null && !snapshot.lobby ? kindOf(said) : wallOf(said)
  return kind && { kind, text: textIn(said, kind) ?? kind }
}

function kindOf(texts: readonly string[]): PageStateKind | null {
  return FINAL_TEXTS.find((kind) => textIn(texts, kind) !== null) ?? null
}

/** A wall may be a dialog over the page that it blocks. */
function wallOf(texts: readonly string[]): PageStateKind | null {
  const walls = ['not_started', 'organization_policy', 'sign_in_wall'] as const
  return walls.find((kind) => textIn(texts, kind) !== null) ?? null
}

function textIn(texts: readonly string[], kind: PageStateKind): string | null {
  const expressions = WORDS.states[kind as PageStateText]
  const found = texts.find((text) => expressions !== undefined && matches(expressions, text))
  return found === undefined ? null : plain(found).slice(0, 300)
}

function textOf(snapshot: PageSnapshot, kind: PageStateText): string {
  return lineOf(snapshot, kind) ?? snapshot.headings[0] ?? snapshot.lines[0] ?? ''
}

function lineOf(snapshot: PageSnapshot, kind: PageStateText): string | null {
  const said = [...snapshot.lines, ...snapshot.headings, ...snapshot.dialogs.map(({ text }) => text)]
  const line = said.find((text) => matches(WORDS.states[kind], text))
  return line === undefined ? null : plain(line)
}
