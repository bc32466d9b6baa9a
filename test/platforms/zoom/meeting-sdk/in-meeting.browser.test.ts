/**
 * In the meeting: speech, chat, the right to record, and ways out. The conformance suite proves the promises of
 * every platform (people, cameras, shared screens, leaving); meanings of answers and numbers are unit tests.
 */
import { expect, test } from 'vitest'
import { ChatUnavailable } from '../../../../packages/core/errors.ts'
import { until } from '../harness.ts'
import { CONF } from './conf.ts'
import { failureOf, sdkHarness, TOKEN_URL } from './sdk-harness.ts'

const harness = sdkHarness()
const LIMIT_MS = 30_000

test('rooms, chat without a panel, the waiting room again and the place of the host: the bot stays until it leaves', async () => {
  const attempt = await harness.attempt('open')
  const { meeting, driver } = attempt
  await attempt.enter()

  meeting.show('breakout-rooms')
  await attempt.event('heartbeat', ({ others, areRoomsOpen }) => others === 2 && areRoomsOpen === true)
  meeting.show('breakout-rooms-closed')
  const closedAt = Date.now()
  await attempt.event('heartbeat', ({ areRoomsOpen, at }) => areRoomsOpen === false && at > closedAt)

  // A chat message ends no meeting.
  meeting.say('ann', 'You have been removed. This meeting has been ended by host.')
  const { message } = await attempt.event('chat_message')
  expect(message).toMatchObject({ senderName: 'Ann Host', isOwn: false })
  // The SDK takes one message a second.
  await driver.sendChat('Two lines,\nand <b>no</b> markup')
  await driver.sendChat('And another one at once')
  expect(meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)).toEqual([
    'Two lines,\nand <b>no</b> markup',
    'And another one at once',
  ])
  meeting.setChatEnabled(false)
  await expect.poll(async () => (await failureOf(driver.sendChat('Is it off?')))?.constructor).toBe(ChatUnavailable)
  await attempt.event('chat_availability', ({ isAvailable }) => !isAvailable)

  meeting.show('on-hold')
  await attempt.event('heartbeat', ({ others }) => others === null)
  meeting.admit()
  await meeting.whenState('call', 20_000)
  meeting.show('make-host')
  const beats = attempt.events.length
  await until(
    () => attempt.events.slice(beats).some((event) => event.type === 'heartbeat' && event.others === 2),
    'a look at the meeting as its host',
  )
  await driver.leave()
  await expect.poll(() => meeting.state).toBe('left')
  expect(meeting.people.map(({ id }) => id)).toEqual(['ann', 'bob'])
  expect(attempt.events.filter(({ type }) => type === 'ended' || type === 'failed')).toEqual([])
})

test('speakers where participants have no separate sound', async () => {
  const attempt = await harness.attempt('sdk-audio-worklet')
  const { meeting } = attempt
  await attempt.enter()
  const idOf = async (name: string) =>
    (await attempt.event('participant_joined', (event) => event.participant.name === name)).participant.id
  const [ann, bob] = [await idOf('Ann Host'), await idOf('Bob Berg')]
  for (const [id, participant] of [
    ['ann', ann],
    ['bob', bob],
  ] as const) {
    meeting.startSpeaking(id)
    await attempt.event('speaking', (event) => event.isSpeaking && event.participantId === participant)
    meeting.stopSpeaking(id)
    await attempt.event('speaking', (event) => !event.isSpeaking && event.participantId === participant)
  }
  const turns = attempt.events.flatMap((event) =>
    event.type === 'speaking' && event.isSpeaking ? event.participantId : [],
  )
  expect(turns).toEqual([ann, bob])
})

test('the right to record is requested once a host is there, granted, and shown to every participant; its withdrawal ends the recording', async () => {
  const attempt = await harness.attempt('sdk-rec-no-answer', { people: [{ id: 'bob', name: 'Bob Berg' }] })
  const { meeting, driver, signal } = attempt
  await attempt.enter()
  const obtained = driver.obtainRecordingRight(LIMIT_MS, signal)
  meeting.addPerson({ id: 'ann', name: 'Ann Host', isHost: true })
  await until(() => meeting.log.some(({ detail }) => detail === 'asked'), 'the request to record')
  meeting.show('allow-recording')
  await obtained
  expect(meeting.log.some(({ target, detail }) => target === 'capture' && detail === 'start')).toBe(true)
  meeting.show('refuse-recording')
  const { error } = await attempt.event('failed')
  expect(error).toMatchObject({ code: 'RECORDING_RIGHTS_NOT_GRANTED' })
})

test('local recording that is off cannot be requested', async () => {
  const attempt = await harness.attempt('sdk-rec-not-enabled')
  await attempt.enter()
  const failed = failureOf(attempt.driver.obtainRecordingRight(LIMIT_MS, attempt.signal))
  expect(await failed).toMatchObject({ code: 'CANNOT_REQUEST_RECORDING_RIGHT' })
})

test('an end whose dialog closes by itself: the reason is kept over the page that follows', async () => {
  // The page is looked at so seldom that the dialog is missed.
  const attempt = await harness.attempt('sdk-end-closes-itself', {
    speed: 20,
    waits: { callPollEveryMs: 5000 },
  })
  await attempt.enter()
  attempt.meeting.remove()
  expect(await attempt.event('ended')).toMatchObject({
    end: 'removed',
    codeBeforeRecording: 'MEETING_ENDED_PREMATURELY',
  })
})

test('what a bot on behalf of a user leaves behind holds no secret; it ends when the user leaves', async () => {
  const tokens: string[] = []
  const fetchToken = harness.tokensOf('obf')
  const attempt = await harness.attempt('sdk-anonymous-4012', {
    conf: { onBehalfToken: { url: TOKEN_URL } },
    driver: {
      recordingMode: 'speaker_view',
      async fetchToken(...asked) {
        const token = await fetchToken(...asked)
        tokens.push(Buffer.from(token).toString())
        return token
      },
    },
  })
  await attempt.enter()
  await attempt.driver.obtainRecordingRight(LIMIT_MS, attempt.signal)
  await attempt.driver.prepareRecording(attempt.signal)
  const evidence = await attempt.driver.evidence()
  expect(evidence.screenshot?.length).toBeGreaterThan(1000)
  const passcode = new URL(attempt.meeting.url).searchParams.get('pwd')!
  const everything = JSON.stringify([evidence.html, evidence.console, evidence.signs, evidence.url])
  expect(everything).toContain('in_call')
  expect(tokens).not.toEqual([])
  for (const secret of [...tokens, passcode, CONF.sdkSecret, 'eyJ']) expect(everything).not.toContain(secret)
  attempt.meeting.removePerson('ann')
  expect(await attempt.event('ended')).toMatchObject({ end: 'authorized_user_left' })
})
