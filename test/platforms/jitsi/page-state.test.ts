import { describe, expect, test } from 'vitest'
import { endOf, refusalOf } from '../../../platforms/jitsi/outcomes.ts'
import type { PageSnapshot } from '../../../platforms/jitsi/page/types.ts'
import { isCorroborated, type PageStateKind, stateOf } from '../../../platforms/jitsi/page-state.ts'
import { CALL, FRAME, HOST, INSIDE, OUTSIDE, PREJOIN, snapshot } from './snapshots.ts'

const at = (path: string, host = HOST): Partial<PageSnapshot> => ({ url: `https://${host}${path}` })
const notice = (name: string): Partial<PageSnapshot> => ({ ...PREJOIN, notices: [{ name, text: 'In any language' }] })
const failure = (name: string): Partial<PageSnapshot> => ({ ...FRAME, state: { ...OUTSIDE!, failure: name } })
const reason = (leaveReason: string): Partial<PageSnapshot> => ({ ...FRAME, state: OUTSIDE, leaveReason })
const dialog = (text: string): Partial<PageSnapshot> => ({
  dialogs: [{ text, isModal: true, isPersistent: false, buttons: [] }],
})

/** The snapshot of a page, its state, and its code before admission (docs/platform-notes/jitsi.md). */
const TABLE: [string, Partial<PageSnapshot>, PageStateKind, string | null][] = [
  ['the home page', at('/'), 'landing', 'INVALID_MEETING_URL'],
  ['the pre-join page', PREJOIN, 'prejoin', null],
  ['the deep linking page', { launchWeb: true, lines: ['Launching your meeting in Jitsi Meet…'] }, 'deep_link', null],
  [
    'the lobby before the join request',
    { screen: 'lobby', join: { label: 'Ask to Join', isEnabled: true } },
    'lobby_entrance',
    null,
  ],
  ['knocking', { screen: 'lobby', isKnocking: true, headings: ['Asking to join meeting…'] }, 'lobby', null],
  ['denied, by the notification', notice('lobby.joinRejectedTitle'), 'denied', 'BOT_NOT_ACCEPTED'],
  ['denied, by the state', failure('conference.connectionError.accessDenied'), 'denied', 'BOT_NOT_ACCEPTED'],
  ['the lobby was closed', reason('The lobby room has been closed.'), 'lobby_closed', 'EXITING_MEETING_BEFORE_RECORD'],
  [
    'waiting for a moderator, by its dialog',
    { ...FRAME, ...dialog('Waiting for a moderator… The conference') },
    'waiting_for_host',
    null,
  ],
  [
    'waiting for a moderator, by the state',
    { ...FRAME, state: { ...OUTSIDE!, waitsForModerator: true } },
    'waiting_for_host',
    null,
  ],
  ['a password', { ...PREJOIN, passwordBox: true }, 'password', 'CANNOT_JOIN_MEETING'],
  ['a token that is refused', notice('dialog.tokenAuthFailed'), 'not_allowed', 'BOT_NOT_ACCEPTED'],
  ['an account is needed', notice('dialog.unauthenticatedAccessDisabled'), 'login_wall', 'LOGIN_REQUIRED'],
  ['a sign-in page on another site', at('/authorize', 'sso.example.org'), 'off_site', 'LOGIN_REQUIRED'],
  ['an older page for a refused token', at('/static/authError.html'), 'not_allowed', 'BOT_NOT_ACCEPTED'],
  ['a login dialog', { ...PREJOIN, loginBox: true }, 'login_wall', 'LOGIN_REQUIRED'],
  ['full', notice('dialog.maxUsersLimitReachedTitle'), 'full', 'CANNOT_JOIN_MEETING'],
  ['full, by the state', failure('conference.max_users'), 'full', 'CANNOT_JOIN_MEETING'],
  ['maintenance', notice('dialog.serviceUnavailable'), 'maintenance', 'CANNOT_JOIN_MEETING'],
  ['a reservation', notice('dialog.reservationError'), 'reservation', 'CANNOT_JOIN_MEETING'],
  ['too quick', notice('dialog.errorRoomCreationRestriction'), 'too_quick', 'CANNOT_JOIN_MEETING'],
  ['no connection', notice('connection.CONNFAIL'), 'not_connected', 'CANNOT_JOIN_MEETING'],
  ['the conference page without a conference', { ...FRAME, state: OUTSIDE }, 'connecting', null],
  [
    'the overlay of a lost connection',
    { overlay: { kind: 'network', text: 'Reconnecting in 9 sec…' } },
    'reconnecting',
    'CANNOT_JOIN_MEETING',
  ],
  ['an empty page', {}, 'loading', null],
  ["the browser's own", { url: 'chrome-error://chromewebdata/' }, 'unreachable', 'CANNOT_JOIN_MEETING'],
  ['another page', { lines: ['Good day'] }, 'unknown', null],
  ['a tab on its way', { url: 'about:blank' }, 'loading', null],
  ['in', CALL, 'in_call', null],
]

test.each(TABLE)('%s', (_row, shown, kind, code) => {
  const state = stateOf(snapshot(shown), HOST)
  expect(state.kind).toBe(kind)
  expect(refusalOf(state, 'waiting', false)?.code ?? null).toBe(code)
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
