/** Decides the page state from one snapshot: a pure function of its signs, in the order of their precedence. */
import type { DialogSnapshot } from '../shared/page/types.ts'
import type { PagePhase, PageState as SharedPageState } from '../shared/page-state.ts'
import { matches, plain } from '../shared/words.ts'
import { kindOf } from './dialogs.ts'
import type { PageSnapshot } from './page/types.ts'
import { type PageStateText, WORDS } from './words.ts'

export interface PageState extends SharedPageState<PageStateKind> {
  proofs: Proof[]
}

type Proof = 'tile' | 'captions' | 'people' | 'roster'

export const PAGE_PHASES = {
  off_site: 'out',
  login_wall: 'out',
  credentials_lost: 'out',
  removed: 'out',
  /** Sent out by a meeting with a watermark. */
  unverified: 'out',
  full: 'out',
  everyone_left: 'out',
  ended_for_all: 'out',
  denied: 'out',
  request_timed_out: 'out',
  left: 'out',
  invalid_code: 'out',
  expired_code: 'out',
  landing: 'out',
  marketing: 'out',
  call_error: 'obstacle',
  blocked: 'out',
  captcha: 'obstacle',
  waiting_for_host: 'waiting',
  lobby: 'waiting',
  consent: 'disturbed',
  reconnecting: 'reconnecting',
  in_call: 'in_call',
  green_room: 'entrance',
  device_prompt: 'obstacle',
  loading: 'unclear',
  /** The page of an ended visit, with unknown words. */
  unknown_end: 'out',
  /** The call's toolbar without any other sign: the waiting room or the meeting, not decided yet. */
  undecided: 'undecided',
  unknown: 'unclear',
} as const satisfies Record<string, PagePhase>

export type PageStateKind = keyof typeof PAGE_PHASES

/** The roster is independent of the tiles. */
export function isCorroborated({ proofs }: SharedPageState<PageStateKind>): boolean {
  return proofs.includes('roster') && proofs.length > 1
}

const MEETING_HOSTS = new Set(['meet.google.com'])
const OWN_STATUS_IN = 1

/** Ends come first, because text of the waiting room stays in the page behind a denial. */
const FINAL_TEXTS = [
  'unverified',
  'removed',
  'everyone_left',
  'ended_for_all',
  'denied',
  'request_timed_out',
  'left',
] as const
const DEAD_LINK_TEXTS = ['full', 'invalid_code', 'expired_code', 'credentials_lost', 'landing', 'marketing'] as const

export function stateOf(snapshot: PageSnapshot): PageState {
  const proofs = proofsOf(snapshot)
  const found = (kind: PageStateKind, text: string): PageState => ({ kind, text, proofs })

  const location = locationOf(snapshot)
  if (location) return found(location.kind, location.text)
  for (const kind of FINAL_TEXTS) {
    const text = finalText(snapshot, kind)
    if (text !== null) return found(kind, text)
  }
  // Google Meet offers to ask again only after it turned a request to join down.
  if (snapshot.askAgain && !snapshot.leaveControl && snapshot.tiles === 0) return found('denied', 'Ask to join again')
  for (const kind of DEAD_LINK_TEXTS) {
    const text = lineOf(snapshot, kind)
    if (text !== null && snapshot.tiles === 0) return found(kind, text)
  }
  const blocked = lineOf(snapshot, 'blocked')
  if (blocked !== null && snapshot.tiles === 0) return found('blocked', blocked)
  const callError = lineOf(snapshot, 'call_error') ?? dialogSaying(snapshot, WORDS.states.call_error)?.text ?? null
  if (callError !== null && proofs.length === 0) return found('call_error', callError)
  if (snapshot.captcha) return found('captcha', 'a visible captcha')
  const waiting = waitingOf(snapshot)
  if (waiting) return found(waiting.kind, waiting.text)
  const consent = snapshot.dialogs.find((dialog) => kindOf(dialog) === 'consent')
  if (consent) return found('consent', consent.text)
  const isHeard = snapshot.tiles > 0 && snapshot.receivesSound === true
  const reconnecting = isHeard ? null : lineOf(snapshot, 'reconnecting')
  if (reconnecting !== null && (snapshot.leaveControl || snapshot.tiles > 0)) return found('reconnecting', reconnecting)
  if (proofs.length > 0) return found('in_call', proofs.join(', '))
  const prompt = dialogSaying(snapshot, WORDS.dialogs.device_prompt)
  if (prompt) return found('device_prompt', prompt.text)
  if (snapshot.nameBox !== null || snapshot.join !== null || snapshot.switchHere)
    return found('green_room', snapshot.join?.label ?? 'the name box')
  const loading = lineOf(snapshot, 'loading')
  if (loading !== null) return found('loading', loading)
  if (snapshot.callEnded || (looksFinal(snapshot) && !snapshot.leaveControl))
    return found('unknown_end', snapshot.headings[0] ?? snapshot.lines[0] ?? '')
  if (snapshot.leaveControl) return found('undecided', 'the call toolbar')
  return found('unknown', snapshot.headings[0] ?? snapshot.lines[0] ?? 'an empty page')
}

/** Google Meet's waiting rooms have the toolbar of the call, and may have the bot's own tile. */
function waitingOf(snapshot: PageSnapshot): { kind: PageStateKind; text: string } | null {
  const { tiles, ownTiles = 0, captionsControl, peopleCount, shareScreen } = snapshot
  const hasCallControls = captionsControl || peopleCount !== null
  const isAlone = tiles === ownTiles && !hasCallControls && !shareScreen
  // A green room may speak of the host and of being let in too; then there is a button to join.
  const isGreenRoom = snapshot.join !== null && !snapshot.leaveControl
  if (isGreenRoom || (tiles > 0 && !isAlone)) return null
  for (const kind of ['waiting_for_host', 'lobby'] as const) {
    const dialog = hasCallControls ? null : dialogSaying(snapshot, WORDS.states[kind])
    const text = lineOf(snapshot, kind) ?? dialog?.text ?? null
    if (text !== null) return { kind, text }
  }
  return null
}

function dialogSaying(snapshot: PageSnapshot, expressions: readonly RegExp[]): DialogSnapshot | null {
  return snapshot.dialogs.find(({ text }) => matches(expressions, text)) ?? null
}

/** Where the tab is, when it is not on a meeting's page. */
function locationOf(snapshot: PageSnapshot): { kind: PageStateKind; text: string } | null {
  const url = URL.canParse(snapshot.url) ? new URL(snapshot.url) : null
  const host = url?.hostname ?? ''
  if (host === 'accounts.google.com' || host === 'myaccount.google.com') return { kind: 'login_wall', text: host }
  const saysSignIn = snapshot.headings.some((heading) => matches(WORDS.signIn.heading, heading))
  if (saysSignIn && snapshot.lines.some((line) => matches(WORDS.signIn.body, line)) && snapshot.nameBox === null)
    return { kind: 'login_wall', text: 'a sign-in page' }
  if (MEETING_HOSTS.has(host)) {
    const isHome = url !== null && /^\/(?:landing|about)?\/?$/.test(url.pathname)
    return isHome ? { kind: 'landing', text: `${host}${url.pathname}` } : null
  }
  if (host === 'workspace.google.com') return { kind: 'marketing', text: `${host}${url?.pathname ?? ''}` }
  return { kind: 'off_site', text: host || snapshot.url }
}

/** An end counts where the page looks like one: no tiles, and a heading or the buttons of a last page. */
function finalText(snapshot: PageSnapshot, kind: (typeof FINAL_TEXTS)[number]): string | null {
  const { tiles, join, microphone, camera } = snapshot
  if (tiles > 0) return null
  if (looksFinal(snapshot)) return lineOf(snapshot, kind)
  // The heading of a green room may be the meeting's name.
  if (join !== null && (microphone !== 'absent' || camera !== 'absent')) return null
  return snapshot.headings.find((heading) => matches(WORDS.states[kind], heading)) ?? null
}

/** A mark or a button of the pages that end a visit; the waiting room has the button home too, beside its toolbar. */
function looksFinal({ callEnded, returnHome, rejoin, askAgain, countdown }: PageSnapshot): boolean {
  return callEnded || returnHome || rejoin || askAgain || countdown
}

function lineOf(snapshot: PageSnapshot, kind: PageStateText): string | null {
  const line = [...snapshot.lines, ...snapshot.headings].find((text) => matches(WORDS.states[kind], text))
  return line === undefined ? null : plain(line)
}

function proofsOf(snapshot: PageSnapshot): Proof[] {
  const proofs: Proof[] = []
  // The own tile alone may be that of the waiting room.
  const isCall = snapshot.captionsControl || snapshot.peopleCount !== null || snapshot.shareScreen
  if (snapshot.tiles > (isCall ? 0 : (snapshot.ownTiles ?? 0))) proofs.push('tile')
  if (snapshot.captionsControl) proofs.push('captions')
  if (snapshot.peopleCount !== null) proofs.push('people')
  if (snapshot.ownStatus === OWN_STATUS_IN && snapshot.leaveControl) proofs.push('roster')
  return proofs
}
