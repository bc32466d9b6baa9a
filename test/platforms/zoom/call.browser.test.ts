import { expect, test } from 'vitest'
import { BotError } from '../../../src/errors.ts'
import { type Attempt, until, zoomHarness } from './harness.ts'

const zoom = zoomHarness()

function clicksOn({ meeting }: Attempt, target: string): number {
  return meeting.log.filter((entry) => entry.event === 'click' && entry.target === target).length
}

test.each([
  ['removed', 'removed', (meeting: Attempt['meeting']) => meeting.remove()],
  ['ended by the host', 'ended_for_all', (meeting: Attempt['meeting']) => meeting.endForAll()],
  ['ended by an admin', 'ended_for_all', (meeting: Attempt['meeting']) => meeting.show('ended-by-admin')],
  [
    'ended by another meeting of the host',
    'ended_for_all',
    (meeting: Attempt['meeting']) => meeting.show('ended-other-meeting'),
  ],
  ['ended by the limit of free meetings', 'ended_for_all', (meeting: Attempt['meeting']) => meeting.show('ended-free')],
  ['joined from elsewhere', 'ended_for_all', (meeting: Attempt['meeting']) => meeting.show('other-device')],
  ['gone without a word', 'ended_for_all', (meeting: Attempt['meeting']) => meeting.show('gone-home')],
] as const)('%s is the end %s', async (_how, end, act) => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await attempt.event('heartbeat', ({ others }) => others === 2)
  act(attempt.meeting)
  const ended = await attempt.event('ended')
  expect(ended.end).toBe(end)
  expect(ended.codeBeforeRecording).toBe('MEETING_ENDED_PREMATURELY')
  await attempt.driver.leave()
})

test.each([
  ['wc-recording-consent', 'Got it'],
  ['wc-ai-notice', 'Got it'],
  ['wc-stacked-notices', 'Got it'],
  ['wc-breakout', 'Later'],
  ['wc-ask-to-unmute', 'Stay muted'],
])('%s: the dialog is answered with %s, and the meeting goes on', async (scenario, button) => {
  const attempt = await zoom.attempt(scenario)
  await attempt.enter()
  await until(() => clicksOn(attempt, button) > 0, `the button ${button} was pressed`, 60_000)
  const answeredAt = Date.now()
  await attempt.event('heartbeat', ({ others, at }) => others === 2 && at > answeredAt)
  expect(attempt.meeting.state).toBe('call')
  expect(clicksOn(attempt, 'Leave Meeting')).toBe(0)
  await until(() => !attempt.meeting.bot.microphoneOn, 'the microphone is off')
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

test('a footer that hides all the time ends nothing', async () => {
  const attempt = await zoom.attempt('wc-footer-hidden')
  await attempt.enter()
  const healthy = () => attempt.events.filter((event) => event.type === 'heartbeat' && event.others === 2)
  await until(() => healthy().length > 12, 'a dozen looks at the meeting')
  expect(attempt.events.some(({ type }) => type === 'ended' || type === 'failed')).toBe(false)
  await attempt.driver.leave()
  expect(attempt.meeting.state).toBe('left')
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

test('a microphone that the host turns off stays off, and the bot says so', async () => {
  const attempt = await zoom.attempt('open', { driver: { microphone: 'on' } })
  await attempt.enter()
  await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
  // It is on for the page, too, before the host turns it off.
  await attempt.event('heartbeat', ({ others }) => others === 2)
  await until(() => attempt.events.length > 6, 'some looks at the meeting')
  attempt.meeting.muteBot()
  await attempt.event('muted_by_host')
  await until(() => !attempt.meeting.bot.microphoneOn, 'the microphone is off')
})

test('a bot that has become host leaves and ends the meeting for nobody', async () => {
  const attempt = await zoom.attempt('open', { people: [{ id: 'bob', name: 'Bob Berg', camera: true }] })
  await attempt.enter()
  attempt.meeting.show('make-host')
  await until(() => attempt.events.length > 8, 'some looks at the meeting')
  await attempt.driver.leave()
  expect(attempt.meeting.state).toBe('left')
  expect(attempt.meeting.log.filter(({ target }) => /for all/i.test(target))).toEqual([])
})

test('put back into the waiting room is no end, and the meeting goes on after it', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await attempt.event('heartbeat', ({ others }) => others === 2)
  attempt.meeting.show('on-hold')
  await until(() => attempt.meeting.state === 'onHold', 'the bot is on hold')
  const heldAt = Date.now()
  await attempt.event('heartbeat', ({ others, at }) => others === null && at > heldAt)
  attempt.meeting.admit()
  const admittedAt = Date.now()
  await attempt.event('heartbeat', ({ others, at }) => others === 2 && at > admittedAt)
  expect(attempt.events.some(({ type }) => type === 'ended' || type === 'failed')).toBe(false)
})

test('a bot that nobody takes out of the waiting room again is out in the end', async () => {
  const attempt = await zoom.attempt('open', { paces: { onHoldMs: 1500 } })
  await attempt.enter()
  attempt.meeting.show('on-hold')
  expect((await attempt.event('ended')).end).toBe('removed')
})

test('a connection that comes back is told as lost and recovered', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  attempt.meeting.loseConnection()
  await attempt.event('connection', ({ state }) => state === 'lost')
  attempt.meeting.regainConnection()
  await attempt.event('connection', ({ state }) => state === 'recovered')
  expect(attempt.events.some(({ type }) => type === 'ended' || type === 'failed')).toBe(false)
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
  attempt.meeting.endForAll()
  expect((await attempt.event('ended')).end).toBe('ended_for_all')
})
