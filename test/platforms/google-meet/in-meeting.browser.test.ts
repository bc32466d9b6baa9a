import { describe, expect, test } from 'vitest'
import { type BotBrowser, type OpenBrowser, openBrowser } from '../../../platforms/browser/browser.ts'
import { heartbeats } from '../conformance/ground.ts'
import { type Attempt, meetHarness, meetReader, until } from './harness.ts'

const meet = meetHarness()

const { inside } = meet
/** The page says it of itself. */
const AUDIO_ONLY = 'Incoming video is set to audio only'

function picturesAskedFor({ meeting }: Attempt) {
  return meeting.log.filter(({ target }) => target === 'incoming-video').map(({ detail }) => detail)
}

describe('a meeting that continues', () => {
  const meeting = meet.insideTogether('got-it-stack')
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

  test('a pill that notes are taken asks nothing', async () => {
    const attempt = meeting()
    attempt.meeting.show('gemini-pill')
    await heartbeats(attempt.events, 3)
    expect(attempt.meeting.state).toBe('call')
  })

  test('consent in mid-call: accepted by policy, the bot stays', async () => {
    const attempt = meeting()
    attempt.meeting.show('consent')
    await until(() => attempt.meeting.state === 'call', 'consent is given')
    expect(isOver()).toBe(false)
  })

  test('the loss of the connection and its return are reported, and the bot stays', async () => {
    const attempt = meeting()
    attempt.meeting.loseConnection()
    await attempt.event('connection', ({ state }) => state === 'lost')
    attempt.meeting.regainConnection()
    await attempt.event('connection', ({ state }) => state === 'recovered')
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

describe('a page of a meeting that is over', () => {
  const reader = meetReader(meet)

  test.each([
    ['everyone-left', 'everyone_left'],
    // Off the site is out of the meeting.
    ['off-site', 'removed'],
    ['left-elsewhere', 'ended_for_all'],
  ] as const)('%s: %s', async (shown, end) => {
    const meeting = await reader.ask('open-meeting-join-now')
    await reader.state('in_call')
    meeting.show(shown)
    expect(await reader.end()).toBe(end)
  })
})

test('no participant ever comes: the bot counts no others, shows it on the page, and its own rules decide', async () => {
  const attempt = await inside('alone-prompt')
  await attempt.event('heartbeat', ({ others }) => others === 0)
  expect(attempt.events.filter(({ type }) => type === 'participant_joined')).toEqual([])
  const stayed = () =>
    attempt.meeting.log.some(({ event, target, detail }) => event === 'rpc' && target === 'alone' && detail === 'stay')
  await until(stayed, 'the prompt is answered')
  expect(attempt.meeting.state).toBe('call')
})

test('removed-by-host, removed-early: the time is near the true one', async () => {
  const attempt = await inside('open-meeting-join-now')
  attempt.meeting.remove()
  const removedAt = attempt.meeting.truth.leftAt ?? Number.NaN
  const ended = await attempt.event('ended')
  expect(ended.end).toBe('removed')
  expect(ended.text).toMatch(/removed/)
  expect(ended.at).toBeGreaterThanOrEqual(removedAt - 50)
})

test('an admission that was none: the waiting room comes back, and the later denial is a denial', async () => {
  const attempt = await inside('open-meeting-join-now')
  await attempt.event('heartbeat', ({ others }) => others === 2)
  attempt.meeting.show('lobby')
  // Unknown is not gone, and the waiting room says nothing about who is inside.
  await attempt.event('heartbeat', ({ others }) => others === null)
  attempt.meeting.deny()
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ code: 'BOT_NOT_ACCEPTED' })
  expect(attempt.events.some(({ type }) => type === 'ended')).toBe(false)
})

test('reconnect-fails: past the grace the connection is a failure', async () => {
  const attempt = await inside('open-meeting-join-now', { waits: { reconnectMs: 1500 } })
  attempt.meeting.loseConnection()
  await attempt.event('connection', ({ state }) => state === 'lost')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ code: 'INTERNAL_ERROR', step: 'connection' })
})

test('page-freeze: a page that does not answer decides nothing, and silences in a row are a failure', async () => {
  // A separate browser, whose renderers show whether they wait for a processor.
  const attempt = await inside('open-meeting-join-now', { driver: { openBrowser }, waits: { callAnswerMs: 1000 } })
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
  const attempt = await inside('open-meeting-join-now', { driver: { chromium: null, openBrowser: openOwn } })
  await attempt.event('heartbeat')
  process.kill(chromium!.processId!, 'SIGKILL')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ canRetry: true, message: expect.stringContaining('browser broke') })
  const evidence = await attempt.driver.evidence()
  expect(evidence.screenshot).toBeNull()
  await attempt.driver.leave()
  await attempt.driver.close()
})

test('devices-reset-on-admit: microphone and camera are off again', async () => {
  const attempt = await inside('devices-reset-on-admit')
  await attempt.event('heartbeat')
  await until(
    () => attempt.meeting.log.some(({ event, target }) => event === 'click' && /microphone/i.test(target)),
    'the microphone is pressed',
  )
  await until(() => !attempt.meeting.bot.microphoneOn && !attempt.meeting.bot.cameraOn, 'both are off')
})

test('muted-by-host: a microphone that the host turns off is reported', async () => {
  const attempt = await inside('open-meeting-join-now', { driver: { microphone: 'on' } })
  await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
  await attempt.event('heartbeat')
  attempt.meeting.muteBot()
  await attempt.event('muted_by_host')
  expect(attempt.meeting.bot.microphoneOn).toBe(false)
})

test('consent in mid-call, refused by policy: the bot goes and says why', async () => {
  const attempt = await inside('open-meeting-join-now', { driver: { recordingConsent: 'refuse' } })
  attempt.meeting.show('consent-gemini')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ code: 'BOT_NOT_ACCEPTED', step: 'consent' })
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

test('the camera shows the given picture and the microphone stays silent', async () => {
  const picture =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  const attempt = await inside('devices-reset-on-admit', { driver: { botImages: [picture] } })
  await until(() => attempt.meeting.bot.cameraOn && !attempt.meeting.bot.microphoneOn, 'camera on, microphone off')
  await until(() => attempt.meeting.bot.sent().videoPackets > 0, 'a picture is sent')
  expect(attempt.meeting.bot.sent().audioIsSilent).not.toBe(false)
})

test('the recording begins on the picture of the meeting, not on the page', async () => {
  const attempt = await inside('open-meeting-join-now', { driver: { recordingMode: 'gallery_view' } })
  await attempt.driver.prepareRecording(attempt.signal)
  const shot = await attempt.driver.screenshot()
  expect(shot.subarray(1, 4)).toEqual(Buffer.from('PNG'))
  // Pictures are asked for as the page does it by itself.
  expect(picturesAskedFor(attempt)).toEqual([])
  expect((await attempt.driver.evidence()).html?.includes(AUDIO_ONLY)).toBe(false)
  // Clicks go through the picture to the page beneath.
  await attempt.driver.sendChat('Under the picture')
  await attempt.driver.leave()
  expect(attempt.meeting.state).toBe('left')
  expect(attempt.meeting.people.length).toBe(2)
})
