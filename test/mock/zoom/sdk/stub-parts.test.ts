import { expect, test } from 'vitest'
import { attendeeOf, changesBetween } from '../../../../mock/zoom/sdk/page/attendees.ts'
import { capture, type RecordingView, requestProblem } from '../../../../mock/zoom/sdk/page/recording.ts'
import { joinProblem } from '../../../../mock/zoom/sdk/page/validate.ts'
import { SDK_DEFAULTS } from '../../../../mock/zoom/sdk/settings.ts'

const GOOD = { meetingNumber: '88240852079', userName: 'Bot', passWord: '', signature: 's' }

test.each<[what: string, given: Record<string, unknown>, code: number | null]>([
  ['what it has to have', GOOD, null],
  ['a parameter that it does not know', { ...GOOD, password: 'x' }, 3],
  ['too long a number', { ...GOOD, meetingNumber: '1234567890123' }, 4003],
  ['no name', { ...GOOD, userName: '' }, 4003],
  ['a name of 129 bytes', { ...GOOD, userName: `${'é'.repeat(64)}x` }, 4003],
  ['a name of 128 bytes', { ...GOOD, userName: 'é'.repeat(64) }, null],
  ['too long a passcode', { ...GOOD, passWord: 'x'.repeat(33) }, 4003],
  ['a name with a script', { ...GOOD, userName: '<script>' }, 4003],
  ['both tokens', { ...GOOD, obfToken: 'o', zak: 'z' }, 3636],
])('join with %s', (_what, given, code) => {
  expect(joinProblem(given)?.errorCode ?? null).toBe(code)
})

const VIEW: RecordingView = {
  settings: SDK_DEFAULTS.recording,
  canRecord: false,
  isOwnHost: false,
  hasHost: true,
}

test('capturing needs the right, and asking for it needs a host who can answer', () => {
  expect(capture('start', VIEW)).toEqual({ error: 'no local record permission', asksHost: true })
  expect(capture('begin', VIEW)).toEqual({ error: 'params need to be start | stop| pause' })
  expect(capture('start', { ...VIEW, canRecord: true })).toEqual({ status: 1 })
  expect(requestProblem('request', VIEW)).toBeNull()
  expect(requestProblem('request', { ...VIEW, canRecord: true })).toBe('you already have local record permission')
  expect(() => requestProblem('request', { ...VIEW, hasHost: false })).toThrow("reading 'caps'")
})

test('people who join, leave and change are distinguished', () => {
  const person = {
    node: 16_779_264,
    name: 'Ann',
    isSelf: false,
    role: 'host',
    isGuest: false,
    audio: 'computer',
    muted: false,
    camera: true,
    photo: false,
    speaking: false,
    sharing: false,
    handRaised: false,
  } as const
  const ann = attendeeOf(person, null)
  const bob = attendeeOf({ ...person, node: 16_780_288, name: 'Bob', role: 'none' }, null)
  const changes = changesBetween([ann], [attendeeOf({ ...person, sharing: true }, null), bob])
  expect(changes.joined).toEqual([bob])
  expect(changes.left).toEqual([])
  expect(changes.changed.map(({ sharingStatus }) => sharingStatus)).toEqual(['sharing'])
  expect(changesBetween([ann, bob], [bob]).left).toEqual([ann])
})

test('only a bot that joined on behalf of a user is shown as a bot', () => {
  const own = { node: 1024, name: 'Notes', isSelf: true, role: 'none', isGuest: false, audio: 'computer' } as const
  const rest = { muted: true, camera: false, photo: false, speaking: false, sharing: false, handRaised: false }
  expect(attendeeOf({ ...own, ...rest }, 'Ann')).toMatchObject({ isBotUser: true, botAuthorizerName: 'Ann' })
  expect(attendeeOf({ ...own, ...rest }, null)).toMatchObject({ isBotUser: false, botAuthorizerName: '' })
})
