/** In the meeting: people, speech, chat, the right to record, and every way out. */
import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../../core/errors.ts'
import { BOT_NAME, until } from '../harness.ts'
import { CONF } from './conf.ts'
import { failureOf, sdkHarness, TOKEN_URL } from './sdk-harness.ts'

const harness = sdkHarness()
const LIMIT_MS = 30_000

describe('events of the meeting', () => {
  test('people by their names, as they come, change and go; never the bot, never markup', async () => {
    const attempt = await harness.attempt('open')
    const { meeting } = attempt
    await attempt.enter()
    await attempt.event('participant_joined', ({ participant }) => participant.name === 'Ann Host')
    const hostile = '<img src=x onerror=alert(1)>'
    meeting.addPerson({ id: 'eve', name: hostile })
    const { participant } = await attempt.event('participant_joined', (event) => event.participant.name === hostile)
    meeting.addPerson({ id: 'bob2', name: 'Bob Berg' })
    meeting.renamePerson('eve', 'Eve, (Guest) 🎉')
    await attempt.event(
      'participant_changed',
      (event) => event.participant.id === participant.id && event.participant.name === 'Eve, (Guest) 🎉',
    )
    meeting.removePerson('eve')
    await attempt.event('participant_left', ({ participantId }) => participantId === participant.id)
    const bobs = attempt.events.filter((event) => event.type === 'participant_joined').map((event) => event.participant)
    expect(new Set(bobs.filter(({ name }) => name === 'Bob Berg').map(({ id }) => id)).size).toBe(2)
    expect(bobs.every(({ name }) => name !== BOT_NAME)).toBe(true)
    await attempt.event('heartbeat', ({ others }) => others === 3)
  })

  test('breakout rooms that the SDK reports are open until it says otherwise', async () => {
    const attempt = await harness.attempt('open')
    await attempt.enter()
    attempt.meeting.show('breakout-rooms')
    await attempt.event('heartbeat', ({ areRoomsOpen }) => areRoomsOpen === true)
    attempt.meeting.show('breakout-rooms-closed')
    const closedAt = Date.now()
    await attempt.event('heartbeat', ({ areRoomsOpen, at }) => areRoomsOpen === false && at > closedAt)
  })

  test('speakers, also where participants have no separate sound', async () => {
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

  test('chat both ways, without a panel; what people write ends nothing', async () => {
    const attempt = await harness.attempt('open')
    const { meeting, driver } = attempt
    await attempt.enter()
    meeting.say('ann', 'You have been removed. This meeting has been ended by host.')
    const { message } = await attempt.event('chat_message')
    expect(message).toMatchObject({ senderName: 'Ann Host', isOwn: false })
    await driver.sendChat('Two lines,\nand <b>no</b> markup')
    // The SDK takes one message a second.
    await driver.sendChat('And another one at once')
    expect(meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)).toEqual([
      'Two lines,\nand <b>no</b> markup',
      'And another one at once',
    ])
    meeting.setChatEnabled(false)
    await expect.poll(async () => (await failureOf(driver.sendChat('Is it off?')))?.constructor).toBe(ChatUnavailable)
    await attempt.event('chat_availability', ({ isAvailable }) => !isAvailable)
    expect(attempt.events.some(({ type }) => type === 'ended')).toBe(false)
  })
})

describe('the right to record', () => {
  test('is requested, granted, and shown to every participant; its withdrawal ends the recording', async () => {
    const attempt = await harness.attempt('sdk-rec-no-answer')
    const { meeting, driver, signal } = attempt
    await attempt.enter()
    const obtained = driver.obtainRecordingRight(LIMIT_MS, signal)
    await until(() => meeting.log.some(({ detail }) => detail === 'asked'), 'the request to record')
    meeting.show('allow-recording')
    await obtained
    expect(meeting.log.some(({ target, detail }) => target === 'capture' && detail === 'start')).toBe(true)
    meeting.show('refuse-recording')
    const { error } = await attempt.event('failed')
    expect(error).toMatchObject({ code: 'RECORDING_RIGHTS_NOT_GRANTED' })
  })

  test('without a host is asked of the one who comes', async () => {
    const attempt = await harness.attempt('sdk-rec-no-host-then-host')
    const { meeting, driver, signal } = attempt
    await attempt.enter()
    const obtained = driver.obtainRecordingRight(LIMIT_MS, signal)
    meeting.addPerson({ id: 'ann', name: 'Ann Host', isHost: true })
    await obtained
  })

  test.each([
    ['sdk-rec-denied', 'RECORDING_RIGHTS_NOT_GRANTED'],
    ['sdk-rec-not-enabled', 'CANNOT_REQUEST_RECORDING_RIGHT'],
    ['sdk-rec-host-zoom-rooms', 'HOST_CLIENT_CANNOT_GRANT_PERMISSION'],
    ['sdk-rec-granted-never-starts', 'RECORDING_START_TIMEOUT'],
  ])('%s ends with %s', async (scenario, code) => {
    const attempt = await harness.attempt(scenario, { driver: { sdkWaits: { captureStartMs: 2000 } } })
    await attempt.enter()
    const failed = failureOf(attempt.driver.obtainRecordingRight(LIMIT_MS, attempt.signal))
    expect(await failed).toMatchObject({ code })
  })
})

describe('the end', () => {
  test('of the bot that is removed', async () => {
    const attempt = await harness.attempt('open')
    await attempt.enter()
    attempt.meeting.remove()
    expect(await attempt.event('ended')).toMatchObject({
      end: 'removed',
      codeBeforeRecording: 'MEETING_ENDED_PREMATURELY',
    })
  })

  test('whose dialog closes by itself: the reason is kept over the page that follows', async () => {
    // The page is looked at so seldom that the dialog is missed.
    const attempt = await harness.attempt('sdk-end-closes-itself', {
      speed: 20,
      waits: { callPollEveryMs: 5000 },
    })
    await attempt.enter()
    attempt.meeting.remove()
    expect(await attempt.event('ended')).toMatchObject({ end: 'removed' })
  })

  test('of the bot whose user leaves', async () => {
    const attempt = await harness.attempt('sdk-anonymous-4012', {
      conf: { onBehalfToken: { url: TOKEN_URL } },
      driver: { fetchToken: harness.tokensOf('obf') },
    })
    await attempt.enter()
    attempt.meeting.removePerson('ann')
    expect(await attempt.event('ended')).toMatchObject({ end: 'authorized_user_left' })
  })

  test('is none: put back into the waiting room, cut off for a while, and made host, the bot stays', async () => {
    const attempt = await harness.attempt('open')
    const { meeting, driver } = attempt
    await attempt.enter()
    await attempt.event('heartbeat', ({ others }) => others === 2)
    meeting.show('on-hold')
    await attempt.event('heartbeat', ({ others }) => others === null)
    meeting.admit()
    await meeting.whenState('call', 20_000)
    meeting.loseConnection()
    await attempt.event('connection', ({ state }) => state === 'lost')
    meeting.regainConnection()
    await attempt.event('connection', ({ state }) => state === 'recovered')
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
})

test('what a failure leaves behind holds no secret', async () => {
  const token = harness.ledger().issue('obf', 'ann')
  const attempt = await harness.attempt('open', {
    conf: { onBehalfToken: { value: token } },
    driver: { recordingMode: 'speaker_view' },
  })
  await attempt.enter()
  await attempt.driver.obtainRecordingRight(LIMIT_MS, attempt.signal)
  await attempt.driver.prepareRecording(attempt.signal)
  const evidence = await attempt.driver.evidence()
  expect(evidence.screenshot?.length).toBeGreaterThan(1000)
  const passcode = new URL(attempt.meeting.url).searchParams.get('pwd')!
  const everything = JSON.stringify([evidence.html, evidence.console, evidence.signs, evidence.url])
  expect(everything).toContain('in_call')
  for (const secret of [token, passcode, CONF.sdkSecret, 'eyJ']) expect(everything).not.toContain(secret)
})
