/** What one look at the page means: a pure function of its signs, in the order in which signs outweigh each other. */
import type { DialogSnapshot } from '../shared/page/types.ts'
import type { PagePhase, PageState as SharedPageState } from '../shared/page-state.ts'
import { matches, plain } from '../shared/words.ts'
import type { PageSnapshot } from './page/types.ts'
import { type DialogText, type PageStateText, WORDS } from './words.ts'

export type PageStateKind =
  | 'off_site'
  | 'login_wall'
  | 'credentials_lost'
  | 'removed'
  | 'everyone_left'
  | 'ended_for_all'
  | 'denied'
  | 'knock_timed_out'
  | 'left'
  | 'invalid_code'
  | 'expired_code'
  | 'landing'
  | 'marketing'
  | 'call_error'
  | 'blocked'
  | 'captcha'
  | 'waiting_for_host'
  | 'lobby'
  | 'consent'
  | 'reconnecting'
  | 'in_call'
  | 'green_room'
  | 'device_prompt'
  | 'loading'
  /** A page that ends a visit, in words we do not know. */
  | 'unknown_end'
  /** The call's toolbar without any other sign: the waiting room or the meeting, not decided yet. */
  | 'undecided'
  | 'unknown'

export interface PageState extends SharedPageState<PageStateKind> {
  proofs: Proof[]
}

export type Proof = 'tile' | 'captions' | 'people' | 'roster'

export const PAGE_PHASES: Readonly<Record<PageStateKind, PagePhase>> = {
  off_site: 'out',
  login_wall: 'out',
  credentials_lost: 'out',
  removed: 'out',
  everyone_left: 'out',
  ended_for_all: 'out',
  denied: 'out',
  knock_timed_out: 'out',
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
  unknown_end: 'out',
  undecided: 'undecided',
  unknown: 'unclear',
}

/** The roster is another witness than the picture. */
export function isCorroborated({ proofs }: SharedPageState<PageStateKind>): boolean {
  return proofs.includes('roster') && proofs.length > 1
}

const MEETING_HOSTS = new Set(['meet.google.com'])
const OWN_STATUS_IN = 1

/** Ends first, because text of the waiting room stays in the page behind a denial. */
const FINAL_TEXTS = ['removed', 'everyone_left', 'ended_for_all', 'denied', 'knock_timed_out', 'left'] as const
const DEAD_LINK_TEXTS = ['invalid_code', 'expired_code', 'credentials_lost', 'landing', 'marketing'] as const

export function situationOf(signs: PageSnapshot): PageState {
  const proofs = proofsOf(signs)
  const found = (kind: PageStateKind, text: string): PageState => ({ kind, text, proofs })

  const place = placeOf(signs)
  if (place) return found(place.kind, place.text)
  for (const kind of FINAL_TEXTS) {
    const text = finalText(signs, kind)
    if (text !== null) return found(kind, text)
  }
  // Only a knock that was turned down is offered again.
  if (signs.askAgain && !signs.leaveControl && signs.tiles === 0) return found('denied', 'Ask to join again')
  for (const kind of DEAD_LINK_TEXTS) {
    const text = lineOf(signs, kind)
    if (text !== null && signs.tiles === 0) return found(kind, text)
  }
  const blocked = lineOf(signs, 'blocked')
  if (blocked !== null && signs.tiles === 0) return found('blocked', blocked)
  const callError = lineOf(signs, 'call_error') ?? dialogSaying(signs, WORDS.situations.call_error)?.text ?? null
  if (callError !== null && proofs.length === 0) return found('call_error', callError)
  if (signs.captcha) return found('captcha', 'a visible captcha')
  const host = lineOf(signs, 'waiting_for_host')
  if (host !== null && signs.tiles === 0) return found('waiting_for_host', host)
  const lobby = lineOf(signs, 'lobby')
  // A green room may speak of being let in too; there is a button to join then.
  if (lobby !== null && signs.tiles === 0 && (signs.join === null || signs.leaveControl)) return found('lobby', lobby)
  const consent = dialogOf(signs, 'consent')
  if (consent) return found('consent', consent.text)
  const reconnecting = lineOf(signs, 'reconnecting')
  if (reconnecting !== null && (signs.leaveControl || signs.tiles > 0)) return found('reconnecting', reconnecting)
  if (proofs.length > 0) return found('in_call', proofs.join(', '))
  const prompt = dialogOf(signs, 'device_prompt')
  if (prompt) return found('device_prompt', prompt.text)
  if (signs.nameBox !== null || signs.join !== null || signs.switchHere)
    return found('green_room', signs.join?.label ?? 'the name box')
  const loading = lineOf(signs, 'loading')
  if (loading !== null) return found('loading', loading)
  if (signs.callEnded || ((signs.countdown || signs.rejoin || signs.askAgain) && !signs.leaveControl))
    return found('unknown_end', signs.headings[0] ?? signs.lines[0] ?? '')
  if (signs.leaveControl) return found('undecided', 'the call toolbar')
  return found('unknown', signs.headings[0] ?? signs.lines[0] ?? 'an empty page')
}

/** The dialog that is of this kind, if one is open. */
export function dialogOf(signs: PageSnapshot, kind: DialogText): DialogSnapshot | null {
  return dialogSaying(signs, WORDS.dialogs[kind])
}

function dialogSaying(signs: PageSnapshot, expressions: readonly RegExp[]): DialogSnapshot | null {
  return signs.dialogs.find(({ text }) => matches(expressions, text)) ?? null
}

/** Where the tab is, when it is not on a meeting's page. */
function placeOf(signs: PageSnapshot): { kind: PageStateKind; text: string } | null {
  const url = URL.canParse(signs.url) ? new URL(signs.url) : null
  const host = url?.hostname ?? ''
  if (host === 'accounts.google.com' || host === 'myaccount.google.com') return { kind: 'login_wall', text: host }
  const saysSignIn = signs.headings.some((heading) => matches(WORDS.signIn.heading, heading))
  if (saysSignIn && signs.lines.some((line) => matches(WORDS.signIn.body, line)) && signs.nameBox === null)
    return { kind: 'login_wall', text: 'a sign-in page' }
  if (MEETING_HOSTS.has(host)) {
    const isHome = url !== null && /^\/(?:landing|about)?\/?$/.test(url.pathname)
    return isHome ? { kind: 'landing', text: `${host}${url.pathname}` } : null
  }
  if (host === 'workspace.google.com') return { kind: 'marketing', text: `${host}${url?.pathname ?? ''}` }
  return { kind: 'off_site', text: host || signs.url }
}

/** An end counts where the page looks like one: no tiles, and a heading or the buttons of a last page. */
function finalText(signs: PageSnapshot, kind: (typeof FINAL_TEXTS)[number]): string | null {
  if (signs.tiles > 0) return null
  const looksFinal = signs.callEnded || signs.returnHome || signs.rejoin || signs.askAgain || signs.countdown
  const inHeading = signs.headings.find((heading) => matches(WORDS.situations[kind], heading))
  return inHeading ?? (looksFinal ? lineOf(signs, kind) : null)
}

function lineOf(signs: PageSnapshot, kind: PageStateText): string | null {
  const line = signs.lines.find((text) => matches(WORDS.situations[kind], text))
  return line === undefined ? null : plain(line)
}

function proofsOf(signs: PageSnapshot): Proof[] {
  const proofs: Proof[] = []
  if (signs.tiles > 0) proofs.push('tile')
  if (signs.captionsControl) proofs.push('captions')
  if (signs.peopleCount !== null) proofs.push('people')
  if (signs.ownStatus === OWN_STATUS_IN && signs.leaveControl) proofs.push('roster')
  return proofs
}
