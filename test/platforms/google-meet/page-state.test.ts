import { describe, expect, test } from 'vitest'
import { endOf, refusalOf } from '../../../platforms/google-meet/outcomes.ts'
import type { PageSnapshot } from '../../../platforms/google-meet/page/types.ts'
import { type PageStateKind, stateOf } from '../../../platforms/google-meet/page-state.ts'
import { outcomeRows } from '../outcome-rows.ts'
import { CALL, snapshot, TOOLBAR } from './snapshots.ts'

const finalPage = (text: string, more: Partial<PageSnapshot> = {}): Partial<PageSnapshot> => ({
  lines: [text, 'Returning to home screen', '45 seconds left', 'Return to home screen'],
  headings: [text],
  returnHome: true,
  countdown: true,
  ...more,
})
const consent = {
  text: 'This video call is being recorded By joining you agree',
  isModal: true,
  isPersistent: false,
  buttons: [
    { label: 'Leave call', action: 'cancel', ref: 0 },
    { label: 'Join now', action: 'ok', ref: 1 },
  ],
}

/** The snapshot of a page, its state, and its code before admission (docs/platform-notes/google-meet.md#outcomes). */
const TABLE = outcomeRows<PageSnapshot, PageStateKind>({
  'invalid_code pre-join INVALID_MEETING_URL': {
    'a code of the wrong shape': finalPage('Invalid video call name'),
    'an unknown code': finalPage('Check your meeting code'),
    'an unknown code, in newer words': finalPage('The meeting code you entered doesn’t work'),
  },
  'landing pre-join INVALID_MEETING_URL': {
    'the landing page': { url: 'https://meet.google.com/landing' },
    'the home page': { url: 'https://meet.google.com/' },
  },
  'expired_code pre-join CANNOT_JOIN_MEETING': { 'an expired code': finalPage('Your meeting code has expired') },
  'login_wall pre-join LOGIN_REQUIRED': { 'the sign-in page': { url: 'https://accounts.google.com/v3/signin' } },
  'login_wall waiting LOGIN_REQUIRED': {
    'a sign-in heading': { headings: ['Sign in'], lines: ['Sign in', 'Use your Google Account'] },
  },
  'credentials_lost pre-join LOGIN_REQUIRED': {
    'a lost session': { lines: ['Your sign-in credentials might have changed'] },
  },
  'blocked pre-join BOT_NOT_ACCEPTED': {
    'refused by the platform': finalPage("You can't join this video call"),
    'a problem with the connection': { lines: ['There is a problem connecting to this video call'] },
  },
  'blocked waiting BOT_NOT_ACCEPTED': {
    'refused after the join request': finalPage('You can’t join this meeting'),
    'refused, shorter': finalPage("You can't join this call"),
  },
  'marketing waiting CANNOT_JOIN_MEETING': {
    'the marketing page': { url: 'https://workspace.google.com/products/meet/' },
  },
  'off_site waiting CANNOT_JOIN_MEETING': { 'another site': { url: 'https://example.com/' } },
  'captcha pre-join CANNOT_JOIN_MEETING': { 'a visible captcha': { captcha: true, nameBox: { value: '' } } },
  'waiting_for_host waiting -': { 'waiting for the host': { lines: ['Waiting for the host to join'] } },
  'lobby waiting -': { 'the waiting room': { ...TOOLBAR, lines: ['Asking to be let in…'] } },
  'request_timed_out waiting TIMEOUT_WAITING_TO_START': {
    'no answer to the request to join': finalPage('No one responded to your request to join the call'),
  },
  'denied waiting BOT_NOT_ACCEPTED': {
    'denied by a person': finalPage('Someone in the call denied your request to join', { askAgain: true }),
    'denied, in other words': finalPage('Your request to join was denied'),
    'not allowed to join': finalPage('You weren’t allowed to join'),
    'denied, with stale text of the waiting room behind it': {
      ...finalPage('Someone in the call denied your request to join'),
      lines: ['Asking to be let in...'],
    },
  },
  'left waiting BOT_NOT_ACCEPTED': { 'out without an own click': finalPage('You left the meeting', { rejoin: true }) },
  'ended_for_all waiting EXITING_MEETING_BEFORE_RECORD': {
    'the host ended the meeting meanwhile': finalPage('Your host ended the meeting for everyone'),
  },
  'consent waiting -': { 'a consent over the call': { ...CALL, dialogs: [consent] } },
  'in_call waiting -': {
    'alone in the call': { ...CALL, peopleCount: 1 },
    in: CALL,
  },
  'call_error pre-join CANNOT_JOIN_MEETING': {
    'an error of the call': { lines: ["Couldn't start the video call because of an error"] },
  },
  'undecided waiting -': { 'toolbar only': TOOLBAR },
  'green_room pre-join -': {
    'green room': { nameBox: { value: '' } },
    'a meeting whose name is an end': {
      ...{ headings: ['You were removed from the meeting'], microphone: 'off' },
      join: { label: 'Ask to join', rank: 'label', isEnabled: true },
    },
  },
  'loading pre-join -': { loading: { lines: ['Getting ready...'] } },
  'unknown pre-join -': { nothing: {} },
})

test.each(TABLE)('%s', (_row, shown, kind, joinStep, code) => {
  const state = stateOf(snapshot(shown))
  expect(state.kind).toBe(kind)
  expect(refusalOf(state, joinStep)?.code ?? null).toBe(code)
})

test.each([
  ['removed', finalPage("You've been removed from the meeting", { callEnded: true }), 'removed'],
  ['removed, in other words', finalPage('You were removed from the meeting'), 'removed'],
  ['ended by the host', finalPage('Your host ended the meeting for everyone'), 'ended_for_all'],
  ['ended', finalPage('The meeting has ended'), 'ended_for_all'],
  ['ended, shorter', finalPage('Call ended'), 'ended_for_all'],
  ['everyone left', finalPage('The call ended because everyone left', { rejoin: true }), 'everyone_left'],
  ['left by another device', finalPage('You’ve left the call', { rejoin: true }), 'ended_for_all'],
  ['the marketing page', { url: 'https://workspace.google.com/products/meet/' }, 'removed'],
  ['an end in other words', { callEnded: true, headings: ['Vége'] }, 'ended_for_all'],
  ['no end', CALL, null],
  ['the network is away', { ...CALL, lines: ['You lost your network connection. Trying to reconnect...'] }, null],
] as const)('after admission, %s', (_row, shown, end) => {
  expect(endOf(stateOf(snapshot(shown as Partial<PageSnapshot>)), snapshot(shown as Partial<PageSnapshot>))).toBe(end)
})

describe('what outweighs what', () => {
  test('words of an end among the tiles of a call end nothing', () => {
    const shown = snapshot({ ...CALL, lines: ['The call ended'], headings: ['The call ended'], returnHome: true })
    expect(stateOf(shown).kind).toBe('in_call')
  })

  test('words of an end in the middle of a sentence end nothing', () => {
    const shown = snapshot({ ...CALL, tiles: 0, lines: ['Ann says the call ended', 'Bob: You left the meeting'] })
    expect(stateOf(shown).kind).toBe('in_call')
  })

  test('the waiting room vetoes captions, count and roster', () => {
    const shown = snapshot({
      ...CALL,
      tiles: 0,
      ownStatus: 1,
      lines: ["You'll join the call when someone lets you in"],
    })
    expect(stateOf(shown).kind).toBe('lobby')
  })

  test('the button home alone is no denial: the waiting room has it', () => {
    expect(stateOf(snapshot({ ...TOOLBAR, lines: ['Asking to be let in...'] })).kind).toBe('lobby')
  })

  test('a promotion that speaks of being let in is not the waiting room', () => {
    const promotion = {
      text: 'Sign in with your Google account Instead of waiting to be let in, join meetings directly',
      isModal: true,
      isPersistent: false,
      buttons: [{ label: 'Got it', action: null, ref: 0 }],
    }
    expect(stateOf(snapshot({ dialogs: [promotion], nameBox: { value: '' } })).kind).toBe('green_room')
  })

  test('an explicit denial wins over a captcha', () => {
    const shown = snapshot({ ...finalPage('Someone in the call denied your request to join'), captcha: true })
    expect(stateOf(shown).kind).toBe('denied')
  })

  test('a marketing page after a refusal is that refusal', () => {
    const state = stateOf(snapshot({ url: 'https://workspace.google.com/products/meet/' }))
    expect(refusalOf(state, 'pre-join', new Set(['blocked']))).toMatchObject({
      code: 'BOT_NOT_ACCEPTED',
      canRetry: true,
    })
  })

  test('the wording of the page is text in the sentence, and no replacement pattern', () => {
    const error = refusalOf(
      { ...stateOf(snapshot({ url: 'https://workspace.google.com/products/meet/' })), text: "$& $' $1" },
      'pre-join',
    )
    expect(error?.message).toContain("$& $' $1")
    expect(error?.message).not.toContain('{text}')
  })

  test('a status in the roster is proof only where there is a call to be in', () => {
    expect(stateOf(snapshot({ ownStatus: 1 })).kind).toBe('unknown')
    expect(stateOf(snapshot({ ...TOOLBAR, ownStatus: 1 })).proofs).toEqual(['roster'])
  })
})
