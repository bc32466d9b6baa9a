import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../core/errors.ts'
import type { MeetingEvent } from '../../../core/meeting/meeting.ts'
import { MeetingMemory } from '../../../src/run/memory/meeting-memory.ts'
import { heartbeats } from '../conformance/ground.ts'
import { asked, jitsiHarness, pressed, until } from './harness.ts'

const jitsi = jitsiHarness()
type Inside = Awaited<ReturnType<typeof jitsi.inside>>

const namesOf = (events: readonly MeetingEvent[]) =>
  events.flatMap((event) => (event.type === 'participant_joined' ? [event.participant.name] : [])).sort()

/** The end that the mock calls `word` is reported, and its words stay on the page. */
async function endsWith(attempt: Inside, word: string, end: string, words: string): Promise<void> {
  attempt.meeting.show(word)
  expect(await attempt.event('ended')).toMatchObject({ end, text: expect.stringContaining(words) })
  await attempt.driver.leave()
  expect(pressed(attempt.meeting), 'the words stay for the evidence').not.toContain('OK')
}

describe('who is there', () => {
  test('every participant is reported, also those whose tiles are scrolled away', async () => {
    const attempt = await jitsi.inside('many-people')
    await attempt.event('heartbeat', ({ others }) => others === 24)
    expect(namesOf(attempt.events)).toHaveLength(24)
  })

  test('names are text, two participants with one name are two, and no other participant is the bot', async () => {
    const people = [
      { id: 'one', name: 'Sam', camera: true },
      { id: 'two', name: 'Sam' },
      { id: 'odd', name: '<img src=x onerror=alert(1)> "Eve"' },
      { id: 'none', name: '' },
      { id: 'twin', name: 'Notes for Ann' },
    ]
    const attempt = await jitsi.inside('open', { people })
    await attempt.event('heartbeat', ({ others }) => others === 5)
    expect(namesOf(attempt.events)).toEqual(
      ['<img src=x onerror=alert(1)> "Eve"', 'Notes for Ann', 'Sam', 'Sam', 'Unknown'].sort(),
    )
    const { meeting } = attempt
    const reported = attempt.events.find((event) => event.type === 'participant_joined')
    expect(reported).toMatchObject({ participant: { id: meeting.endpointOf('one') } })
  })

  test('where the state of the page cannot be read, tiles and panel tell people, voices and chat', async () => {
    const attempt = await jitsi.inside('unknown-version')
    await attempt.event('heartbeat', ({ others }) => others === 2)
    expect(namesOf(attempt.events)).toEqual(['Ann Host', 'Bob Berg'])
    const ann = attempt.meeting.endpointOf('ann')
    attempt.meeting.startSpeaking('ann')
    await attempt.event('speaking', ({ participantId, isSpeaking }) => participantId === ann && isSpeaking)
    attempt.meeting.say('bob', 'Read this')
    await attempt.driver.sendChat('Can you?')
    await attempt.event('chat_message', ({ message }) => message.text === 'Read this' && !message.isOwn)
    await attempt.event('chat_message', ({ message }) => message.text === 'Can you?' && message.isOwn)
    attempt.meeting.removePerson('bob')
    await attempt.event('participant_left')
    await attempt.driver.leave()
    expect(attempt.meeting.state).toBe('left')
  })
})

describe('a meeting that continues', () => {
  const together = jitsi.insideTogether('open', { waits: { reconnectMs: 45_000 } })

  test('two who speak over each other are both told', async () => {
    const attempt = together()
    await attempt.event('heartbeat', ({ others }) => others === 2)
    for (const id of ['ann', 'bob']) attempt.meeting.startSpeaking(id)
    for (const id of ['ann', 'bob']) {
      const endpoint = attempt.meeting.endpointOf(id)
      await attempt.event('speaking', ({ participantId, isSpeaking }) => participantId === endpoint && isSpeaking)
    }
  })

  test('while people are in a breakout room, the bot that is left behind knows it', async () => {
    const attempt = together()
    await attempt.event('heartbeat', ({ others, areRoomsOpen }) => others === 2 && areRoomsOpen === false)
    attempt.meeting.show('breakout-rooms')
    await attempt.event('heartbeat', ({ areRoomsOpen }) => areRoomsOpen === true)
    attempt.meeting.show('breakout-rooms-closed')
    const closedAt = Date.now()
    await attempt.event('heartbeat', ({ areRoomsOpen, at }) => areRoomsOpen === false && at > closedAt)
  })

  test('the server is lost: the page reloads itself, and the bot joins again without help', async () => {
    const attempt = together()
    attempt.meeting.show('server-lost')
    await attempt.event('connection', ({ state }) => state === 'lost')
    await attempt.event('connection', ({ state }) => state === 'recovered')
    expect(attempt.meeting.loads).toBe(2)
    expect(attempt.meeting.state).toBe('call')
    await heartbeats(attempt.events, 3)
    expect(attempt.events.filter(({ type }) => type === 'failed' || type === 'ended')).toEqual([])
    // People of before are people of now.
    expect(namesOf(new MeetingMemory().remember(attempt.events))).toEqual(['Ann Host', 'Bob Berg'])
  })

  test('kicked-by-system: removed, told with its words', async () => {
    await endsWith(together(), 'kicked-by-system', 'removed', 'kicked')
  })
})

describe('how it ends', () => {
  test.each([
    ['time-limit', 'ended_for_all', 'time limit'],
    ['own-reason', 'ended_for_all', 'operator'],
  ] as const)('%s: %s, told with its words', async (word, end, words) => {
    await endsWith(await jitsi.inside('open'), word, end, words)
  })

  test.each(['ended-without-words', 'ended-to-welcome', 'ended-nowhere'])('%s', async (scenario) => {
    // Its own time is far off.
    const attempt = await jitsi.inside(scenario, { speed: 1 })
    attempt.meeting.endForAll()
    expect(await attempt.event('ended')).toMatchObject({ end: 'ended_for_all' })
  })

  test('the network is still gone when the page reloads itself: the driver loads the page once more', async () => {
    const attempt = await jitsi.inside('open', { waits: { reconnectMs: 90_000 } })
    attempt.meeting.loseConnection()
    await attempt.event('connection', ({ state }) => state === 'lost')
    await until(() => attempt.meeting.state === 'closed', 'the page loads itself anew, in vain')
    await heartbeats(attempt.events, 2)
    attempt.meeting.regainConnection()
    await attempt.event('connection', ({ state }) => state === 'recovered')
    expect(attempt.meeting.state).toBe('call')
  })

  test('the network is lost for good: the meeting has failed', async () => {
    const attempt = await jitsi.inside('open', { waits: { reconnectMs: 4000 } })
    attempt.meeting.loseConnection()
    expect((await attempt.event('failed')).error).toMatchObject({ code: 'INTERNAL_ERROR', step: 'connection' })
  })

  test('a bot that is moderator leaves, and the meeting continues without it', async () => {
    const attempt = await jitsi.inside('bot-is-moderator')
    await attempt.driver.leave()
    expect(asked(attempt.meeting)).toContain('left-by-menu')
    expect(asked(attempt.meeting)).not.toContain('left-by-end-for-all')
    expect(attempt.meeting.people).toHaveLength(2)
  })

  test('a request for a rating does not delay leaving', async () => {
    const attempt = await jitsi.inside('feedback-at-leave')
    await attempt.driver.leave()
    expect(asked(attempt.meeting)).toContain('left-by-button')
  })
})

describe('what gets in the way', () => {
  test('a recording asks for consent: accepted, and the bot stays muted', async () => {
    const attempt = await jitsi.inside('consent')
    await until(() => asked(attempt.meeting).includes('consent-muted'), 'consent is given')
    await until(() => attempt.meeting.state === 'call', 'the meeting goes on')
    expect(attempt.meeting.bot.microphoneOn).toBe(false)
  })

  test('a job that refuses recordings goes', async () => {
    const attempt = await jitsi.inside('open', { driver: { recordingConsent: 'refuse' } })
    attempt.meeting.show('consent')
    expect((await attempt.event('failed')).error).toMatchObject({ code: 'BOT_NOT_ACCEPTED', step: 'consent' })
  })

  test('notifications and hints end nothing and are put away', async () => {
    const attempt = await jitsi.inside('notifications')
    await until(() => asked(attempt.meeting).includes('tip-dismiss'), 'the hint is put away')
    await heartbeats(attempt.events, 2)
    expect(attempt.events.filter(({ type }) => type === 'failed' || type === 'ended')).toEqual([])
  })

  test('a moderator mutes the bot: the driver reports it', async () => {
    const attempt = await jitsi.inside('open', { driver: { microphone: 'on' } })
    await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
    await attempt.event('heartbeat')
    attempt.meeting.muteBot()
    await attempt.event('muted_by_host')
  })

  test('a chat for reading only is read and not written', async () => {
    const attempt = await jitsi.inside('chat-forbidden')
    attempt.meeting.say('ann', 'Read me')
    await attempt.event('chat_message', ({ message }) => message.text === 'Read me')
    await expect(attempt.driver.sendChat('Hello')).rejects.toThrow(ChatUnavailable)
  })

  test('an older page, whose buttons say what they switch, in German', async () => {
    const attempt = await jitsi.inside('old-labels', { lang: 'de' })
    await attempt.driver.sendChat('Hallo')
    expect(attempt.meeting.truth.chat.map(({ text }) => text)).toEqual(['Hallo'])
    await attempt.driver.leave()
    expect(attempt.meeting.state).toBe('left')
  })

  test('a page that hangs decides nothing, and silences in a row are a failure', async () => {
    const attempt = await jitsi.inside('open', { waits: { callAnswerMs: 1000, busyAnswerTries: 3 } })
    await attempt.event('heartbeat')
    attempt.meeting.show('freeze')
    expect((await attempt.event('failed')).error).toMatchObject({ message: expect.stringContaining('frozen') })
  })
})
