import { describe, expect, test } from 'vitest'
import { endOf, refusalOf } from '../../../platforms/jitsi/outcomes.ts'
import type { PageSigns } from '../../../platforms/jitsi/page/types.ts'
import { isCorroborated, type SituationKind, situationOf } from '../../../platforms/jitsi/situation.ts'
import { CALL, FRAME, HOST, INSIDE, OUTSIDE, PREJOIN, signs } from './signs.ts'

const at = (path: string, host = HOST): Partial<PageSigns> => ({ url: `https://${host}${path}` })
const notice = (name: string): Partial<PageSigns> => ({ ...PREJOIN, notices: [{ name, text: 'In any language' }] })
const failure = (name: string): Partial<PageSigns> => ({ ...FRAME, state: { ...OUTSIDE!, failure: name } })
const reason = (leaveReason: string): Partial<PageSigns> => ({ ...FRAME, state: OUTSIDE, leaveReason })
const dialog = (text: string): Partial<PageSigns> => ({
  dialogs: [{ text, isModal: true, isPersistent: false, buttons: [] }],
})

/** What is shown, what it is, and what it means before admission (the numbers are of the field notes). */
const TABLE: [string, Partial<PageSigns>, SituationKind, string | null][] = [
  ['1.5 the home page', at('/'), 'landing', 'INVALID_MEETING_URL'],
  ['3.1', PREJOIN, 'prejoin', null],
  ['3.3', { launchWeb: true, lines: ['Launching your meeting in Jitsi Meet…'] }, 'deep_link', null],
  ['4.1', { screen: 'lobby', join: { label: 'Ask to Join', isEnabled: true } }, 'lobby_door', null],
  ['4.2', { screen: 'lobby', isKnocking: true, headings: ['Asking to join meeting…'] }, 'lobby', null],
  ['4.5 by the notification', notice('lobby.joinRejectedTitle'), 'denied', 'BOT_NOT_ACCEPTED'],
  ['4.5 by the state', failure('conference.connectionError.accessDenied'), 'denied', 'BOT_NOT_ACCEPTED'],
  ['4.6', reason('The lobby room has been closed.'), 'lobby_closed', 'EXITING_MEETING_BEFORE_RECORD'],
  ['4.7 by its dialog', { ...FRAME, ...dialog('Waiting for a moderator… The conference') }, 'waiting_for_host', null],
  ['4.7 by the state', { ...FRAME, state: { ...OUTSIDE!, waitsForModerator: true } }, 'waiting_for_host', null],
  ['5.1', { ...PREJOIN, passwordBox: true }, 'password', 'CANNOT_JOIN_MEETING'],
  ['5.2 a token', notice('dialog.tokenAuthFailed'), 'not_allowed', 'BOT_NOT_ACCEPTED'],
  ['5.2 an account', notice('dialog.unauthenticatedAccessDisabled'), 'login_wall', 'LOGIN_REQUIRED'],
  ['5.2 another site', at('/authorize', 'sso.example.org'), 'off_site', 'LOGIN_REQUIRED'],
  ['5.2 an older page', at('/static/authError.html'), 'not_allowed', 'BOT_NOT_ACCEPTED'],
  ['5.2 a dialog', { ...PREJOIN, loginBox: true }, 'login_wall', 'LOGIN_REQUIRED'],
  ['5.3 full', notice('dialog.maxUsersLimitReachedTitle'), 'full', 'CANNOT_JOIN_MEETING'],
  ['5.3 full, by the state', failure('conference.max_users'), 'full', 'CANNOT_JOIN_MEETING'],
  ['5.3 maintenance', notice('dialog.serviceUnavailable'), 'maintenance', 'CANNOT_JOIN_MEETING'],
  ['5.3 a reservation', notice('dialog.reservationError'), 'reservation', 'CANNOT_JOIN_MEETING'],
  ['5.3 too quick', notice('dialog.errorRoomCreationRestriction'), 'too_quick', 'CANNOT_JOIN_MEETING'],
  ['5.3 no connection', notice('connection.CONNFAIL'), 'not_connected', 'CANNOT_JOIN_MEETING'],
  ['6.1 the frame alone', { ...FRAME, state: OUTSIDE }, 'connecting', null],
  [
    '7.5 the overlay',
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
  const situation = situationOf(signs(shown), HOST)
  expect(situation.kind).toBe(kind)
  expect(refusalOf(situation, 'waiting', false)?.code ?? null).toBe(code)
})

test.each([
  ['7.1', reason('Ouch! Ann Host kicked you out of the meeting'), 'removed'],
  ['7.1 by the server', reason('Ouch! You were kicked out of the meeting'), 'removed'],
  ['7.1 in German', reason('Autsch! Ann Host hat Sie aus dem Meeting geworfen.'), 'removed'],
  ['7.2', reason('The meeting has been terminated'), 'ended_for_all'],
  ['7.2 the time is up', reason('This meeting has ended because it reached its time limit.'), 'ended_for_all'],
  ["7.2 the operator's own words", reason('Closed for cleaning'), 'ended_for_all'],
  ['7.4 the last page', at('/static/close2.html'), 'ended_for_all'],
  ['7.4 the welcome page', at('/'), 'ended_for_all'],
  ['7.4 no last page', { ...FRAME, state: { ...OUTSIDE!, wasJoined: true } }, 'ended_for_all'],
  ['7.3 alone', { ...CALL, remoteTiles: 0 }, null],
  ['7.5', { overlay: { kind: 'error', text: 'Unfortunately, something went wrong.' } }, null],
  ['7.5 the page anew', PREJOIN, null],
  ['7.6', { ...CALL, isMediaLost: true }, null],
] as const)('after admission, %s', (_row, shown, end) => {
  expect(endOf(situationOf(signs(shown), HOST))).toBe(end)
})

describe('what outweighs what', () => {
  test('a password that the link gave is tried, not refused', () => {
    const situation = situationOf(signs({ passwordBox: true }), HOST)
    expect(refusalOf(situation, 'pre-join', true)).toBeNull()
  })

  test('tiles of others are no meeting where the page says that it is outside', () => {
    expect(situationOf(signs({ ...FRAME, remoteTiles: 3, state: OUTSIDE }), HOST).kind).toBe('connecting')
    expect(situationOf(signs({ ...FRAME, remoteTiles: 3, state: null }), HOST).kind).toBe('in_call')
  })

  test('the lobby is not the meeting, whatever its page keeps from before', () => {
    expect(situationOf(signs({ ...CALL, state: OUTSIDE, screen: 'lobby', isKnocking: true }), HOST).kind).toBe('lobby')
  })

  test('one witness is not two', () => {
    expect(isCorroborated(situationOf(signs(CALL), HOST))).toBe(true)
    expect(isCorroborated(situationOf(signs({ ...FRAME, state: INSIDE }), HOST))).toBe(false)
    expect(isCorroborated(situationOf(signs({ ...FRAME, remoteTiles: 1 }), HOST))).toBe(false)
  })

  test('what people write ends nothing', () => {
    const shown = signs({ ...CALL, lines: ['You were kicked out of the meeting', 'The meeting has been terminated'] })
    expect(situationOf(shown, HOST).kind).toBe('in_call')
  })

  test('an old refusal is over once the page is in', () => {
    const refused = { name: 'connection.CONNFAIL', text: 'Connection failed' }
    expect(situationOf(signs({ ...CALL, notices: [refused] }), HOST).kind).toBe('in_call')
  })

  test('a sentence of a failure holds the text as it is', () => {
    const situation = situationOf(signs(at('/', HOST)), HOST)
    const error = refusalOf({ ...situation, text: '$& {text}' }, 'pre-join', false)
    expect(error?.message).toContain('($& {text})')
  })
})
