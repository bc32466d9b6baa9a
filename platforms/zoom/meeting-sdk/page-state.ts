/**
 * Decides the page state from one snapshot of the SDK's page. The SDK's own words come first, then the signs of Zoom's
 * page, which is the web client's from the preview on. Pure.
 */
import { BotError } from '../../../packages/core/errors.ts'
import type { MeetingEnd } from '../../../packages/core/meeting/meeting.ts'
import type { JoinStep, PageClassifier, PagePhase, PageState } from '../../shared/page-state.ts'
import { matches } from '../../shared/words.ts'
import { endOf as endOfWebClient, refusalOf as refusalOfWebClient } from '../outcomes.ts'
import { type PageStateKind as PageKind, PAGE_PHASES as PHASES_OF_PAGE, stateOf as stateOfPage } from '../page-state.ts'
import { WORDS } from '../words.ts'
import {
  FAILURE_OUTCOMES,
  type FailureKind,
  failureError,
  failureKind,
  failureText,
  type JoinedWith,
  tellingFailure,
} from './failures.ts'
import type { SdkFacts, SdkSnapshot } from './page/types.ts'

export type SdkKind =
  | PageKind
  | FailureKind
  /** In this order: the page with the SDK is loading; it is ready and joins next; `join` is under way. */
  | 'sdk_loading'
  | 'sdk_ready'
  /** The host has not begun, by the SDK's numbers and not on the page: the bot has to ask again. */
  | 'host_not_there'
  /** The user on whose behalf the bot joins is not in the meeting. */
  | 'user_not_there'
  | 'user_left'
  /** Out for a reason that is not known. */
  | 'gone'
  /** Sent out of the waiting room. */
  | 'denied'
  | 'disclaimer_refused'

export type SdkPageState = PageState<SdkKind>

const FAILURES = Object.fromEntries(Object.keys(FAILURE_OUTCOMES).map((kind) => [kind, 'out'])) as Record<
  FailureKind,
  PagePhase
>

export const SDK_PAGE_PHASES: Readonly<Record<SdkKind, PagePhase>> = {
  ...PHASES_OF_PAGE,
  ...FAILURES,
  sdk_loading: 'unclear',
  sdk_ready: 'entrance',
  host_not_there: 'waiting',
  user_not_there: 'waiting',
  user_left: 'out',
  gone: 'out',
  denied: 'out',
  disclaimer_refused: 'out',
}

/**
 * `join` begins at once when the SDK accepts the signature; without a report for so long it has not
 * (docs/platform-notes/zoom.md#signature). Milliseconds.
 */
export const SILENT_JOIN_MS = 30_000
/**
 * From this level on the SDK sets up sound, which only a participant in the meeting has
 * (docs/platform-notes/zoom.md#join-sequence).
 */
const IN_MEETING_LEVEL = 13
const RECONNECTING = 4
const DISCONNECTED = 3
/**
 * Reason number when the authorizing user left; docs/platform-notes/zoom.md#sdk-error-numbers, as its dialog says too.
 */
const USER_LEFT = 4019
const USER_LEFT_TEXT = /^the authorized user (?:has )?left the meeting\b/i

const REGISTRATION = /^registration (?:meeting|webinar)\b/i

/** Reasons that the SDK gives for the bot's leaving; docs/platform-notes/zoom.md#leaving-reasons. */
const LEAVE_KINDS: Readonly<Record<number, SdkKind>> = {
  1: 'ended',
  2: 'left',
  3: 'left',
  4: 'left',
  5: 'elsewhere',
  6: 'removed',
  7: 'denied',
  8: 'disclaimer_refused',
}

/** States of the page that outweigh everything the SDK says: they cover the meeting or replace it. */
const FINAL: ReadonlySet<PageKind> = new Set<PageKind>([
  'bot_wall',
  'captcha',
  'login_wall',
  'browser_off',
  'client_blocked',
  'removed_before',
  'removed',
  'ended',
  'free_limit',
  'locked',
  'full',
  'elsewhere',
])
/** States of the page during the join, while the SDK itself reports nothing. */
const ON_THE_WAY: ReadonlySet<PageKind> = new Set<PageKind>([
  'waiting_room',
  'waiting_for_host',
  'disclaimer',
  'device_prompt',
  'preview',
  'join_failed',
  'wrong_passcode',
])

/** `joinedWith`: some numbers have another meaning with another token. */
function sdkStateOf(snapshot: SdkSnapshot, joinedWith: JoinedWith): SdkPageState {
  const { sdk } = snapshot
  const page = stateOfPage(asZoomPage(snapshot))
  const found = (kind: SdkKind, text: string, proofs: readonly string[] = []): SdkPageState => ({ kind, text, proofs })

  const userLeft = sdk.failures.find(({ code }) => code === USER_LEFT)
  const userLeftText = snapshot.dialogs.find(({ text }) => saysUserLeft(text))?.text
  if (userLeft || userLeftText !== undefined)
    return found('user_left', userLeftText ?? failureText(userLeft ?? { code: USER_LEFT, channel: 'status', text: '' }))
  if (sdk.left) return found(leaveKind(sdk.left.reasonCode), sdk.left.reason || page.text)
  if (/\/left$/.test(pathOf(snapshot.url))) return found('left', 'the page after the meeting')
  if (FINAL.has(page.kind)) return page
  if (!sdk.isAttendee) {
    const failure = failureOf(snapshot, joinedWith)
    if (failure) return failure
  }
  if (sdk.isInWaitingRoom === true) return found('waiting_room', textOr(page, 'waiting_room', 'a waiting room'))
  if (sdk.waitsForHost) return found('waiting_for_host', textOr(page, 'waiting_for_host', 'waiting for the host'))
  if (sdk.meetingStatus === RECONNECTING || (sdk.isAttendee && sdk.meetingStatus === DISCONNECTED))
    return found('reconnecting', page.kind === 'reconnecting' ? page.text : 'the SDK is not connected')
  if (page.kind === 'reconnecting' || page.kind === 'consent') return page
  const view = sdk.isAttendee ? null : loginView(snapshot)
  if (view) return view
  if (ON_THE_WAY.has(page.kind)) return page
  const proofs = [...sdkProofs(sdk), ...page.proofs]
  if (page.kind === 'in_call' || sdk.isAttendee) return found('in_call', proofs.join(', '), proofs)
  return onTheWay(sdk, page)
}

export function sdkClassifier(parts: {
  joinedWith(): JoinedWith
  /** The bot can get a fresh token for another attempt. */
  canAskAgain: boolean
}): PageClassifier<SdkSnapshot, SdkKind> {
  return {
    stateOf: (snapshot) => sdkStateOf(snapshot, parts.joinedWith()),
    phases: SDK_PAGE_PHASES,
    refusalOf: (state, joinStep) => sdkRefusalOf(state, joinStep, parts.canAskAgain),
    endOf: (state) => sdkEndOf(state),
    // One channel reports before the others, and not all of them report the cause.
    patience: { trouble: 3000, join_failed: 5000, bad_request: 1000, left: 1500 },
    decidedBefore: ['removed_before'],
    waitsFor: { waiting_for_host: 'host', host_not_there: 'host', user_not_there: 'authorized_user' },
    isCorroborated: ({ proofs }) => proofs.includes('attendee') && proofs.length > 1,
  }
}

function sdkRefusalOf(state: SdkPageState, joinStep: JoinStep, canAskAgain: boolean): BotError | null {
  const { kind, text } = state
  const shown = text.slice(0, 200)
  if (isFailure(kind)) return failureError(kind, shown, canAskAgain)
  switch (kind) {
    case 'sdk_loading':
    case 'sdk_ready':
    case 'host_not_there':
    case 'user_not_there':
      return null
    case 'denied':
      return new BotError('BOT_NOT_ACCEPTED', `The host sent the bot out of the waiting room ("${shown}").`, {
        step: 'waiting',
        reason: 'denied_by_person',
      })
    case 'disclaimer_refused':
      return new BotError('CANNOT_JOIN_MEETING', `The meeting's terms were not agreed to ("${shown}").`, {
        step: 'join',
      })
    case 'user_left':
    case 'gone':
    case 'ended':
    case 'free_limit':
      return new BotError('MEETING_ENDED_PREMATURELY', `The meeting was over before the bot was in ("${shown}").`, {
        step: 'waiting',
        reason: kind === 'ended' || kind === 'free_limit' ? 'ended' : undefined,
      })
    default:
      return refusalOfWebClient({ ...state, kind }, joinStep)
  }
}

function sdkEndOf(state: SdkPageState): MeetingEnd | null {
  const { kind } = state
  // Codes about joining mean nothing for a bot that is in.
  if (isFailure(kind)) return null
  switch (kind) {
    case 'user_left':
      return 'authorized_user_left'
    case 'denied':
      return 'removed'
    case 'disclaimer_refused':
    case 'gone':
      return 'ended_for_all'
    case 'sdk_loading':
    case 'sdk_ready':
    case 'host_not_there':
    case 'user_not_there':
      return null
    default:
      return endOfWebClient({ ...state, kind })
  }
}

function isFailure(kind: SdkKind): kind is FailureKind {
  return Object.hasOwn(FAILURE_OUTCOMES, kind)
}

function leaveKind(reasonCode: number | null): SdkKind {
  return (reasonCode === null ? undefined : LEAVE_KINDS[reasonCode]) ?? 'gone'
}

function failureOf({ sdk, at }: SdkSnapshot, joinedWith: JoinedWith): SdkPageState | null {
  const failure = tellingFailure(sdk.failures)
  if (failure) {
    const kind = failureKind(failure, joinedWith)
    // The SDK's own page for "not started" asks again by itself.
    if (kind === 'host_not_there' && sdk.waitsForHost) return null
    return { kind, text: failureText(failure), proofs: [] }
  }
  const isSilent = sdk.progress === 'joining' && sdk.level === null && sdk.meetingStatus === null
  if (!isSilent || sdk.joinCalledAt === null || at - sdk.joinCalledAt < SILENT_JOIN_MS) return null
  return { kind: 'no_answer', text: 'no word on any channel', proofs: [] }
}

/** In these cases the package (6.2.0) makes no callback: it shows its own form, which the bot does not fill in. */
function loginView({ lines }: SdkSnapshot): SdkPageState | null {
  const wrong = lines.find((line) => matches(WORDS.states.wrong_passcode, line))
  if (wrong !== undefined) return { kind: 'wrong_passcode', text: wrong, proofs: [] }
  const registration = lines.find((line) => REGISTRATION.test(line))
  return registration === undefined ? null : { kind: 'details_wanted', text: registration, proofs: [] }
}

function onTheWay({ progress }: SdkFacts, page: PageState<PageKind>): SdkPageState {
  if (progress === 'ready' || progress === 'initialized') return { kind: 'sdk_ready', text: progress, proofs: [] }
  if (progress === 'joining') return { kind: 'joining', text: page.text, proofs: [] }
  return { kind: 'sdk_loading', text: progress, proofs: [] }
}

function sdkProofs({ isAttendee, level, meetingStatus }: SdkFacts): string[] {
  return [
    ...(isAttendee ? ['attendee'] : []),
    ...(level !== null && level >= IN_MEETING_LEVEL ? ['sound'] : []),
    ...(isAttendee && meetingStatus === 2 ? ['connected'] : []),
  ]
}

function textOr(page: PageState<PageKind>, kind: PageKind, otherwise: string): string {
  return page.kind === kind ? page.text : otherwise
}

/** The bot's own page is not on a host of Zoom; its content is read like the web client's. */
function asZoomPage(snapshot: SdkSnapshot): SdkSnapshot {
  return { ...snapshot, url: 'https://app.zoom.us/wc/1/join', title: '', pageError: null }
}

function pathOf(url: string): string {
  return URL.canParse(url) ? new URL(url).pathname : ''
}

/** A dialog that is not among the web client's words: it says why the meeting is over, and it is not closed. */
export function saysUserLeft(text: string): boolean {
  return USER_LEFT_TEXT.test(text)
}
