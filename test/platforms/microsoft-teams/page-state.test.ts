import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { describe, expect, test } from 'vitest'
import { endOf, failureOf, LEAVE_GONE_MS, refusalOf } from '../../../platforms/microsoft-teams/outcomes.ts'
import type { PageSnapshot } from '../../../platforms/microsoft-teams/page/types.ts'
import { teamsClassifier } from '../../../platforms/microsoft-teams/page-classifier.ts'
import { type PageStateKind, stateOf } from '../../../platforms/microsoft-teams/page-state.ts'
import { outcomeRows } from '../outcome-rows.ts'
import { CALL, LOBBY, PRE_JOIN, retry, snapshot } from './snapshots.ts'

const DENIED = 'Sorry, but you were denied access to the meeting.'
const REMOVED = "You've been removed from this meeting"
const NOT_FOUND = "We couldn't find a meeting matching this ID and passcode."
const dialog = (text: string) => ({ text, isModal: true, isPersistent: false, buttons: [] })

/**
 * docs/platform-notes/microsoft-teams.md#outcomes from top to bottom: what is shown, what it is, and what it means
 * before admission.
 */
const TABLE = outcomeRows<PageSnapshot, PageStateKind>({
  'no_page pre-join INVALID_MEETING_URL': { 'HTTP 404': { httpStatus: 404 } },
  'server_error pre-join CANNOT_JOIN_MEETING retry': { 'HTTP 503': { httpStatus: 503 } },
  'bad_link pre-join INVALID_MEETING_URL': {
    'the link is incorrect': {
      lines: ['Looks like the meeting URL is incorrect. Please check the URL and try again.'],
    },
  },
  'not_found waiting INVALID_MEETING_URL': {
    'no meeting of this number': retry(NOT_FOUND, { asksForCode: true }),
    'no meeting of this number, in an unknown language': retry('Nem találjuk az értekezletet.', { asksForCode: true }),
  },
  'not_found pre-join INVALID_MEETING_URL': { 'a meeting that has expired': { lines: ['This meeting has expired'] } },
  'sign_in_page pre-join LOGIN_REQUIRED': {
    'a sign-in host': { url: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize' },
    'a sign-in form': { signInForm: true },
  },
  'not_started waiting TIMEOUT_WAITING_TO_START': {
    'a webinar before its time': {
      lines: [
        'External participants are not permitted to join before the event begins. Please join after the event has started.',
      ],
    },
  },
  'organization_policy waiting LOGIN_REQUIRED': {
    'a policy against guests': retry("Your organization's policies don't allow you to join this meeting."),
    'a policy against guests that only the signalling tells': {
      ...retry('Sajnáljuk'),
      endNotice: { subCode: 5723, isByOther: false },
    },
  },
  'captcha waiting CANNOT_JOIN_MEETING': { 'a captcha': { ...PRE_JOIN, captcha: true } },
  'captcha_failed waiting CANNOT_JOIN_MEETING': {
    'a captcha that was not solved': retry("We couldn't verify you", { canRejoin: true }),
  },
  'could_not_connect waiting CANNOT_JOIN_MEETING retry': {
    'not connected': retry("Sorry, we couldn't connect you.", { canRejoin: true }),
  },
  'waiting_for_host waiting -': {
    'the waiting room of a meeting that has not begun': {
      ...LOBBY,
      lines: ['Hi, Notes. Someone will let you in when the meeting starts.'],
    },
  },
  'lobby waiting -': {
    'the waiting room': { ...LOBBY, lines: ['Hi, Notes. Someone will let you in shortly.'] },
    'the waiting room in an unknown language': LOBBY,
  },
  'no_response waiting TIMEOUT_WAITING_TO_START': {
    'nobody answered': retry('No one responded to your request to join'),
  },
  'denied waiting BOT_NOT_ACCEPTED': {
    denied: retry(DENIED),
    declined: retry('Your request to join was declined'),
    'not admitted': retry('You weren’t admitted to the meeting'),
    'denied, as only the signalling tells': { ...retry('Sajnáljuk'), endNotice: { subCode: 5854, isByOther: true } },
  },
  'lobby_dropped waiting -': { 'the waiting room let go': { ...LOBBY, join: { label: 'Join now', isEnabled: true } } },
  'encryption_error waiting CANNOT_JOIN_MEETING': { 'end-to-end encryption': { encryptionEnd: true } },
  'removed waiting BOT_NOT_ACCEPTED': { 'removed while it waits': retry(REMOVED) },
  'ended_for_all waiting EXITING_MEETING_BEFORE_RECORD': {
    'ended while it waits': { endScreen: 'The meeting has ended' },
  },
  'unsupported_browser pre-join CANNOT_JOIN_MEETING': {
    'a browser that is not supported': { lines: ['This browser version is not supported'] },
  },
  'off_site pre-join CANNOT_JOIN_MEETING retry': { 'another site': { url: 'https://example.com/' } },
  'unknown_end waiting CANNOT_JOIN_MEETING': { 'an end in unknown words': retry('Sajnáljuk') },
  'loading pre-join -': {
    'the splash screen': { splash: true },
    'between two documents': { isBlank: true },
  },
  'launcher pre-join -': { 'the launcher': { launcher: true, headings: ['Join your Teams meeting'] } },
  'pre_join pre-join -': {
    'the page to join from': PRE_JOIN,
    'a button that is dead for a moment': { ...PRE_JOIN, join: { label: 'Join now', isEnabled: false } },
  },
  'permission_gate pre-join -': {
    'the gate of the permissions': { lines: ['Select Allow to let Microsoft Teams use your mic and camera'] },
  },
  'connecting waiting -': { connecting: { connecting: true, lines: ['Connecting…'] } },
  'in_call waiting -': {
    in: CALL,
    'a consent banner': { ...CALL, lines: ['Recording has started.'] },
  },
  'undecided waiting -': { 'the button to leave alone': { leaveControl: true } },
  'reconnecting waiting -': { 'the network is away': { ...CALL, lines: ['Reconnecting…'] } },
  'unknown pre-join -': { nothing: {} },
})

test.each(TABLE)('row: %s', (_row, shown, kind, joinStep, code, canRetry) => {
  const state = stateOf(snapshot(shown))
  expect(state.kind).toBe(kind)
  const refusal = refusalOf(state, joinStep, new Set())
  expect(refusal?.code ?? null).toBe(code)
  if (refusal) expect(refusal.canRetry).toBe(canRetry)
})

test.each([
  'We need to verify your info before you can join',
  'To join, sign in or use Teams on the web',
  'You need to be signed in to Teams to access this meeting. Sign in with a work or school account and try joining again.',
  "If you're not signed in to a Teams (work or school) account, sign in and try joining again. If you still can't join, contact the organizer.",
  'Sign in to Teams to join, or contact the meeting organizer',
  'To join this Teams meeting, you need to be signed in to an account.',
  'To join this meeting, sign in again or select another account.',
  'Due to org policy, you need to sign in or use Teams on the web to join this meeting.',
])('row: sign-in wall "%s", on a page, on the screen of failures and in a dialog', (text) => {
  const phases = [{ lines: [text] }, retry(text), { ...PRE_JOIN, dialogs: [dialog(text)] }]
  for (const phase of phases) {
    const refusal = refusalOf(stateOf(snapshot(phase)), 'waiting', new Set())
    expect(refusal).toMatchObject({ code: 'LOGIN_REQUIRED', canRetry: false })
  }
})

test.each([
  ['removed', retry(REMOVED), 'removed'],
  ['removed, another apostrophe', retry('You’ve been removed from this meeting'), 'removed'],
  ['removed, shorter', retry('Removed from the meeting'), 'removed'],
  [
    'removed, as only the signalling tells',
    { isBlank: true, endNotice: { subCode: 5300, isByOther: true } },
    'removed',
  ],
  ['ended', { endScreen: 'The meeting has ended' }, 'ended_for_all'],
  [
    'ended, as only the signalling tells',
    { isBlank: true, endNotice: { subCode: 0, isByOther: false } },
    'ended_for_all',
  ],
  ['left by another device', { endScreen: 'You left the meeting' }, 'ended_for_all'],
  ['an end page in unknown words', { endScreen: 'Vége' }, 'ended_for_all'],
  ['a failure in unknown words while sound comes', { ...retry('Vége'), receivesSound: true, leaveGoneMs: 2000 }, null],
  [
    'a failure in unknown words while sound comes, for long',
    { ...retry('Vége'), receivesSound: true, leaveGoneMs: LEAVE_GONE_MS },
    'ended_for_all',
  ],
  [
    'a failure in unknown words without sound',
    { ...retry('Vége'), receivesSound: false, leaveGoneMs: 0 },
    'ended_for_all',
  ],
  ['the button to leave is gone for long', { leaveGoneMs: LEAVE_GONE_MS, lines: ['Teams'] }, 'ended_for_all'],
  ['the button to leave is gone for a moment', { leaveGoneMs: 2000, lines: ['Teams'] }, null],
  ['another document', { isBlank: true }, null],
  ['the network is away', { ...CALL, lines: ['Connection lost'] }, null],
  ['a banner', { ...CALL, lines: ['Recording has started.'] }, null],
  ['a notice of an end while the call stands', { ...CALL, endNotice: { subCode: 0, isByOther: false } }, null],
  ['in the call', CALL, null],
] as const)('after admission: %s', (_row, shown, end) => {
  const seen = snapshot(shown as Partial<PageSnapshot>)
  expect(endOf(stateOf(seen), seen)).toBe(end)
})

test('row: encryption after admission is an error and no end', () => {
  const seen = snapshot({ encryptionEnd: true })
  expect(endOf(stateOf(seen), seen)).toBeNull()
  expect(failureOf(stateOf(seen))).toMatchObject({ code: 'CANNOT_JOIN_MEETING' })
})

test.each([
  'https://teams.microsoft.com/l/chat/19:x@thread.v2/0',
  'https://teams.microsoft.com/light-meetings/launch?agent=web',
])('row: %s is refused without opening it', (link) => {
  expect(readMeeting(link)).toHaveProperty('problem')
})

describe('what outweighs what', () => {
  test('words of an end on the call page end nothing', () => {
    const shown = snapshot({ ...CALL, lines: ['The meeting has ended', DENIED], headings: ['The meeting has ended'] })
    expect(stateOf(shown).kind).toBe('in_call')
  })

  test('words of a denial in the middle of a sentence are not a denial', () => {
    expect(stateOf(snapshot({ lines: [`Ann said: ${DENIED}`] })).kind).toBe('unknown')
  })

  test('the waiting room vetoes the button to leave', () => {
    expect(stateOf(snapshot({ ...LOBBY, leaveControl: true, callMarks: ['toolbar', 'roster'] })).kind).toBe('lobby')
  })

  test('a waiting room in an unknown language lets go when its button works', () => {
    expect(stateOf(snapshot({ ...LOBBY, join: { label: 'Csatlakozás', isEnabled: true } })).kind).toBe('lobby_dropped')
  })

  test('after a wait, an end in unknown words is an answer', () => {
    const state = stateOf(snapshot(retry('Sajnáljuk')))
    expect(refusalOf(state, 'waiting', new Set(['lobby']))?.code).toBe('BOT_NOT_ACCEPTED')
  })

  test.each([
    ['login.microsoftonline.com.evil.example', 'off_site'],
    ['eu.login.microsoftonline.com', 'sign_in_page'],
    ['teams.microsoft.com.evil.example', 'off_site'],
    ['gov.teams.microsoft.us', 'unknown'],
  ])('%s is %s', (host, kind) => {
    expect(stateOf(snapshot({ url: `https://${host}/` })).kind).toBe(kind)
  })

  test('hops over a sign-in host and captchas have their time; a signed-in bot is not sent to sign in', () => {
    const classifier = teamsClassifier({ captchaMs: 120_000, lobbyMs: 1_800_000 }, true)
    expect(classifier.patience).toMatchObject({ captcha: 120_000, sign_in_page: 3000 })
    const policy = stateOf(snapshot(retry("Your organization's policies don't allow you to join")))
    expect(classifier.refusalOf(policy, 'waiting', new Set())?.code).toBe('CANNOT_JOIN_MEETING')
  })
})
