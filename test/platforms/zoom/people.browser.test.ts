import { expect, test } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import { heard, peopleOf } from '../conformance/people.ts'
import { type Attempt, BOT_NAME, until, zoomHarness } from './harness.ts'

const zoom = zoomHarness()

const messages = ({ events }: Attempt) => heard(events)

test('sixty people and a burst of messages in lists that hold only those in view are reported completely, once and in order', async () => {
  const attempt = await zoom.attempt('wc-many-participants-virtualised')
  await attempt.enter()
  await until(() => peopleOf(attempt.events).length === 60, 'every participant is reported')
  await until(() => peopleOf(attempt.events).some(({ isHost }) => isHost), 'the host is known')
  await attempt.event('heartbeat', ({ others }) => others === 60)
  await attempt.driver.prepareRecording(attempt.signal)
  const people = attempt.meeting.people.slice(0, 2)
  const texts = [
    ...Array.from({ length: 40 }, (_, index) => `Message number ${index + 1}`),
    // Words of an end that people write end nothing.
    'You have been removed from this meeting by the host.',
    'The meeting has been ended',
    'Please wait, the meeting host will let you in soon. Joining Meeting...',
  ]
  for (const [index, text] of texts.entries()) attempt.meeting.say(people[index % 2]!.id, text)
  await until(() => messages(attempt).length >= texts.length, 'all messages are told')
  expect(messages(attempt).map(({ text }) => text)).toEqual(texts)
  expect(messages(attempt).map(({ senderName }) => senderName)).toEqual(
    texts.map((_, index) => people[index % 2]!.name),
  )
  const writtenAt = Date.now()
  await attempt.event('heartbeat', ({ others, at }) => others === 60 && at > writtenAt)
  expect(attempt.events.filter(({ type }) => ['ended', 'failed', 'events_dropped'].includes(type))).toEqual([])
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

test.each(['wc-chat-group', 'wc-chat-textarea'])('%s: the bot writes to everyone', async (scenario) => {
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
