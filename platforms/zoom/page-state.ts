/** Decides the page state from one snapshot: a pure function of its signs, in the order of their precedence. */

import type { DialogSnapshot } from '../shared/page/types.ts'
import { isConsent, isRequest } from '../shared/page-access/consent.ts'
import type { PagePhase, PageState as SharedPageState } from '../shared/page-state.ts'
import { matches, plain } from '../shared/words.ts'
import type { PageSnapshot } from './page/types.ts'
import { type PageStateWord, WORDS } from './words.ts'

export type PageState = SharedPageState<PageStateKind>

/** The phase of each page state. */
export const PAGE_PHASES = {
  off_site: 'out',
  login_wall: 'out',
  registration: 'out',
  bot_wall: 'out',
  captcha: 'obstacle',
  /** Zoom says the link is invalid. It also says so of meetings whose host has not started them yet. */
  invalid_link: 'waiting',
  client_blocked: 'out',
  browser_off: 'out',
  removed_before: 'out',
  locked: 'out',
  full: 'out',
  elsewhere: 'out',
  removed: 'out',
  ended: 'out',
  free_limit: 'out',
  left: 'out',
  join_failed: 'obstacle',
  went_wrong: 'obstacle',
  wrong_passcode: 'obstacle',
  waiting_for_host: 'waiting',
  waiting_room: 'waiting',
  reconnecting: 'reconnecting',
  disclaimer: 'obstacle',
  device_prompt: 'obstacle',
  consent: 'disturbed',
  in_call: 'in_call',
  launch_page: 'entrance',
  /** The meeting is of another account than the company's host in the link. */
  other_account: 'entrance',
  preview: 'entrance',
  joining: 'unclear',
  blank: 'unclear',
  unknown: 'unclear',
} as const satisfies Record<string, PagePhase>

export type PageStateKind = keyof typeof PAGE_PHASES

/** Hosts of Zoom's own pages, also of those after a meeting. */
const ZOOM_HOST = /^(?:[a-z0-9-]+\.)*zoom(?:gov)?\.(?:us|com)$/
/** Dialogs that end an attempt or a meeting, by their title. Chat may hold the same words, so only dialogs count. */
const DIALOG_KINDS = [
  'removed_before',
  'removed',
  'ended',
  'free_limit',
  'locked',
  'full',
  'elsewhere',
  'client_blocked',
  'browser_off',
] as const satisfies readonly PageStateWord[]
/**
 * Accessible names of the same dialogs, which are English in every language of the page
 * (docs/platform-notes/zoom.md#end-removal-and-leaving).
 */
const DIALOG_NAMES: readonly [RegExp, PageStateKind][] = [
  [/^has been removed dialog$/i, 'removed_before'],
  [/^you have been removed$/i, 'removed'],
  [/^meeting is end now$/i, 'ended'],
  [/^meeting is locked$/i, 'locked'],
  [/^meeting is full$/i, 'full'],
]

export function stateOf(snapshot: PageSnapshot): PageState {
  const found = (kind: PageStateKind, text: string): PageState => ({ kind, text, proofs: snapshot.marks })
  const isIn = snapshot.marks.length > 0 || snapshot.meetingApp

  const location = locationOf(snapshot)
  if (location) return found(location.kind, location.text)
  const wall = wallOf(snapshot, isIn)
  if (wall) return found(wall.kind, wall.text)
  const final = finalOf(snapshot)
  if (final) return found(final.kind, final.text)
  if (snapshot.pageError !== null) return found(errorKind(snapshot.pageError), plain(snapshot.pageError))
  if (!isIn) {
    for (const kind of ['browser_off', 'login_wall', 'other_account', 'invalid_link'] as const) {
      const text = lineOf(snapshot, kind)
      if (text !== null) return found(kind, text)
    }
  }
  if (snapshot.disclaimer !== null) return found('disclaimer', snapshot.disclaimer)
  const isJoining = snapshot.joining !== null
  const waiting = isJoining ? null : waitingOf(snapshot)
  if (waiting) return found(waiting.kind, waiting.text)
  const asked = snapshot.marks.length > 0 || isJoining ? null : waitingIn(snapshot.dialogs.map(({ text }) => text))
  if (asked) return found(asked.kind, asked.text)
  const failed = snapshot.dialogs.find(({ text }) => saysState('join_failed', text))
  if (failed) return found(snapshot.marks.length > 0 ? 'reconnecting' : 'join_failed', failed.text)
  if (snapshot.reconnecting !== null) return found('reconnecting', snapshot.reconnecting || 'a lost connection')
  const prompt = snapshot.dialogs.find(isDevicePrompt)
  if (prompt && !isIn) return found('device_prompt', prompt.text)
  if (isJoining) return found('joining', snapshot.joining || 'a page that keeps loading')
  if (snapshot.form !== null) {
    const error = snapshot.form.errors.find((text) => saysState('wrong_passcode', text))
    return error === undefined
      ? found('preview', snapshot.form.join?.label ?? 'the form')
      : found('wrong_passcode', error)
  }
  if (snapshot.marks.length > 0) {
    const consent = snapshot.dialogs.find(asksForConsent)
    return consent ? found('consent', consent.text) : found('in_call', snapshot.marks.join(', '))
  }
  if (snapshot.launchPage) return found('launch_page', snapshot.title)
  // A waiting room whose marks are not known.
  const said = isJoining ? null : waitingIn([...snapshot.lines, ...snapshot.headings])
  if (said) return found(said.kind, said.text)
  const wrong = lineOf(snapshot, 'went_wrong')
  if (wrong !== null) return found('went_wrong', wrong)
  const left = lineOf(snapshot, 'left')
  if (left !== null) return found('left', left)
  const joining = lineOf(snapshot, 'joining')
  if (joining !== null) return found('joining', joining)
  if (snapshot.isBlank) return found('blank', 'an empty page')
  return found('unknown', snapshot.headings[0] ?? snapshot.lines[0] ?? snapshot.title)
}

/** Zoom's own dialog that asks for camera and microphone. */
export function isDevicePrompt(dialog: DialogSnapshot): boolean {
  const offers = (label: 'withoutDevices' | 'allowDevices') =>
    dialog.buttons.some((button) => matches(WORDS.labels[label], button.label))
  return offers('withoutDevices') || (dialog.buttons.length <= 2 && offers('allowDevices') && !isRequest(dialog))
}

/** Says that the meeting is recorded, or offers in any words to leave instead of joining. */
export function asksForConsent(dialog: DialogSnapshot): boolean {
  return matches(WORDS.dialogs.recording, dialog.text) || isConsent(dialog)
}

/** Whether a dialog says that an attempt or a meeting is over; such dialogs are read and not pressed. */
export function isFinalDialog(text: string): boolean {
  return [...DIALOG_KINDS, 'bot_wall', 'join_failed'].some((kind) => saysState(kind as PageStateWord, text))
}

/** Whether the accessible name of a dialog says so; the table has no other dialogs. */
export function isFinalName(name: string): boolean {
  return DIALOG_NAMES.some(([expression]) => expression.test(name))
}

/** Where the tab is, when it is not on a page of the client. */
export function locationOf({
  url,
  title,
  pageError,
  lines,
}: PageSnapshot): { kind: PageStateKind; text: string } | null {
  const address = URL.canParse(url) ? new URL(url) : null
  const host = address?.hostname ?? ''
  const path = address?.pathname ?? ''
  if (address?.protocol === 'about:') return { kind: 'blank', text: 'an empty page' }
  // The browser's own page for a load that failed.
  if (address?.protocol === 'chrome-error:') return { kind: 'went_wrong', text: lines[0] ?? 'the page did not load' }
  if (!ZOOM_HOST.test(host)) return { kind: 'off_site', text: host || url.slice(0, 100) }
  if (/^\/(?:signin|login)\b/.test(path)) return { kind: 'login_wall', text: 'a sign-in page' }
  if (/^\/(?:meeting|webinar)\/register\b/.test(path)) return { kind: 'registration', text: 'a registration page' }
  // The shell that is about to show a meeting in a frame has the same address, with the meeting's number.
  const isHome = /^\/wc\/?$/.test(path) && !address?.searchParams.has('mn')
  if (isHome || /^\/wc\/(?:leave|home)\b/.test(path) || /^\/postattendee\b/.test(path))
    return { kind: 'left', text: lines[0] ?? path }
  if (/\/my-notes\b/.test(path)) return { kind: 'left', text: path }
  if (/^error - zoom$/i.test(title) && pageError === null) return { kind: 'invalid_link', text: lines[0] ?? title }
  return null
}

/**
 * Walls come first: the one against bots has a title that asks for a sign-in too. The bot reports walls and never tries
 * to get around them.
 */
function wallOf(snapshot: PageSnapshot, isIn: boolean): { kind: PageStateKind; text: string } | null {
  const dialog = snapshot.dialogs.find(({ text }) => saysState('bot_wall', text))
  if (dialog) return { kind: 'bot_wall', text: dialog.text }
  if (snapshot.dialogNames.some((name) => /^botdetecteddialog$/i.test(name)))
    return { kind: 'bot_wall', text: 'a dialog for detected bots' }
  if (isIn) return null
  const line = lineOf(snapshot, 'bot_wall')
  if (line !== null) return { kind: 'bot_wall', text: line }
  const asks = lineOf(snapshot, 'captcha')
  if (snapshot.captcha || asks !== null) return { kind: 'captcha', text: asks ?? 'a visible captcha' }
  const signIn = snapshot.dialogs.find(({ text }) => saysState('login_wall', text))
  return signIn ? { kind: 'login_wall', text: signIn.text } : null
}

function finalOf(snapshot: PageSnapshot): { kind: PageStateKind; text: string } | null {
  for (const kind of DIALOG_KINDS) {
    const dialog = snapshot.dialogs.find(({ text }) => saysState(kind, text))
    if (dialog) return { kind, text: dialog.text }
  }
  for (const [name, kind] of DIALOG_NAMES) {
    const shown = snapshot.dialogNames.find((text) => name.test(text))
    if (shown !== undefined) return { kind, text: snapshot.dialogs[0]?.text ?? shown }
  }
  return null
}

/** The text shows for whom the bot waits; a waiting room with unknown words is still a waiting room. */
function waitingOf({ waiting }: PageSnapshot): { kind: PageStateKind; text: string } | null {
  if (waiting === null) return null
  return waitingIn(waiting) ?? { kind: 'waiting_room', text: waiting[0] ?? 'a waiting room' }
}

export function waitingIn(lines: readonly string[]): { kind: PageStateKind; text: string } | null {
  for (const kind of ['waiting_room', 'waiting_for_host'] as const) {
    const text = lines.find((line) => saysState(kind, line))
    if (text !== undefined) return { kind, text: plain(text) }
  }
  return null
}

function errorKind(text: string): PageStateKind {
  for (const kind of ['browser_off', 'login_wall', 'client_blocked', 'locked', 'full', 'went_wrong'] as const) {
    if (saysState(kind, text)) return kind
  }
  return 'invalid_link'
}

function lineOf(snapshot: PageSnapshot, kind: PageStateWord): string | null {
  const line = snapshot.lines.find((text) => saysState(kind, text))
  return line === undefined ? null : plain(line)
}

function saysState(kind: PageStateWord, text: string): boolean {
  return matches(WORDS.states[kind], text)
}
