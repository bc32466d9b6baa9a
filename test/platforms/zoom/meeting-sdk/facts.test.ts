import { describe, expect, test } from 'vitest'
import { SdkFactsStore } from '../../../../platforms/zoom/meeting-sdk/page/facts.ts'
import { peopleOf } from '../../../../platforms/zoom/meeting-sdk/page/roster-reader.ts'

const SELF = 16_778_240
const ANN = 16_779_264

describe('what the SDK says', () => {
  test('the same failure on one channel counts once, on another it is another witness', () => {
    const keeper = new SdkFactsStore()
    keeper.failed('callback', 3004, 'Meeting Passcode wrong.')
    keeper.failed('callback', '3004', 'Meeting Passcode wrong.')
    keeper.failed('console', 3004, 'Meeting Passcode wrong.')
    expect(keeper.facts.failures.map(({ channel }) => channel)).toEqual(['callback', 'console'])
  })

  test('a page cannot fill the memory with failures', () => {
    const keeper = new SdkFactsStore()
    for (let code = 0; code < 500; code++) keeper.failed('console', code, 'x'.repeat(10_000))
    expect(keeper.facts.failures).toHaveLength(20)
    expect(keeper.facts.failures[0]!.text).toHaveLength(300)
  })

  test('breakout rooms are open until they are closed; closing takes a minute', () => {
    const keeper = new SdkFactsStore()
    const openAfter = (data: unknown) => {
      keeper.tookRoomStatus(data)
      return keeper.facts.areRoomsOpen
    }
    expect(keeper.facts.areRoomsOpen).toBeNull()
    expect([2, 3, 4].map((status) => openAfter({ status }))).toEqual([true, true, false])
    expect(openAfter({ status: 'x' }), 'no status changes nothing').toBe(false)
  })

  test('levels go up; waiting for the host and the waiting room begin and end by them', () => {
    const keeper = new SdkFactsStore()
    const level = (number: number) => keeper.tookJoinSpeed({ tag: 'JOIN_SPEED', level: number })
    level(4)
    expect(keeper.facts.waitsForHost).toBe(true)
    level(5)
    expect(keeper.facts.waitsForHost).toBe(false)
    level(8)
    expect(keeper.facts.isInWaitingRoom).toBeNull()
    level(6)
    expect(keeper.facts).toMatchObject({ isInWaitingRoom: true, level: 8 })
    level(7)
    expect(keeper.facts.isInWaitingRoom).toBe(false)
    level(13)
    expect(keeper.facts.level).toBe(13)
  })

  test('the list that the waiting room shows makes no participant an attendee', () => {
    const keeper = new SdkFactsStore()
    keeper.tookSelf({ userId: SELF, isHold: false })
    keeper.tookAttendees(null)
    expect(keeper.facts.isAttendee).toBe(false)
    keeper.tookAttendees([{ userId: SELF }, { userId: ANN, isHost: true }])
    expect(keeper.facts).toMatchObject({ isAttendee: true, hasHost: true })
    keeper.tookWaitingRoom({ self: true, isInWaitingRoom: true, userId: SELF })
    expect(keeper.facts).toMatchObject({ isAttendee: false, isInWaitingRoom: true })
    keeper.tookAttendees([{ userId: SELF }])
    expect(keeper.facts.isAttendee).toBe(false)
  })

  test("others' leaving is not the bot's", () => {
    const keeper = new SdkFactsStore()
    keeper.tookUserLeave({ userId: ANN, userName: 'Ann' })
    expect(keeper.facts.left).toBeNull()
    keeper.tookUserLeave({ reasonCode: 6, reason: 'You are removed by host/co-host from meeting' })
    keeper.tookUserLeave({ reasonCode: 2, reason: 'later' })
    expect(keeper.facts.left).toEqual({ reasonCode: 6, reason: 'You are removed by host/co-host from meeting' })
  })

  test('a lost connection in the meeting is no failure, the end of an authorization is one', () => {
    const keeper = new SdkFactsStore()
    keeper.tookSelf({ userId: SELF })
    keeper.tookAttendees([{ userId: SELF }])
    keeper.tookMeetingStatus({ meetingStatus: 3 })
    expect(keeper.facts.failures).toEqual([])
    keeper.tookMeetingStatus({ meetingStatus: 3, errorCode: 4019, errorMessage: 'gone' })
    expect(keeper.facts.failures).toEqual([{ channel: 'status', code: 4019, text: 'gone' }])
  })

  test("only the bot's own capture counts, whichever of its streams it is", () => {
    const keeper = new SdkFactsStore()
    keeper.tookSelf({ userId: SELF })
    keeper.tookCaptureStatus({ status: 1, userId: ANN })
    expect(keeper.facts.capture.status).toBeNull()
    keeper.tookCaptureStatus({ status: 1, userId: SELF + 2 })
    expect(keeper.facts.capture.status).toBe(1)
  })

  test('anything may come from a page', () => {
    const keeper = new SdkFactsStore()
    for (const junk of [null, undefined, 7, 'x', [], {}, { level: {} }, { userId: 'x' }]) {
      keeper.tookJoinSpeed(junk)
      keeper.tookMeetingStatus(junk)
      keeper.tookWaitingRoom(junk)
      keeper.tookUserLeave(junk)
      keeper.tookCaptureAnswer(junk)
      keeper.tookCaptureStatus(junk)
      keeper.tookSelf(junk)
    }
    expect(keeper.facts).toMatchObject({ level: null, left: null, isAttendee: false })
  })
})

describe('people', () => {
  test('are all but the bot, other bots and who is held back', () => {
    const { people, sharing } = peopleOf(
      [
        { userId: SELF, userName: 'Bot' },
        { userId: SELF + 4096, userName: 'Bot before its rejoin' },
        { userId: ANN, userName: ' Ann <b>Host</b> ', isHost: true, sharingStatus: 'sharing' },
        { userId: ANN + 1024, userName: 'Other notes', isBotUser: true },
        { userId: ANN + 2048, userName: 'Waits', isHold: true },
        { userId: ANN + 5120, userName: '', sharingStatus: 'stopped' },
        { userId: 'junk', userName: 'No number' },
      ],
      new Set([SELF, SELF + 4096]),
    )
    expect(people).toEqual([
      { id: String(ANN), name: 'Ann <b>Host</b>', isHost: true },
      { id: String(ANN + 5120), name: 'Unknown', isHost: false },
    ])
    expect([...sharing]).toEqual([String(ANN)])
  })
})
