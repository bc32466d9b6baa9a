import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import type { MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { MeetingMemory } from '../../../src/run/memory/meeting-memory.ts'
import { heartbeats } from '../conformance/ground.ts'
import { asked, jitsiHarness, jitsiReader, pressed, until } from './harness.ts'

const jitsi = jitsiHarness()

const namesOf = (events: readonly MeetingEvent[]) =>
  events.flatMap((event) => (event.type === 'participant_joined' ? [event.participant.name] : [])).sort()

describe('who is there', () => {
  test('every participant is reported, also those whose tiles are scrolled away', async () => {
    const attempt = await jitsi.inside('many-people')
    await attempt.event('heartbeat', ({ others }) => others === 24)
    expect(namesOf(attempt.events)).toHaveLength(24)
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
  const together = jitsi.insideTogether('open', { waits: { reconnectMs: 45_000 }, driver: { microphone: 'on' } })

  test('a moderator mutes the bot: the driver reports it; a consent to be recorded is given, and the bot stays muted', async () => {
    const attempt = together()
    await until(() => attempt.meeting.bot.microphoneOn, 'the microphone is on')
    await attempt.event('heartbeat')
    attempt.meeting.muteBot()
    await attempt.event('muted_by_host')
    attempt.meeting.show('consent')
    await until(() => asked(attempt.meeting).includes('consent-muted'), 'consent is given')
    await heartbeats(attempt.events, 2)
    expect(attempt.meeting).toMatchObject({ state: 'call', bot: { microphoneOn: false } })
  })

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

  test('kicked-by-system: removed, told with its words, which stay on the page', async () => {
    const attempt = together()
    attempt.meeting.show('kicked-by-system')
    expect(await attempt.event('ended')).toMatchObject({ end: 'removed', text: expect.stringContaining('kicked') })
    await attempt.driver.leave()
    expect(pressed(attempt.meeting), 'the words stay for the evidence').not.toContain('OK')
  })
})

describe('how it ends', () => {
  const reader = jitsiReader(jitsi)

  test.each([
    ['open', 'time-limit', 'time limit'],
    ['open', 'own-reason', 'operator'],
    ['ended-without-words', null, ''],
    ['ended-to-welcome', null, ''],
    ['ended-nowhere', null, ''],
  ])('%s, %s: the end for all, with its words', async (scenario, shown, words) => {
    // Slow enough that the page does not go to its last page while the next case loads another.
    const meeting = await reader.ask(scenario, { speed: shown === null ? 1 : 20 })
    await reader.state('in_call')
    if (shown === null) meeting.endForAll()
    else meeting.show(shown)
    const { end, text } = await reader.endWithWords()
    expect(end).toBe('ended_for_all')
    expect(text).toContain(words)
  })

  test('an error of the server, which the page answers by loading itself again, is no end', async () => {
    const meeting = await reader.ask('open')
    await reader.state('in_call')
    meeting.show('server-error')
    await reader.state('reconnecting')
    await reader.state('prejoin')
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
  test('notifications and hints end nothing and are put away; a job that refuses recordings goes', async () => {
    const attempt = await jitsi.inside('notifications', { driver: { recordingConsent: 'refuse' } })
    await until(() => asked(attempt.meeting).includes('tip-dismiss'), 'the hint is put away')
    await heartbeats(attempt.events, 2)
    expect(attempt.events.filter(({ type }) => type === 'failed' || type === 'ended')).toEqual([])
    attempt.meeting.show('consent')
    expect((await attempt.event('failed')).error).toMatchObject({ code: 'BOT_NOT_ACCEPTED', step: 'consent' })
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
})
