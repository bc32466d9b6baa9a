import { describe, expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import { heartbeats } from '../conformance/ground.ts'
import {
  type Attempt,
  clicksOn,
  expectJoinedWithoutDevices,
  until,
  untilItMoves,
  zoomHarness,
  zoomReader,
} from './harness.ts'

const zoom = zoomHarness()

describe('a page of a meeting that is over', () => {
  const reader = zoomReader(zoom)

  type Meeting = Attempt['meeting']
  const showing = (name: string) => (meeting: Meeting) => meeting.show(name)

  test.each<[string, string, (meeting: Meeting) => void]>([
    ['of a bot that is removed', 'removed', (meeting) => meeting.remove()],
    ['ended by the host', 'ended_for_all', (meeting) => meeting.endForAll()],
    ['ended by an admin', 'ended_for_all', showing('ended-by-admin')],
    ['ended by another meeting of the host', 'ended_for_all', showing('ended-other-meeting')],
    ['ended by the limit of free meetings', 'ended_for_all', showing('ended-free')],
    ['joined from elsewhere', 'ended_for_all', showing('other-device')],
    ['gone without a word', 'ended_for_all', showing('gone-home')],
  ])('%s: %s', async (_how, end, act) => {
    const meeting = await reader.ask('open')
    await reader.state('in_call')
    act(meeting)
    expect(await reader.end()).toBe(end)
  })

  test.each(['host-left', 'host-lost'])('%s: those who are in wait for a host', async (shown) => {
    const meeting = await reader.ask('open')
    await reader.state('in_call')
    meeting.show(shown)
    await reader.state('waiting_room')
  })

  test('a network that the page gives up is still a lost connection, and no end', async () => {
    const meeting = await reader.ask('wc-reconnect-fails')
    await reader.state('in_call')
    meeting.loseConnection()
    await reader.state('reconnecting')
    await meeting.whenState('disconnected', 60_000)
    await reader.state('reconnecting')
  })
})

describe('a meeting that continues', () => {
  const together = zoom.insideTogether('wc-restless', { driver: { microphone: 'on' } })
  const isOver = () => together().events.some(({ type }) => type === 'ended' || type === 'failed')
  const goesOn = async () => {
    const attempt = together()
    const answeredAt = Date.now()
    await attempt.event('heartbeat', ({ others, at }) => others === 2 && at > answeredAt)
    expect(attempt.meeting.state).toBe('call')
    expect(clicksOn(attempt, 'Leave Meeting')).toBe(0)
  }

  test('stacked notices, a banner and a tip are answered with Got it', async () => {
    const attempt = together()
    await until(() => clicksOn(attempt, 'Got it') >= 3, 'the notices are answered')
    await goesOn()
  })

  test('toasts, another tip, a lock and a new host end nothing', async () => {
    for (const shown of ['free-limit', 'no-free-audio', 'settings-tip', 'lock', 'new-host'])
      together().meeting.show(shown)
    await goesOn()
  })

  test('a microphone that the host turns off stays off, and the bot says so', async () => {
    const attempt = together()
    await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
    // It is on for the page, too, before the host turns it off.
    await heartbeats(attempt.events, 3)
    attempt.meeting.muteBot()
    await attempt.event('muted_by_host')
    await until(() => !attempt.meeting.bot.microphoneOn, 'the microphone is off')
  })

  test.each([
    ['ai', 'Got it'],
    ['recording', 'Got it'],
    ['breakout-invitation', 'Later'],
    ['ask-to-unmute', 'Stay muted'],
  ])('%s: the dialog is answered with %s', async (shown, button) => {
    const attempt = together()
    const before = clicksOn(attempt, button)
    attempt.meeting.show(shown)
    await until(() => clicksOn(attempt, button) > before, `the button ${button} was pressed`)
    await goesOn()
    await until(() => !attempt.meeting.bot.microphoneOn, 'the microphone is off')
  })

  test('breakout rooms are open while a guest has their button, or while the bot is moved', async () => {
    const attempt = together()
    const rooms = async (shown: string, wanted: boolean) => {
      attempt.meeting.show(shown)
      const shownAt = Date.now()
      await attempt.event('heartbeat', ({ areRoomsOpen, at }) => areRoomsOpen === wanted && at > shownAt)
    }
    await attempt.event('heartbeat', ({ areRoomsOpen }) => areRoomsOpen === false)
    await rooms('breakout-rooms', true)
    await rooms('breakout-rooms-closed', false)
    await rooms('breakout-room', true)
    await rooms('main-session', false)
    await goesOn()
  })

  test('a bot that is put back into the waiting room has not ended, and the meeting continues after it', async () => {
    const attempt = together()
    attempt.meeting.show('on-hold')
    await until(() => attempt.meeting.state === 'onHold', 'the bot is on hold')
    const heldAt = Date.now()
    await attempt.event('heartbeat', ({ others, at }) => others === null && at > heldAt)
    attempt.meeting.admit()
    const admittedAt = Date.now()
    await attempt.event('heartbeat', ({ others, at }) => others === 2 && at > admittedAt)
    expect(isOver()).toBe(false)
  })

  test('a footer that hides all the time ends nothing', async () => {
    const healthy = () => together().events.filter((event) => event.type === 'heartbeat' && event.others === 2)
    await until(() => healthy().length > 12, 'a dozen looks at the meeting')
    expect(isOver()).toBe(false)
  })

  test('a bot that has become host leaves, and does not end the meeting for others', async () => {
    const attempt = together()
    attempt.meeting.show('make-host')
    await heartbeats(attempt.events, 4)
    await attempt.driver.leave()
    expect(attempt.meeting.state).toBe('left')
    expect(attempt.meeting.log.filter(({ target }) => /for all/i.test(target))).toEqual([])
  })
})

test('sound that does not join by itself is joined; where consent to be recorded is refused the bot goes and says so', async () => {
  const attempt = await zoom.attempt('wc-audio-not-joined', { driver: { recordingConsent: 'refuse' } })
  await attempt.enter()
  await until(
    () => attempt.meeting.log.some(({ event, target }) => event === 'rpc' && target === 'audio-joined'),
    'the sound is joined',
  )
  attempt.meeting.show('recording')
  const { error } = await attempt.event('failed')
  expect(error).toBeInstanceOf(BotError)
  expect(error).toMatchObject({
    code: 'BOT_NOT_ACCEPTED',
    message: expect.stringContaining('recording_consent'),
  })
})

test('a microphone whose state cannot be read is left alone; a bot that stays in the waiting room after it was put back ends as removed', async () => {
  const attempt = await zoom.attempt('wc-mic-label-audio', { paces: { onHoldMs: 1500 } })
  await attempt.enter()
  await attempt.event('heartbeat', ({ others }) => others === 2)
  await until(() => attempt.events.length > 15, 'some looks at the meeting')
  expect(clicksOn(attempt, 'audio')).toBe(0)
  attempt.meeting.show('on-hold')
  expect((await attempt.event('ended')).end).toBe('removed')
})

test('in the frame of the web app the bot joins, shows the moving pictures, and the meeting ends like any other', async () => {
  const attempt = await zoom.attempt('wc-pwa-iframe', { driver: { recordingMode: 'speaker_view' } })
  await attempt.enter()
  expectJoinedWithoutDevices(attempt)
  await attempt.event('participant_joined')
  await until(() => !attempt.meeting.bot.microphoneOn, 'the microphone is off')
  await attempt.driver.prepareRecording(attempt.signal)
  await untilItMoves(attempt)
  attempt.meeting.endForAll()
  expect(await attempt.event('ended')).toMatchObject({
    end: 'ended_for_all',
    codeBeforeRecording: 'MEETING_ENDED_PREMATURELY',
  })
})
