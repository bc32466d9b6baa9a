/**
 * The table of docs/platform-notes/zoom.md#sdk-join-outcomes, row by row: what the SDK says, and the code that a bot
 * ends with.
 */
import type { Reason } from '@standin/wire/reasons.ts'
import { describe, expect, test } from 'vitest'
import { FAILURE_OUTCOMES, failureError, type JoinedWith } from '../../../../platforms/zoom/meeting-sdk/failures.ts'
import type { SdkFacts, SdkFailure, SdkSnapshot } from '../../../../platforms/zoom/meeting-sdk/page/types.ts'
import { SDK_PAGE_PHASES, SILENT_JOIN_MS, sdkClassifier } from '../../../../platforms/zoom/meeting-sdk/page-state.ts'
import { CALL, dialog, snapshot } from '../snapshots.ts'

const FACTS: SdkFacts = {
  progress: 'joining',
  joinCalledAt: 0,
  level: 1,
  waitsForHost: false,
  isInWaitingRoom: null,
  meetingStatus: 1,
  failures: [],
  left: null,
  isAttendee: false,
  hasHost: false,
  areRoomsOpen: null,
  capture: { status: null, allowed: null, answers: 0 },
}
const IN_MEETING: Partial<SdkFacts> = { isAttendee: true, level: 14, meetingStatus: 2, isInWaitingRoom: false }
const PAGE = 'http://127.0.0.1:4000/0123456789abcdef/meeting'

function sdkSnapshot(sdk: Partial<SdkFacts>, page: Partial<SdkSnapshot> = {}): SdkSnapshot {
  return { ...snapshot({ url: PAGE, ...page }), sdk: { ...FACTS, ...sdk } }
}

function classifier(joinedWith: JoinedWith = 'nothing', canAskAgain = true) {
  return sdkClassifier({ joinedWith: () => joinedWith, canAskAgain })
}

const failure = (code: number | null, channel: SdkFailure['channel'] = 'callback'): SdkFailure => ({
  channel,
  code,
  text: 'words of Zoom',
})

function refusal(sdk: Partial<SdkFacts>, joinedWith: JoinedWith = 'nothing', page: Partial<SdkSnapshot> = {}) {
  const { stateOf, refusalOf } = classifier(joinedWith)
  return refusalOf(stateOf(sdkSnapshot(sdk, page)), 'waiting', new Set())
}

describe('a join that fails', () => {
  test.each<[codes: number[], outcome: string, canRetry: boolean, joinedWith?: JoinedWith]>([
    [[3704, 3710, 3712, 3713, 6603, 10000], 'SDK_AUTH_FAILED', false],
    [[3705], 'SDK_AUTH_FAILED', true],
    [[4003, 3], 'CANNOT_JOIN_MEETING', false],
    [[3001, 3610, 3702, 3703, 3706, 3707, 3714], 'INVALID_MEETING_URL', false],
    [[3004], 'CANNOT_JOIN_MEETING', false],
    [[3034, 3116, 3135, 3082, 3100], 'LOGIN_REQUIRED', false],
    [[3005, 3099, 3606, 3620, 3624, 3627], 'CANNOT_JOIN_MEETING', false],
    [[3009], 'BOT_NOT_ACCEPTED', false],
    [[3603, 3608, 3609, 3611, 3604, 3630], 'CANNOT_JOIN_MEETING', false],
    [[3621, 3622, 403, 4009, 4000, 4001, 1, 3633, 3635], 'CANNOT_JOIN_MEETING', true],
    [[3634], 'CANNOT_JOIN_MEETING', false],
    [[3623, 3265, 4018], 'CONF_ACCESS_TOKEN_ERROR', true, 'zak'],
    [[3636, 4013, 4015, 4018], 'CONF_OBF_TOKEN_ERROR', false, 'obf'],
    [[4014], 'CONF_OBF_TOKEN_ERROR', true, 'obf'],
    [[4011, 4012, 4013, 513], 'UNABLE_JOIN_EXTERNAL_MEETING', false],
    [[4016], 'CONF_ACCESS_TOKEN_ERROR', false],
    [[4004, 13208], 'MEETING_ENDED_PREMATURELY', false],
    [[4005], 'CANNOT_JOIN_MEETING', true],
    [[4006, 4007, 4008], 'CANNOT_JOIN_MEETING', false],
    [[99_999], 'CANNOT_JOIN_MEETING', true],
  ])('with %j is %s', (codes, outcome, canRetry, joinedWith) => {
    for (const code of codes) {
      const error = refusal({ failures: [failure(code)] }, joinedWith)
      expect(error, String(code)).toMatchObject({ code: outcome, canRetry })
      expect(error!.message).toContain('words of Zoom')
    }
  })

  test.each<[code: number, reason: Reason | undefined]>([
    [4006, 'locked'],
    [4005, 'full'],
    [4004, 'ended'],
    [3634, 'captcha'],
    [3100, 'account_required'],
    [3099, 'invitation_required'],
    [3009, 'denied_by_person'],
    [4008, undefined],
  ])('with %i has the reason %s', (code, reason) => {
    expect(refusal({ failures: [failure(code)] })?.reason).toBe(reason)
  })

  test('is reported by the channel that has the number', () => {
    const failures = [failure(null, 'status'), failure(1, 'callback'), failure(4014, 'console')]
    expect(refusal({ failures }, 'obf')).toMatchObject({ code: 'CONF_OBF_TOKEN_ERROR' })
  })

  test('that no other address can correct is not tried again', () => {
    expect(failureError('on_behalf_stale', '4014', false).canRetry).toBe(false)
    expect(failureError('on_behalf_stale', '4014', true).canRetry).toBe(true)
    expect(failureError('trouble', '1', false).canRetry).toBe(true)
  })

  test('shows what Zoom said as it is, also where it holds signs of replacement', () => {
    const failures = [{ ...failure(3712), text: "$& $' <b>" }]
    expect(refusal({ failures })!.message).toContain("$& $' <b>")
  })

  test('in silence is reported when its time is over, or at once by the line about the signature', () => {
    const silent = { level: null, meetingStatus: null }
    const { stateOf } = classifier()
    expect(stateOf(sdkSnapshot(silent, { at: SILENT_JOIN_MS - 1 })).kind).toBe('joining')
    expect(refusal(silent, 'nothing', { at: SILENT_JOIN_MS })).toMatchObject({ code: 'CANNOT_GET_JWT_TOKEN' })
    const line = { ...silent, failures: [failure(null, 'silence')] }
    expect(refusal(line)).toMatchObject({ code: 'CANNOT_GET_JWT_TOKEN' })
  })

  test('because the script did not come may succeed the next time', () => {
    const failures = [failure(null, 'script')]
    expect(refusal({ progress: 'bare', failures })).toMatchObject({ code: 'CANNOT_JOIN_MEETING', canRetry: true })
  })

  test('without any callback, as the package itself does for a passcode and a registration', () => {
    expect(refusal({}, 'nothing', { lines: ['Passcode wrong', 'Join'] })).toMatchObject({ code: 'CANNOT_JOIN_MEETING' })
    const registration = refusal({}, 'nothing', { lines: ['Registration Meeting', 'Register'] })
    expect(registration).toMatchObject({
      code: 'CANNOT_JOIN_MEETING',
      message: expect.stringContaining('registration'),
    })
  })
})

describe('a wait', () => {
  test.each<[what: string, Partial<SdkFacts>, JoinedWith, kind: string, waitsFor: string]>([
    ['for a host in numbers', { failures: [failure(3008)] }, 'nothing', 'host_not_there', 'host'],
    ['for a host who is elsewhere', { failures: [failure(3000)] }, 'nothing', 'host_not_there', 'host'],
    ["for a host on the SDK's page", { waitsForHost: true, level: 4 }, 'nothing', 'waiting_for_host', 'host'],
    ['for the user', { failures: [failure(4017, 'console')] }, 'obf', 'user_not_there', 'authorized_user'],
    ['for the user of an older SDK', { failures: [failure(1)] }, 'obf', 'user_not_there', 'authorized_user'],
    ['for admission', { isInWaitingRoom: true, level: 8, meetingStatus: 2 }, 'nothing', 'waiting_room', 'admission'],
  ])('%s', (_what, facts, joinedWith, kind, waitsFor) => {
    const { stateOf, refusalOf, waitsFor: table } = classifier(joinedWith)
    const state = stateOf(sdkSnapshot(facts))
    expect(state.kind).toBe(kind)
    expect(SDK_PAGE_PHASES[state.kind]).toBe('waiting')
    expect(table?.[state.kind] ?? 'admission').toBe(waitsFor)
    expect(refusalOf(state, 'waiting', new Set())).toBeNull()
  })

  test("of the SDK's own outweighs a number that came with it", () => {
    const facts = { waitsForHost: true, failures: [failure(3008)] }
    expect(classifier().stateOf(sdkSnapshot(facts)).kind).toBe('waiting_for_host')
  })

  test('in the waiting room vetoes everything that looks like the meeting', () => {
    const facts = { isInWaitingRoom: true, level: 8, meetingStatus: 2 }
    expect(classifier().stateOf(sdkSnapshot(facts, { ...CALL })).kind).toBe('waiting_room')
  })

  test.each([
    [7, 'BOT_NOT_ACCEPTED', 'denied_by_person'],
    [8, 'CANNOT_JOIN_MEETING', undefined],
    [1, 'MEETING_ENDED_PREMATURELY', 'ended'],
  ])('that ends with reason %i is %s', (reasonCode, code, reason) => {
    const refused = refusal({ left: { reasonCode, reason: 'why' }, isInWaitingRoom: true })
    expect(refused).toMatchObject({ code })
    expect(refused!.reason).toBe(reason)
  })
})

describe('the meeting', () => {
  const endOf = (facts: Partial<SdkFacts>, page: Partial<SdkSnapshot> = {}) => {
    const signsNow = sdkSnapshot({ ...IN_MEETING, ...facts }, { ...CALL, ...page })
    const { stateOf, endOf: end } = classifier('obf')
    return end(stateOf(signsNow), signsNow)
  }

  test('is proven by the list of attendees and another witness', () => {
    const { stateOf, isCorroborated } = classifier()
    const sure = stateOf(sdkSnapshot(IN_MEETING, CALL))
    expect(sure).toMatchObject({ kind: 'in_call', proofs: ['attendee', 'sound', 'connected', 'footer', 'speaker'] })
    expect(isCorroborated?.(sure)).toBe(true)
    const alone = stateOf(sdkSnapshot({ ...IN_MEETING, level: 8, meetingStatus: 1 }))
    expect(isCorroborated?.(alone)).toBe(false)
  })

  test('continues while the connection comes back, and while numbers of joining are still listed', () => {
    expect(endOf({})).toBeNull()
    expect(endOf({ failures: [failure(1)] })).toBeNull()
    expect(classifier().stateOf(sdkSnapshot({ ...IN_MEETING, meetingStatus: 4 }, CALL)).kind).toBe('reconnecting')
    expect(classifier().stateOf(sdkSnapshot({ ...IN_MEETING, meetingStatus: 3 }, CALL)).kind).toBe('reconnecting')
  })

  test.each<[what: string, Partial<SdkFacts>, end: string]>([
    ['the host ended it', { left: { reasonCode: 1, reason: '' } }, 'ended_for_all'],
    ['the bot was removed', { left: { reasonCode: 6, reason: '' } }, 'removed'],
    ['the same participant joined elsewhere', { left: { reasonCode: 5, reason: '' } }, 'ended_for_all'],
    ['the authorizing user left', { failures: [failure(4019, 'status')] }, 'authorized_user_left'],
  ])('ends when %s', (_what, facts, end) => {
    expect(endOf(facts)).toBe(end)
  })

  test('ends by what dialogs say, before the SDK itself says it', () => {
    expect(endOf({}, { dialogs: [dialog('This meeting has been ended by host', 'OK')] })).toBe('ended_for_all')
    expect(endOf({}, { dialogs: [dialog('You have been removed', 'Leave')] })).toBe('removed')
    expect(endOf({}, { dialogs: [dialog('The authorized user left the meeting.', 'OK')] })).toBe('authorized_user_left')
  })

  test('does not end by what people write', () => {
    expect(endOf({}, { lines: ['You have been removed', 'meeting has ended'] })).toBeNull()
  })

  test('is left when the SDK has gone to its page after it', () => {
    const after = sdkSnapshot({ progress: 'bare', level: null }, { url: PAGE.replace('meeting', 'left') })
    expect(classifier().stateOf(after).kind).toBe('left')
  })
})

test('every kind of failure has a place and an outcome', () => {
  for (const kind of Object.keys(FAILURE_OUTCOMES) as (keyof typeof FAILURE_OUTCOMES)[]) {
    expect(SDK_PAGE_PHASES[kind]).toBe('out')
    expect(failureError(kind, 'x', true).message).toContain('x')
  }
})
