import { expect, test } from 'vitest'
import { ChatUnavailable } from '../../../core/errors.ts'
import type { MeetingEvent } from '../../../core/meeting/meeting.ts'
import { type Attempt, BOT_NAME, until, zoomHarness } from './harness.ts'

const zoom = zoomHarness()

/** Names of the participants who are present according to the events, in the order in which they came. */
function present({ events }: Attempt): string[] {
  const people = new Map<string, string>()
  for (const event of events) {
    if (event.type === 'participant_joined' || event.type === 'participant_changed')
      people.set(event.participant.id, event.participant.name)
    if (event.type === 'participant_left') people.delete(event.participantId)
  }
  return [...people.values()].sort()
}

function messages({ events }: Attempt) {
  return events.flatMap((event) => (event.type === 'chat_message' ? [event.message] : []))
}

function idOf({ events }: Attempt, name: string): string | undefined {
  const joined = events.find((event) => event.type === 'participant_joined' && event.participant.name === name)
  return (joined as Extract<MeetingEvent, { type: 'participant_joined' }> | undefined)?.participant.id
}

test('people come, are renamed and go, and the bot is none of them', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await until(() => present(attempt).length === 2, 'both are told')
  attempt.meeting.addPerson({ id: 'dan', name: 'Dan Dole' })
  await until(() => present(attempt).includes('Dan Dole'), 'who came is told')
  attempt.meeting.renamePerson('dan', 'Daniel Dole')
  await until(() => present(attempt).includes('Daniel Dole'), 'the new name is told')
  attempt.meeting.removePerson('bob')
  await until(() => !present(attempt).includes('Bob Berg'), 'who went is told')
  expect(present(attempt)).toEqual(['Ann Host', 'Daniel Dole'])
  await attempt.event('participant_changed', ({ participant }) => participant.isHost === true)
})

test('names are reported as they are, with any characters in them, and namesakes are two', async () => {
  const names = ['Ann Host', 'Alex', 'Alex', 'Müller, Jörg (Host)', '<b>Eve</b> 👩‍💻', 'ß'.repeat(64)]
  const people = names.map((name, index) => ({ id: `p${index}`, name, camera: index % 2 === 0 }))
  const attempt = await zoom.attempt('open', { people })
  await attempt.enter()
  await until(() => present(attempt).length === names.length, 'all are told')
  expect(present(attempt)).toEqual(names.sort())
})

test('sixty people in a list that holds only those in view', async () => {
  const attempt = await zoom.attempt('wc-many-participants-virtualised')
  await attempt.enter()
  await until(() => present(attempt).length === 60, 'every participant is reported', 60_000)
  await attempt.event('heartbeat', ({ others }) => others === 60)
})

test('chat is read, also what was written while another panel had the place', async () => {
  const attempt = await zoom.attempt('open', { seed: 1 })
  await attempt.enter()
  await until(() => present(attempt).length === 2, 'both are told')
  await attempt.driver.prepareRecording(attempt.signal)
  attempt.meeting.say('ann', 'Hello 👋 – ça va? 你好')
  attempt.meeting.addPerson({ id: 'dan', name: 'Dan Dole' })
  attempt.meeting.say('bob', 'One line\nand another, with, commas')
  attempt.meeting.say('bob', '<img src=x onerror=alert(1)>')
  await until(() => messages(attempt).length === 3, 'all messages are told')
  expect(messages(attempt).map(({ senderName, text, isOwn }) => [senderName, text, isOwn])).toEqual([
    ['Ann Host', 'Hello 👋 – ça va? 你好', false],
    ['Bob Berg', 'One line\nand another, with, commas', false],
    ['Bob Berg', '<img src=x onerror=alert(1)>', false],
  ])
  expect(messages(attempt)[0]?.senderId).toBe(idOf(attempt, 'Ann Host'))
})

test('two messages of one sender, written before the panel was open, keep their order however late it is drawn', async () => {
  const attempt = await zoom.attempt('wc-chat-drawn-late')
  await attempt.driver.join(attempt.signal)
  attempt.meeting.say('ann', 'The first')
  attempt.meeting.say('ann', 'The second')
  attempt.driver.watch((event) => attempt.events.push(event))
  await attempt.driver.prepareRecording(attempt.signal)
  await until(() => messages(attempt).length === 2, 'both are told')
  const [first, second] = messages(attempt)
  expect([first?.text, second?.text]).toEqual(['The first', 'The second'])
  expect(first!.at).toBeLessThanOrEqual(second!.at)
})

test('a burst of messages in a list that holds only some is reported completely, once and in order', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await attempt.driver.prepareRecording(attempt.signal)
  const texts = Array.from({ length: 40 }, (_, index) => `Message number ${index + 1}`)
  for (const [index, text] of texts.entries()) attempt.meeting.say(index % 3 === 0 ? 'ann' : 'bob', text)
  await until(() => messages(attempt).length >= 40, 'all messages are told')
  expect(messages(attempt).map(({ text }) => text)).toEqual(texts)
  expect(messages(attempt).map(({ senderName }) => senderName)).toEqual(
    texts.map((_, index) => (index % 3 === 0 ? 'Ann Host' : 'Bob Berg')),
  )
})

test('a flood of messages is reported completely and in order, and none is reported as missing', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await attempt.driver.prepareRecording(attempt.signal)
  const texts = Array.from({ length: 400 }, (_, index) => `Message number ${index + 1}`)
  for (const [index, text] of texts.entries()) {
    attempt.meeting.say('ann', text)
    if (index % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await until(
    () => messages(attempt).length >= texts.length,
    () => `all messages are told; ${messages(attempt).length} were`,
    60_000,
  )
  expect(messages(attempt).map(({ text }) => text)).toEqual(texts)
  expect(attempt.events.filter(({ type }) => type === 'events_dropped')).toEqual([])
}, 180_000)

test.each(['open', 'wc-chat-group', 'wc-chat-textarea'])('%s: the bot writes to everyone', async (scenario) => {
  const attempt = await zoom.attempt(scenario)
  await attempt.enter()
  await attempt.driver.sendChat('Hello,\nthis is <b>recorded</b>.')
  expect(attempt.meeting.truth.chat.map(({ senderName, text }) => [senderName, text])).toContainEqual([
    BOT_NAME,
    'Hello,\nthis is <b>recorded</b>.',
  ])
  const own = await attempt.event('chat_message', ({ message }) => message.isOwn)
  expect(own.message).toMatchObject({ senderName: BOT_NAME, text: 'Hello,\nthis is <b>recorded</b>.' })
})

test('chat that is switched off is reported, and the meeting continues', async () => {
  const attempt = await zoom.attempt('chat-disabled', { waits: { chatOpenMs: 2500 } })
  await attempt.enter()
  await attempt.driver.prepareRecording(attempt.signal)
  expect((await attempt.event('chat_availability')).isAvailable).toBe(false)
  await expect(attempt.driver.sendChat('Hello')).rejects.toBeInstanceOf(ChatUnavailable)
  const saidAt = Date.now()
  await attempt.event('heartbeat', ({ others, at }) => others === 2 && at > saidAt)
})

test('words of an end that people write end nothing', async () => {
  const attempt = await zoom.attempt('open')
  await attempt.enter()
  await attempt.driver.prepareRecording(attempt.signal)
  const written = [
    'You have been removed from this meeting by the host.',
    'The meeting has been ended',
    'Please wait, the meeting host will let you in soon. Joining Meeting...',
  ]
  for (const text of written) attempt.meeting.say('ann', text)
  await until(() => messages(attempt).length === 3, 'all messages are told')
  const writtenAt = Date.now()
  await attempt.event('heartbeat', ({ others, at }) => others === 2 && at > writtenAt)
  expect(attempt.events.some(({ type }) => type === 'ended' || type === 'failed')).toBe(false)
})
