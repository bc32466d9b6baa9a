import { describe, expect, test } from 'vitest'
import { teamsHarness, until } from './harness.ts'

const teams = teamsHarness()

const { inside } = teams

type Inside = Awaited<ReturnType<typeof inside>>

/** The meeting continues: some more heartbeats, and no end. */
async function staysIn({ events, meeting }: Inside): Promise<void> {
  const before = events.filter(({ type }) => type === 'heartbeat').length
  await until(() => events.filter(({ type }) => type === 'heartbeat').length > before + 5, 'the meeting goes on')
  expect(events.filter(({ type }) => type === 'ended' || type === 'failed')).toEqual([])
  expect(meeting.state).toBe('call')
}

/** The end that follows is reported once, and nothing after it. */
async function ends(attempt: Inside, end: string, act: (attempt: Inside) => void, text: RegExp): Promise<void> {
  await attempt.event('heartbeat')
  act(attempt)
  const endedAt = Date.now()
  const ended = await attempt.event('ended')
  expect(ended).toMatchObject({ end, text: expect.stringMatching(text) })
  expect(ended.at).toBeGreaterThanOrEqual(endedAt - 50)
  await attempt.driver.leave()
  expect(attempt.events.at(-1)).toEqual(ended)
}

test.each([
  ['removed-typographic', 'removed', (attempt: Inside) => attempt.meeting.remove(), /removed/],
  ['removed-other-words', 'removed', (attempt: Inside) => attempt.meeting.remove(), /removed/i],
] as const)('%s: %s, once, near the true time, and nothing after it', async (scenario, end, act, text) => {
  await ends(await inside(scenario), end, act, text)
})

describe('a meeting that continues', () => {
  const together = teams.insideTogether('open')

  test('benign-alerts, chat-quotes-end-text, relayout-badge-vanishes: none of these ends the meeting', async () => {
    const attempt = together()
    const { meeting } = attempt
    await attempt.event('heartbeat', ({ others }) => others === 2)
    for (const alert of ['muted-toast', 'recording-banner', 'device-banner', 'camera-banner', 'lobby-banner']) {
      meeting.show(alert)
    }
    meeting.say('ann', 'The meeting has ended')
    meeting.say('bob', 'Sorry, but you were denied access to the meeting.')
    meeting.say('ann', "You've been removed from this meeting. Someone will let you in shortly")
    meeting.show('relayout')
    await staysIn(attempt)
    await attempt.driver.prepareRecording(attempt.signal)
    await attempt.event('chat_message', ({ message }) => message.text.startsWith("You've been removed"))
    await staysIn(attempt)
  })

  test('alone-prompt, info, av-confirm, consent: each gets its right answer, the bot stays', async () => {
    const attempt = together()
    const answers = () =>
      attempt.meeting.log.filter(({ event }) => event === 'rpc').map(({ target, detail }) => `${target} ${detail}`)
    for (const [dialog, choice] of [
      ['alone-prompt', /still-there.*stay/],
      ['info', /info.*ok/],
      ['av-confirm', /av-confirm.*continue/],
      ['consent', /consent.*ok/],
      ['breakout-invitation', /breakout.*later/],
    ] as const) {
      attempt.meeting.show(dialog)
      await until(
        () => answers().some((answer) => choice.test(answer)),
        `${dialog} is answered: ${answers().join('; ')}`,
      )
    }
    await staysIn(attempt)
  })

  test('alone-after-others-left, others-leave-and-return: the number of others is reported, and the rules decide', async () => {
    const attempt = together()
    await attempt.event('heartbeat', ({ others }) => others === 2)
    attempt.meeting.removePerson('ann')
    attempt.meeting.removePerson('bob')
    await attempt.event('heartbeat', ({ others }) => others === 0)
    attempt.meeting.addPerson({ id: 'bob-again', name: 'Bob Berg' })
    const joined = ({ participant }: { participant: { name: string } }) => participant.name === 'Bob Berg'
    await until(
      () => attempt.events.filter((event) => event.type === 'participant_joined' && joined(event)).length === 2,
      'Bob is back',
    )
    await staysIn(attempt)
  })

  test('people who leave after the page spoke of breakout rooms are in them until the rooms close', async () => {
    const attempt = together()
    const { meeting } = attempt
    const rooms = (wanted: boolean, since: number) =>
      attempt.event('heartbeat', ({ areRoomsOpen, at }) => areRoomsOpen === wanted && at > since)
    meeting.addPerson({ id: 'dora', name: 'Dora Dahl' })
    await attempt.event('participant_joined', ({ participant }) => participant.name === 'Dora Dahl')
    await rooms(false, 0)
    meeting.show('breakout-rooms')
    await staysIn(attempt)
    meeting.removePerson('dora')
    await rooms(true, Date.now())
    meeting.show('breakout-rooms-closed')
    await rooms(false, Date.now())
    await staysIn(attempt)
    const counts = attempt.driver.signalCounts
    expect([counts['rooms.words'], counts['rooms.people_left']].every((count) => count! > 0)).toBe(true)
  })

  test('left elsewhere: ended_for_all, once, near the true time, and nothing after it', async () => {
    await ends(together(), 'ended_for_all', ({ meeting }) => meeting.show('left-elsewhere'), /left/)
  })
})

test('a bot that records only sound turns off the incoming video, once', async () => {
  const attempt = await inside('view-speaker-full', { driver: { recordingMode: 'audio_only' } })
  const asked = () =>
    attempt.meeting.log.filter(({ target }) => target === 'incoming-video').map(({ detail }) => detail)
  await until(() => asked().length > 0, 'the pictures are turned off')
  await staysIn(attempt)
  expect(asked()).toEqual(['off'])
})

test('a bot that no other participant ever joins reports that it is alone', async () => {
  const attempt = await inside('nobody-ever-joins')
  await attempt.event('heartbeat', ({ others }) => others === 0)
  expect(attempt.events.filter(({ type }) => type === 'participant_joined')).toEqual([])
})

test('network-drop: the loss and the return are reported, and the bot stays; a permanent loss is a failure', async () => {
  const attempt = await inside('open', { waits: { reconnectMs: 3000 } })
  attempt.meeting.loseConnection()
  await attempt.event('connection', ({ state }) => state === 'lost')
  attempt.meeting.regainConnection()
  await attempt.event('connection', ({ state }) => state === 'recovered')
  await staysIn(attempt)
  attempt.meeting.loseConnection()
  await until(
    () => attempt.events.some(({ type }) => type === 'failed' || type === 'ended'),
    'a connection that does not come back is an end',
  )
})

test('page-freeze: silences in a row are a failure', async () => {
  const attempt = await inside('open', { speed: 2, waits: { callAnswerMs: 1000, busyAnswerTries: 3 } })
  await attempt.event('heartbeat')
  attempt.meeting.show('freeze')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.stringContaining('frozen') })
})

test('redirected-in-call: off the site the page shows neither meeting nor end, and for long enough that is a failure', async () => {
  const attempt = await inside('open', { waits: { unknownInCallMs: 2000 } })
  attempt.meeting.show('off-site')
  const failed = await attempt.event('failed')
  expect(failed.error).toMatchObject({ code: 'INTERNAL_ERROR', message: expect.stringContaining('microsoft.com') })
})

describe('dialogs', () => {
  test('a consent that is to be refused: the bot goes and says why', async () => {
    const attempt = await inside('open', { driver: { recordingConsent: 'refuse' } })
    attempt.meeting.show('consent')
    expect((await attempt.event('failed')).error).toMatchObject({ code: 'BOT_NOT_ACCEPTED', step: 'consent' })
  })
})

describe('devices', () => {
  test('muted-by-host: a microphone that the host turns off is reported', async () => {
    const attempt = await inside('open', { driver: { microphone: 'on' } })
    await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
    await attempt.event('heartbeat')
    attempt.meeting.muteBot()
    await attempt.event('muted_by_host')
    expect(attempt.meeting.bot.microphoneOn).toBe(false)
  })

  test('the camera shows the given picture and the microphone stays off', async () => {
    const picture =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
    const attempt = await inside('open', { driver: { botImages: [picture] } })
    await until(() => attempt.meeting.bot.cameraOn && !attempt.meeting.bot.microphoneOn, 'camera on, microphone off')
    await until(() => attempt.meeting.bot.sent().videoPackets > 0, 'a picture is sent')
  })
})

describe('leaving', () => {
  test.each(['toolbar-autohide-leave', 'leave-split-button', 'leave-button-stuck'])(
    '%s: left, and only left',
    async (scenario) => {
      // Every click that is ignored costs its time, and a busy machine's more of it.
      const attempt = await inside(scenario, { waits: { leaveMs: 1500, leaveTotalMs: 60_000 } })
      await attempt.driver.leave()
      expect(attempt.meeting.state).toBe('left')
      expect(attempt.meeting.people.length).toBe(2)
    },
  )

  test('from under the recorded picture', async () => {
    const attempt = await inside('view-speaker-full', { driver: { recordingMode: 'speaker_view' } })
    await attempt.driver.prepareRecording(attempt.signal)
    const shot = await attempt.driver.screenshot()
    expect(shot.subarray(1, 4)).toEqual(Buffer.from('PNG'))
    const pressed = () =>
      attempt.meeting.log.some(({ event, target }) => event === 'click' && target.includes('SpeakerView'))
    await until(pressed, "the speaker's view is chosen")
    await attempt.driver.leave()
    expect(attempt.meeting.state).toBe('left')
  })
})
