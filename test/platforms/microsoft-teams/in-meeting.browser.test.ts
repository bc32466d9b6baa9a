import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { shownShare } from '../../media/meeting-recording.ts'
import { heartbeats } from '../conformance/ground.ts'
import { isComposite, pictureOf } from '../conformance/pictures.ts'
import { teamsHarness, until } from './harness.ts'

const teams = teamsHarness()

const { inside } = teams

type Inside = Awaited<ReturnType<typeof inside>>

/** The meeting continues: some more heartbeats, and no end. */
async function staysIn({ events, meeting }: Inside): Promise<void> {
  await heartbeats(events, 6)
  expect(events.filter(({ type }) => type === 'ended' || type === 'failed')).toEqual([])
  expect(meeting.state).toBe('call')
}

describe('a meeting that continues', () => {
  const together = teams.insideTogether('open', { driver: { microphone: 'on' } })

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

  test('muted-by-host: a microphone that the host turns off is reported', async () => {
    const attempt = together()
    await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
    await heartbeats(attempt.events, 1)
    attempt.meeting.muteBot()
    await attempt.event('muted_by_host')
    expect(attempt.meeting.bot.microphoneOn).toBe(false)
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

  test('a hop by way of a sign-in host to the same meeting ends nothing', async () => {
    const attempt = together()
    const since = Date.now()
    attempt.meeting.show('sign-in-hop')
    const { at: awayAt } = await attempt.event('new_document', ({ at }) => at > since)
    await attempt.event('heartbeat', ({ others, at }) => others !== null && at > awayAt)
    await staysIn(attempt)
  })

  test('removed: once, near the true time, and nothing after it', async () => {
    const attempt = together()
    attempt.meeting.remove()
    const endedAt = Date.now()
    const ended = await attempt.event('ended')
    expect(ended).toMatchObject({ end: 'removed', text: expect.stringMatching(/removed/) })
    expect(ended.at).toBeGreaterThanOrEqual(endedAt - 50)
    await attempt.driver.leave()
    expect(attempt.events.at(-1)).toEqual(ended)
  })
})

test('a consent that is to be refused: the bot goes and says why', async () => {
  const attempt = await inside('open', { driver: { recordingConsent: 'refuse' } })
  attempt.meeting.show('consent')
  expect((await attempt.event('failed')).error).toMatchObject({ code: 'BOT_NOT_ACCEPTED', step: 'consent' })
})

test('the camera shows the given picture and the microphone stays off', async () => {
  const picture =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
  const attempt = await inside('open', { driver: { botImages: [picture] } })
  await until(() => attempt.meeting.bot.cameraOn && !attempt.meeting.bot.microphoneOn, 'camera on, microphone off')
  await until(() => attempt.meeting.bot.sent().videoPackets > 0, 'a picture is sent')
})

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

test('screenshare-with-speaker: the recorded picture is the screen, with who speaks beside it; the bot leaves from under it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'standin-teams-'))
  const attempt = await inside('view-speaker-full', { driver: { recordingMode: 'speaker_view' } })
  const { meeting, driver } = attempt
  await driver.prepareRecording(attempt.signal)
  const pressed = () => meeting.log.some(({ event, target }) => event === 'click' && target.includes('SpeakerView'))
  await until(pressed, "the speaker's view is chosen")
  meeting.startSharing('bob')
  meeting.startSpeaking('ann')
  await expect
    .poll(
      async () => {
        const shown = await pictureOf(await driver.screenshot(), folder)
        const ann = shownShare(shown, 0)
        // Large she would fill more than half of it.
        return { isComposite: isComposite(shown), annIsSmall: ann > 0.01 && ann < 0.2 }
      },
      { interval: 500 },
    )
    .toEqual({ isComposite: true, annIsSmall: true })
  rmSync(folder, { recursive: true })
  await driver.leave()
  expect(meeting.state).toBe('left')
})
