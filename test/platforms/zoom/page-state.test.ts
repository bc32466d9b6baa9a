import { expect, test } from 'vitest'
import { endOf, refusalOf } from '../../../platforms/zoom/outcomes.ts'
import type { PageSnapshot } from '../../../platforms/zoom/page/types.ts'
import { PAGE_PHASES, type PageStateKind, stateOf } from '../../../platforms/zoom/page-state.ts'
import { outcomeRows } from '../outcome-rows.ts'
import { CALL, dialog, FORM, snapshot } from './snapshots.ts'

const modal = (...given: Parameters<typeof dialog>) => ({ dialogs: [dialog(...given)] })
const room = (text: string): Partial<PageSnapshot> => ({ waiting: ['Weekly meeting', text], meetingApp: true })
const BOT_WALL =
  'Sign in to join We detected you may be a bot. Automated bots aren’t allowed to join this meeting or webinar and must use Zoom RTMS.'

/** The snapshot of a page, its state, and its code before admission (docs/platform-notes/zoom.md#web-client-outcomes). */
const TABLE = outcomeRows<PageSnapshot, PageStateKind>({
  'login_wall pre-join LOGIN_REQUIRED': {
    'sign-in page': { url: 'https://app.zoom.us/signin?from=x' },
    'sign-in': { lines: ['Sign in to join this meeting'], form: FORM },
  },
  'registration pre-join CANNOT_JOIN_MEETING': { registration: { url: 'https://zoom.us/meeting/register/tJ0' } },
  'other_account pre-join -': {
    'another account': { url: 'https://acme.zoom.us/wc/1/join', lines: ['Join External Meeting'] },
  },
  'invalid_link pre-join -': {
    'invalid or not started': { title: 'Error - Zoom', pageError: 'This meeting link is invalid (3,001)' },
  },
  'launch_page pre-join -': { 'launch page': { url: 'https://zoom.us/j/1', launchPage: true } },
  'disclaimer waiting -': { disclaimer: { disclaimer: 'Be nice', form: FORM } },
  'preview pre-join -': { form: { form: FORM } },
  'wrong_passcode waiting CANNOT_JOIN_MEETING': {
    'wrong passcode': { form: { ...FORM, errors: ['Incorrect Password'] } },
    'wrong passcode, other build': { form: { ...FORM, errors: ['Meeting passcode is wrong. Please re-enter.'] } },
  },
  'device_prompt pre-join -': {
    'device prompt over the form': {
      form: FORM,
      ...modal(
        'Do you want others to hear you?',
        'Use microphone and camera',
        'Continue without microphone and camera',
      ),
    },
  },
  'joining waiting -': { 'joining, the meeting already behind it': { ...CALL, joining: 'Joining Meeting...' } },
  'blank pre-join -': {
    blank: { isBlank: true },
    'shell before its frame is there': { url: 'https://app.zoom.us/wc?mn=88240852079', isBlank: true },
  },
  'went_wrong pre-join CANNOT_JOIN_MEETING': { broken: { lines: ['Something went wrong'] } },
  'waiting_for_host waiting -': {
    'no host': room('Waiting for the host to start the meeting.'),
    'no host, webinar': room('Please wait. The webinar will begin soon'),
  },
  'waiting_room waiting -': {
    'waiting room': room('Host has joined. We’ve let them know you’re here'),
    'waiting room outranks marks of the meeting': { ...CALL, ...room("The host will admit you when they're ready") },
    'host away': room('The host left the meeting. Waiting for a host to join'),
    'a room in unknown words': room('Veuillez faire la queue'),
  },
  'bot_wall waiting BOT_NOT_ACCEPTED': {
    'bot wall': modal(BOT_WALL, 'Close', 'Sign in'),
    'bot wall by its name': { ...modal('本人確認'), dialogNames: ['BotDetectedDialog'] },
    'invisible captcha failed': modal('You failed the reCAPTCHA verification.'),
  },
  'bot_wall pre-join BOT_NOT_ACCEPTED': {
    'bot wall on the form': { form: FORM, lines: ["Automated bots aren't allowed to join this meeting."] },
  },
  'captcha pre-join BOT_NOT_ACCEPTED': { captcha: { captcha: true, form: FORM } },
  'login_wall waiting LOGIN_REQUIRED': {
    'authorized people': modal('This meeting is for authorized participants only', 'Sign in'),
  },
  'client_blocked waiting CANNOT_JOIN_MEETING': { 'client blocked': modal('Unable to join meeting Error code: 1132') },
  'browser_off pre-join CANNOT_JOIN_MEETING': {
    'no browser': { lines: ['Unable join from browser, please join using the Zoom desktop client or mobile app.'] },
    policy: { lines: ['The Zoom Meetings Web Client is blocked by your organizational policy'] },
  },
  'browser_off waiting CANNOT_JOIN_MEETING': {
    'no browser, in a dialog': modal(
      'Unable join from browser, please join using the Zoom desktop client or mobile app.',
      'OK',
    ),
  },
  'in_call waiting -': { 'in the meeting': CALL },
  'consent waiting -': { 'consent over it': { ...CALL, ...modal('This meeting is being recorded', 'Got it') } },
  'ended waiting MEETING_ENDED_PREMATURELY': {
    ended: { ...CALL, ...modal('This meeting has been ended by host', 'OK') },
    'ended by an admin': modal('This meeting has been ended by your admin'),
    'another meeting of the host': modal(
      'This meeting has ended as someone has started a new meeting with this account',
    ),
    'ended, by its name': { ...modal('ホスト'), dialogNames: ['Meeting is end now'] },
  },
  'removed waiting BOT_NOT_ACCEPTED': {
    'removed from the waiting room': {
      ...room('The host will let you in soon'),
      ...modal('You have been removed from this meeting by the host.', 'Leave'),
    },
  },
  'removed_before waiting BOT_NOT_ACCEPTED': {
    'removed earlier': modal(
      'Leave meeting You are unable to rejoin this meeting because you were previously removed by the host',
    ),
  },
  'locked waiting CANNOT_JOIN_MEETING': {
    locked: modal('Host has locked this meeting.'),
    'locked, other words': modal('The meeting has been locked by the host'),
  },
  'full waiting CANNOT_JOIN_MEETING': { full: modal('The meeting is at the host’s allowed capacity') },
  'elsewhere waiting CANNOT_JOIN_MEETING': {
    elsewhere: modal('You have joined this meeting on another platform. This window will be exited.'),
  },
  'free_limit waiting MEETING_ENDED_PREMATURELY': { 'free limit': modal('Your free meeting has ended') },
  'join_failed waiting CANNOT_JOIN_MEETING': {
    'no connection before the meeting': modal(
      'Joining Meeting Timeout or Browser restriction',
      'Report Problem',
      'Retry',
      'Leave',
    ),
  },
  'reconnecting waiting -': { 'connection lost': { ...CALL, reconnecting: 'Trying to reconnect' } },
  'left waiting BOT_NOT_ACCEPTED': { 'page after the end': { url: 'https://app.zoom.us/wc/leave?x=1' } },
  'left pre-join CANNOT_JOIN_MEETING': { 'home page': { url: 'https://app.zoom.us/wc' } },
  'went_wrong waiting CANNOT_JOIN_MEETING': { 'a load that failed': { url: 'chrome-error://chromewebdata/' } },
  'off_site waiting CANNOT_JOIN_MEETING': { 'another site': { url: 'https://example.com/' } },
  'unknown pre-join -': { 'a page in unknown words': { lines: ['Hallo'] } },
})

test.each(TABLE)('%s', (_row, shown, kind, joinStep, code) => {
  const state = stateOf(snapshot(shown))
  expect(state.kind).toBe(kind)
  const refusal = refusalOf(state, joinStep)
  expect(refusal?.code ?? null).toBe(code)
  if (refusal) expect(refusal.message).toMatch(/^[A-Z].*\.$/)
  expect(refusal?.message ?? '').not.toContain('{text}')
})

test('every page state is in the table', () => {
  const covered = new Set(TABLE.map(([, , kind]) => kind))
  expect(Object.keys(PAGE_PHASES).filter((kind) => !covered.has(kind as PageStateKind))).toEqual([])
})

test.each([
  ['removed', 'removed'],
  ['ended', 'ended_for_all'],
  ['free_limit', 'ended_for_all'],
  ['elsewhere', 'ended_for_all'],
  ['left', 'ended_for_all'],
  ['off_site', 'removed'],
  ['login_wall', 'removed'],
  ['in_call', null],
  ['went_wrong', null],
  ['waiting_room', null],
  ['waiting_for_host', null],
  ['reconnecting', null],
  ['joining', null],
  ['blank', null],
  ['preview', null],
] as const)('in the meeting %s means %s', (kind, end) => {
  expect(endOf({ kind, text: '', proofs: [] })).toBe(end)
})

test('words of an end in chat, names or a topic are nothing: only dialogs end a meeting', () => {
  const written = ['You have been removed', 'This meeting has been ended by host', 'The meeting has been locked']
  const state = stateOf(snapshot({ ...CALL, title: written[0], lines: written, headings: written }))
  expect(state.kind).toBe('in_call')
})

test('a name that looks like a replacement pattern stays as it is', () => {
  const refusal = refusalOf({ kind: 'locked', text: "$& $' {text}", proofs: [] }, 'waiting')
  expect(refusal?.message).toContain("$& $' {text}")
})
