import { describe, expect, test } from 'vitest'
import { endOf, refusalOf } from '../../../platforms/jitsi/outcomes.ts'
import type { PageSnapshot } from '../../../platforms/jitsi/page/types.ts'
import { isCorroborated, type PageStateKind, stateOf } from '../../../platforms/jitsi/page-state.ts'
import { outcomeRows } from '../outcome-rows.ts'
import { CALL, FRAME, HOST, INSIDE, OUTSIDE, PREJOIN, snapshot } from './snapshots.ts'

const at = (path: string, host = HOST): Partial<PageSnapshot> => ({ url: `https://${host}${path}` })
const notice = (name: string): Partial<PageSnapshot> => ({ ...PREJOIN, notices: [{ name, text: 'In any language' }] })
const failure = (name: string): Partial<PageSnapshot> => ({ ...FRAME, state: { ...OUTSIDE!, failure: name } })
const reason = (leaveReason: string): Partial<PageSnapshot> => ({ ...FRAME, state: OUTSIDE, leaveReason })
const dialog = (text: string): Partial<PageSnapshot> => ({
  dialogs: [{ text, isModal: true, isPersistent: false, buttons: [] }],
})

/** The snapshot of a page, its state, and its code before admission (docs/platform-notes/jitsi.md). */
const TABLE = outcomeRows<PageSnapshot, PageStateKind>({
  'landing waiting INVALID_MEETING_URL': { 'the home page': at('/') },
  'prejoin waiting -': { 'the pre-join page': PREJOIN },
  'deep_link waiting -': {
    'the deep linking page': { launchWeb: true, lines: ['Launching your meeting in Jitsi Meet…'] },
  },
  'lobby_entrance waiting -': {
    'the lobby before the join request': { screen: 'lobby', join: { label: 'Ask to Join', isEnabled: true } },
  },
  'lobby waiting -': { knocking: { screen: 'lobby', isKnocking: true, headings: ['Asking to join meeting…'] } },
  'denied waiting BOT_NOT_ACCEPTED': {
    'denied, by the notification': notice('lobby.joinRejectedTitle'),
    'denied, by the state': failure('conference.connectionError.accessDenied'),
  },
  'lobby_closed waiting EXITING_MEETING_BEFORE_RECORD': {
    'the lobby was closed': reason('The lobby room has been closed.'),
  },
  'waiting_for_host waiting -': {
    'waiting for a moderator, by its dialog': { ...FRAME, ...dialog('Waiting for a moderator… The conference') },
    'waiting for a moderator, by the state': { ...FRAME, state: { ...OUTSIDE!, waitsForModerator: true } },
  },
  'password waiting CANNOT_JOIN_MEETING': { 'a password': { ...PREJOIN, passwordBox: true } },
  'not_allowed waiting BOT_NOT_ACCEPTED': {
    'a token that is refused': notice('dialog.tokenAuthFailed'),
    'an older page for a refused token': at('/static/authError.html'),
  },
  'login_wall waiting LOGIN_REQUIRED': {
    'an account is needed': notice('dialog.unauthenticatedAccessDisabled'),
    'a login dialog': { ...PREJOIN, loginBox: true },
  },
  'off_site waiting LOGIN_REQUIRED': { 'a sign-in page on another site': at('/authorize', 'sso.example.org') },
  'full waiting CANNOT_JOIN_MEETING': {
    full: notice('dialog.maxUsersLimitReachedTitle'),
    'full, by the state': failure('conference.max_users'),
  },
  'maintenance waiting CANNOT_JOIN_MEETING': { maintenance: notice('dialog.serviceUnavailable') },
  'reservation waiting CANNOT_JOIN_MEETING': { 'a reservation': notice('dialog.reservationError') },
  'too_quick waiting CANNOT_JOIN_MEETING': { 'too quick': notice('dialog.errorRoomCreationRestriction') },
  'not_connected waiting CANNOT_JOIN_MEETING': { 'no connection': notice('connection.CONNFAIL') },
  'connecting waiting -': { 'the conference page without a conference': { ...FRAME, state: OUTSIDE } },
  'reconnecting waiting CANNOT_JOIN_MEETING': {
    'the overlay of a lost connection': { overlay: { kind: 'network', text: 'Reconnecting in 9 sec…' } },
  },
  'loading waiting -': {
    'an empty page': {},
    'a tab on its way': { url: 'about:blank' },
  },
  'unreachable waiting CANNOT_JOIN_MEETING': { "the browser's own": { url: 'chrome-error://chromewebdata/' } },
  'unknown waiting -': { 'another page': { lines: ['Good day'] } },
  'in_call waiting -': { in: CALL },
})

test.each(TABLE)('%s', (_row, shown, kind, joinStep, code) => {
  const state = stateOf(snapshot(shown), HOST)
  expect(state.kind).toBe(kind)
  expect(refusalOf(state, joinStep, false)?.code ?? null).toBe(code)
})

test.each([
  ['removed by a moderator', reason('Ouch! Ann Host kicked you out of the meeting'), 'removed'],
  ['removed by the server', reason('Ouch! You were kicked out of the meeting'), 'removed'],
  ['removed, in German', reason('Autsch! Ann Host hat Sie aus dem Meeting geworfen.'), 'removed'],
  ['ended', reason('The meeting has been terminated'), 'ended_for_all'],
  ['ended, the time is up', reason('This meeting has ended because it reached its time limit.'), 'ended_for_all'],
  ["ended, in the operator's own words", reason('Closed for cleaning'), 'ended_for_all'],
  ['the last page', at('/static/close2.html'), 'ended_for_all'],
  ['the welcome page', at('/'), 'ended_for_all'],
  ['no last page', { ...FRAME, state: { ...OUTSIDE!, wasJoined: true } }, 'ended_for_all'],
  ['alone', { ...CALL, remoteTiles: 0 }, null],
  ['a server error', { overlay: { kind: 'error', text: 'Unfortunately, something went wrong.' } }, null],
  ['the page loads itself again', PREJOIN, null],
  ['media lost', { ...CALL, isMediaLost: true }, null],
] as const)('after admission, %s', (_row, shown, end) => {
  expect(endOf(stateOf(snapshot(shown), HOST))).toBe(end)
})

describe('what outweighs what', () => {
  test('a password that the link gave is tried, not refused', () => {
    const state = stateOf(snapshot({ passwordBox: true }), HOST)
    expect(refusalOf(state, 'pre-join', true)).toBeNull()
  })

  test('tiles of others are no meeting where the page says that it is outside', () => {
    expect(stateOf(snapshot({ ...FRAME, remoteTiles: 3, state: OUTSIDE }), HOST).kind).toBe('connecting')
    expect(stateOf(snapshot({ ...FRAME, remoteTiles: 3, state: null }), HOST).kind).toBe('in_call')
  })

  test('the lobby is not the meeting, even if its page still shows parts of a call', () => {
    expect(stateOf(snapshot({ ...CALL, state: OUTSIDE, screen: 'lobby', isKnocking: true }), HOST).kind).toBe('lobby')
  })

  test('one witness is not two', () => {
    expect(isCorroborated(stateOf(snapshot(CALL), HOST))).toBe(true)
    expect(isCorroborated(stateOf(snapshot({ ...FRAME, state: INSIDE }), HOST))).toBe(false)
    expect(isCorroborated(stateOf(snapshot({ ...FRAME, remoteTiles: 1 }), HOST))).toBe(false)
  })

  test('what people write ends nothing', () => {
    const shown = snapshot({
      ...CALL,
      lines: ['You were kicked out of the meeting', 'The meeting has been terminated'],
    })
    expect(stateOf(shown, HOST).kind).toBe('in_call')
  })

  test('an old refusal is over once the page is in', () => {
    const refused = { name: 'connection.CONNFAIL', text: 'Connection failed' }
    expect(stateOf(snapshot({ ...CALL, notices: [refused] }), HOST).kind).toBe('in_call')
  })

  test('a sentence of a failure holds the text as it is', () => {
    const state = stateOf(snapshot(at('/', HOST)), HOST)
    const error = refusalOf({ ...state, text: '$& {text}' }, 'pre-join', false)
    expect(error?.message).toContain('($& {text})')
  })
})
