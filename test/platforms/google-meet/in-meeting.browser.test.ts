import { describe, expect, test } from 'vitest'
import { type BotBrowser, type OpenBrowser, openBrowser } from '../../../platforms/browser/browser.ts'
import { heartbeats } from '../conformance/ground.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

const meet = meetHarness()

const { inside } = meet
/** The page says it of itself. */
const AUDIO_ONLY = 'Incoming video is set to audio only'

function picturesAskedFor({ meeting }: Attempt) {
  return meeting.log.filter(({ target }) => target === 'incoming-video').map(({ detail }) => detail)
}

describe('a meeting that continues', () => {
  const meeting = meet.insideTogether('got-it-stack', { driver: { microphone: 'on' } })
  const isOver = () => meeting().events.some(({ type }) => type === 'ended' || type === 'failed')

  test('audio_only: asks for no pictures, and the page says so', async () => {
    const attempt = meeting()
    await attempt.event('heartbeat', ({ others }) => others === 2)
    expect(picturesAskedFor(attempt)).toEqual(['off'])
    const { html } = await attempt.driver.evidence()
    expect(html?.includes(AUDIO_ONLY)).toBe(true)
  })

  test('three tips are answered, and no other button is pressed', async () => {
    const attempt = meeting()
    await attempt.driver.prepareRecording(attempt.signal)
    const answers = () => attempt.meeting.log.filter(({ event, target }) => event === 'rpc' && target === 'got-it')
    await until(() => answers().length === 3, 'three tips are answered')
    expect(attempt.meeting.state).toBe('call')
  })

  test('the question to a bot that seems alone is answered', async () => {
    const attempt = meeting()
    attempt.meeting.show('alone-prompt')
    const stays = () => attempt.meeting.log.some(({ target, detail }) => target === 'alone' && detail === 'stay')
    await until(stays, 'the prompt is answered')
    expect(attempt.meeting.state).toBe('call')
  })

  test('muted-by-host: a microphone that the host turns off is reported', async () => {
    const attempt = meeting()
    await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
    await heartbeats(attempt.events, 1)
    attempt.meeting.muteBot()
    await attempt.event('muted_by_host')
    expect(attempt.meeting.bot.microphoneOn).toBe(false)
  })

  test('a pill that notes are taken asks nothing, and toasts end nothing', async () => {
    const attempt = meeting()
    for (const shown of ['gemini-pill', 'talking-while-muted', 'ending-soon', 'only-one']) attempt.meeting.show(shown)
    await heartbeats(attempt.events, 3)
    expect(attempt.meeting.state).toBe('call')
  })

  test('consent in mid-call: accepted by policy, the bot stays', async () => {
    const attempt = meeting()
    attempt.meeting.show('consent')
    await until(() => attempt.meeting.state === 'call', 'consent is given')
    expect(isOver()).toBe(false)
  })

  test('what people write ends nothing', async () => {
    const attempt = meeting()
    attempt.meeting.say('ann', "You've been removed from the meeting")
    attempt.meeting.say('bob', 'The call ended')
    attempt.meeting.say('ann', 'Asking to be let in... You left the meeting. Return to home screen')
    await attempt.event('chat_message', ({ message }) => message.text.startsWith('Asking to be let in'))
    await heartbeats(attempt.events, 6)
    expect(isOver()).toBe(false)
    expect(attempt.meeting.state).toBe('call')
  })

  test('people who leave after the page spoke of breakout rooms are in them until the rooms close', async () => {
    const attempt = meeting()
    const rooms = (wanted: boolean, since: number) =>
      attempt.event('heartbeat', ({ areRoomsOpen, at }) => areRoomsOpen === wanted && at > since)
    attempt.meeting.addPerson({ id: 'dora', name: 'Dora Dahl' })
    await attempt.event('participant_joined', ({ participant }) => participant.name === 'Dora Dahl')
    await rooms(false, 0)
    attempt.meeting.show('breakout-invitation')
    const isDeclined = () => attempt.meeting.log.some(({ target, detail }) => `${target} ${detail}`.includes('later'))
    await until(isDeclined, 'the invitation is answered with Later')
    attempt.meeting.show('breakout-rooms')
    await heartbeats(attempt.events, 3)
    attempt.meeting.removePerson('dora')
    await rooms(true, Date.now())
    attempt.meeting.show('breakout-rooms-closed')
    await rooms(false, Date.now())
    expect(isOver()).toBe(false)
    const counts = attempt.driver.signalCounts
    expect([counts['rooms.words'], counts['rooms.people_left']].every((count) => count! > 0)).toBe(true)
  })

  test('heartbeats come while the page answers and count the others', async () => {
    const attempt = meeting()
    attempt.meeting.removePerson('bob')
    await attempt.event('heartbeat', ({ others }) => others === 1)
    attempt.meeting.removePerson('ann')
    await attempt.event('heartbeat', ({ others }) => others === 0)
  })

  test('ended by the host: ended_for_all, once, and nothing after it', async () => {
    const attempt = meeting()
    attempt.meeting.endForAll()
    const ended = await attempt.event('ended')
    expect(ended.end).toBe('ended_for_all')
    expect(ended.at).toBeLessThanOrEqual(Date.now())
    await attempt.driver.leave()
    expect(attempt.events.at(-1)).toEqual(ended)
  })
})

test('consent-gemini: a bot that agreed is in; once it is removed, the time is near the true one', async () => {
  const attempt = await inside('consent-gemini')
  attempt.meeting.remove()
  const removedAt = attempt.meeting.truth.leftAt ?? Number.NaN
  const ended = await attempt.event('ended')
  expect(ended.end).toBe('removed')
  expect(ended.text).toMatch(/removed/)
  expect(ended.at).toBeGreaterThanOrEqual(removedAt - 50)
})

test('page-freeze: a page that does not answer decides nothing, and silences in a row are a failure', async () => {
  // A separate browser, whose renderers show whether they wait for a processor.
  const attempt = await inside('open', {
    driver: { openBrowser },
    waits: { callAnswerMs: 1000, busyAnswerTries: 3 },
  })
  await attempt.event('heartbeat')
  attempt.meeting.show('freeze')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ canRetry: true, message: expect.stringContaining('frozen') })
  const evidence = await attempt.driver.evidence()
  expect(evidence.signs.last).not.toBeNull()
})

test('a browser that crashes is a failure at once', async () => {
  let chromium: BotBrowser | null = null
  const openOwn: OpenBrowser = async (...given) => {
    chromium = await openBrowser(...given)
    return chromium
  }
  const attempt = await inside('open', { driver: { chromium: null, openBrowser: openOwn } })
  await attempt.event('heartbeat')
  process.kill(chromium!.processId!, 'SIGKILL')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ canRetry: true, message: expect.stringContaining('browser broke') })
  const evidence = await attempt.driver.evidence()
  expect(evidence.screenshot).toBeNull()
  await attempt.driver.leave()
  await attempt.driver.close()
})

test('devices-reset-on-admit: the camera shows the given picture, and the microphone is off again', async () => {
  const picture =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  const attempt = await inside('devices-reset-on-admit', { driver: { botImages: [picture] } })
  const isPressed = () =>
    attempt.meeting.log.some(({ event, target }) => event === 'click' && /microphone/i.test(target))
  await until(isPressed, 'the microphone is pressed')
  await until(() => attempt.meeting.bot.cameraOn && !attempt.meeting.bot.microphoneOn, 'camera on, microphone off')
  await until(() => attempt.meeting.bot.sent().videoPackets > 0, 'a picture is sent')
  expect(attempt.meeting.bot.sent().audioIsSilent).not.toBe(false)
})

test('toolbar-hidden: chat and leave work when no pointer moves', async () => {
  const attempt = await inside('toolbar-hidden')
  await attempt.driver.prepareRecording(attempt.signal)
  await attempt.driver.sendChat('I can still write')
  await attempt.driver.leave()
  expect(attempt.meeting.state).toBe('left')
})

test.each(['leave-host-dialog', 'leave-button-stuck'])('%s: left, and only left', async (scenario) => {
  const attempt = await inside(scenario, { waits: { leaveMs: 1500 } })
  await attempt.driver.leave()
  expect(attempt.meeting.state).toBe('left')
  expect(attempt.meeting.people.length).toBe(2)
})
