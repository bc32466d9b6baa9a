import { describe, expect, test } from 'vitest'
import { BotError } from '../../../core/errors.ts'
import { heartbeats } from '../conformance/ground.ts'
import { type Attempt, until, zoomHarness, zoomReader } from './harness.ts'

const zoom = zoomHarness()

function clicksOn({ meeting }: Attempt, target: string): number {
  return meeting.log.filter((entry) => entry.event === 'click' && entry.target === target).length
}

test.each([
  ['removed', 'removed', (meeting: Attempt['meeting']) => meeting.remove()],
  ['ended by the host', 'ended_for_all', (meeting: Attempt['meeting']) => meeting.endForAll()],
] as const)('%s is the end %s', async (_how, end, act) => {
  const attempt = await zoom.attempt('open', { waits: { leaveTotalMs: 5000 } })
  await attempt.enter()
  await attempt.event('heartbeat', ({ others }) => others === 2)
  act(attempt.meeting)
  const ended = await attempt.event('ended')
  expect(ended.end).toBe(end)
  expect(ended.codeBeforeRecording).toBe('MEETING_ENDED_PREMATURELY')
  await attempt.driver.leave()
})

describe('a page of a meeting that is over', () => {
  const reader = zoomReader(zoom)

  test.each([
    ['ended by an admin', 'ended-by-admin'],
    ['ended by another meeting of the host', 'ended-other-meeting'],
    ['ended by the limit of free meetings', 'ended-free'],
    ['joined from elsewhere', 'other-device'],
    ['gone without a word', 'gone-home'],
  ])('%s is the end for all', async (_how, shown) => {
    const meeting = await reader.ask('open')
    await reader.state('in_call')
    meeting.show(shown)
    expect(await reader.end()).toBe('ended_for_all')
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

  test('a connection that comes back is reported as lost and recovered', async () => {
    const attempt = together()
    attempt.meeting.loseConnection()
    await attempt.event('connection', ({ state }) => state === 'lost')
    attempt.meeting.regainConnection()
    await attempt.event('connection', ({ state }) => state === 'recovered')
    expect(isOver()).toBe(false)
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

test('where consent to be recorded is refused the bot goes and says so', async () => {
  const attempt = await zoom.attempt('wc-recording-consent', { driver: { recordingConsent: 'refuse' } })
  const error = await attempt.enter().then(
    () => attempt.event('failed').then((event) => event.error),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(BotError)
  expect((error as BotError).code).toBe('BOT_NOT_ACCEPTED')
  expect((error as BotError).message).toContain('recording_consent')
})

test('sound that does not join by itself is joined', async () => {
  const attempt = await zoom.attempt('wc-audio-not-joined')
  await attempt.enter()
  await until(
    () => attempt.meeting.log.some(({ event, target }) => event === 'rpc' && target === 'audio-joined'),
    'the sound is joined',
  )
})

test('a microphone whose state cannot be read is left alone where the meeting is heard', async () => {
  const attempt = await zoom.attempt('wc-mic-label-audio')
  await attempt.enter()
  await attempt.event('heartbeat', ({ others }) => others === 2)
  await until(() => attempt.events.length > 15, 'some looks at the meeting')
  expect(clicksOn(attempt, 'audio')).toBe(0)
})

test('a bot that stays in the waiting room after it was put back ends as removed', async () => {
  const attempt = await zoom.attempt('open', { paces: { onHoldMs: 1500 } })
  await attempt.enter()
  attempt.meeting.show('on-hold')
  expect((await attempt.event('ended')).end).toBe('removed')
})

test('a connection that does not come back is the failure of this attempt', async () => {
  const attempt = await zoom.attempt('open', { waits: { reconnectMs: 1500 } })
  await attempt.enter()
  attempt.meeting.loseConnection()
  const { error } = await attempt.event('failed')
  expect((error as BotError).code).toBe('INTERNAL_ERROR')
  expect(error.message).toContain('did not come back')
})

test('in the frame of the web app the meeting ends like any other', async () => {
  const attempt = await zoom.attempt('wc-pwa-iframe')
  await attempt.enter()
  await attempt.event('participant_joined')
  await until(() => !attempt.meeting.bot.microphoneOn, 'the microphone is off')
  attempt.meeting.endForAll()
  expect((await attempt.event('ended')).end).toBe('ended_for_all')
})
