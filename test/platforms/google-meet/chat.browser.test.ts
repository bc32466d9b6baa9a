import { expect, test } from 'vitest'
import { ChatUnavailable } from '../../../core/errors.ts'
import type { ChatMessage, MeetingEvent } from '../../../core/meeting/meeting.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

const meet = meetHarness()

async function inside(scenario: string, options: Parameters<typeof meet.attempt>[1] = {}) {
  const attempt = await meet.attempt(scenario, options)
  await attempt.enter()
  return attempt
}

type Chat = Extract<MeetingEvent, { type: 'chat_message' }>
const heard = (attempt: Attempt): ChatMessage[] =>
  attempt.events.filter((event): event is Chat => event.type === 'chat_message').map(({ message }) => message)

test('chat-send-receive: both ways, every kind of text, each message once', async () => {
  const attempt = await inside('chat-send-receive')
  await attempt.driver.prepareRecording(attempt.signal)
  const sent = ['Hello 👋 from the bot', 'y'.repeat(500), 'see https://example.com/?a=1&b=<x>', 'two\nlines']
  for (const text of sent) await attempt.driver.sendChat(text)
  await until(() => attempt.meeting.truth.chat.length >= 8, 'everything is said')
  await until(() => heard(attempt).length >= 8, 'everything is heard')
  const own = attempt.meeting.truth.chat.filter(({ senderId }) => senderId === null)
  expect(own.map(({ text }) => text)).toEqual(sent)
  // A message from before the meeting's channel was open is read in the panel, after later ones.
  const byText = (one: { text: string }, other: { text: string }) => one.text.localeCompare(other.text)
  const others = heard(attempt)
    .filter(({ isOwn }) => !isOwn)
    .sort(byText)
  const truth = attempt.meeting.truth.chat.filter(({ senderId }) => senderId !== null).sort(byText)
  expect(others.map(({ text, senderName }) => ({ text, senderName }))).toEqual(
    truth.map(({ text, senderName }) => ({ text, senderName })),
  )
  expect(heard(attempt).filter(({ isOwn }) => isOwn).length).toBe(sent.length)
  for (const [index, message] of others.entries()) {
    expect(Math.abs(message.at - truth[index]!.at)).toBeLessThan(10_000)
    expect(message.senderId).toMatch(/^spaces\//)
  }
})

test('messages are read while the panel was never opened', async () => {
  const attempt = await inside('open-meeting-join-now')
  // A message from before the channel was open is in the panel only, so the test repeats it until it is reported.
  const says = setInterval(() => attempt.meeting.say('bob', 'Anybody here?'), 3000)
  await until(() => heard(attempt).length > 0, 'it is heard').finally(() => clearInterval(says))
  expect(heard(attempt)[0]).toMatchObject({ senderName: 'Bob Berg', text: 'Anybody here?', isOwn: false })
})

test('two equal messages of one person are two', async () => {
  const attempt = await inside('open-meeting-join-now')
  await attempt.driver.prepareRecording(attempt.signal)
  attempt.meeting.say('ann', 'ok')
  attempt.meeting.say('ann', 'ok')
  await until(() => heard(attempt).length === 2, 'both are heard')
  const beats = attempt.events.filter(({ type }) => type === 'heartbeat').length
  await until(() => attempt.events.filter(({ type }) => type === 'heartbeat').length > beats + 4, 'time goes by')
  expect(heard(attempt).length).toBe(2)
})

test('chat-new-message-label: an unread mark on the button does not hide it', async () => {
  const attempt = await inside('chat-new-message-label')
  await attempt.driver.prepareRecording(attempt.signal)
  await until(() => heard(attempt).length === 1, 'the message is heard')
  expect(heard(attempt)[0]).toMatchObject({ senderName: 'Bob Berg', text: 'Anybody here?' })
  await attempt.driver.sendChat('Yes, a bot')
  expect(attempt.meeting.truth.chat.at(-1)?.text).toBe('Yes, a bot')
})

test('chat-pin-overlay: pin buttons are no messages', async () => {
  const attempt = await inside('chat-pin-overlay')
  await attempt.driver.prepareRecording(attempt.signal)
  await until(() => heard(attempt).length >= 2, 'both are heard')
  // A message from before the meeting's channel was open is read in the panel, after later ones.
  const texts = heard(attempt).map(({ text }) => text)
  expect(texts.sort()).toEqual(['Me too', 'Pin me'])
})

test('chat-disabled: told once, sending is refused, the bot stays', async () => {
  const attempt = await inside('chat-disabled')
  await attempt.driver.prepareRecording(attempt.signal)
  const reported = await attempt.event('chat_availability')
  expect(reported.isAvailable).toBe(false)
  await expect(attempt.driver.sendChat('hello')).rejects.toThrow(ChatUnavailable)
  expect(attempt.events.filter(({ type }) => type === 'chat_availability').length).toBe(1)
  expect(attempt.meeting.state).toBe('call')
})

test('chat-continuous: the refusal names the other product, without waiting for a box', async () => {
  const attempt = await inside('chat-continuous')
  await attempt.driver.prepareRecording(attempt.signal)
  expect((await attempt.event('chat_availability')).isAvailable).toBe(false)
  await expect(attempt.driver.sendChat('hello')).rejects.toThrow('is in another product (Google Chat)')
  expect(attempt.meeting.state).toBe('call')
})

test.each([1, 2])('chat-disabled-mid-call (page %i): sending reports it, later it works again', async (seed) => {
  const attempt = await inside('open-meeting-join-now', { seed })
  await attempt.driver.sendChat('before')
  attempt.meeting.setChatEnabled(false)
  await expect(attempt.driver.sendChat('during')).rejects.toThrow(ChatUnavailable)
  await attempt.event('chat_availability', ({ isAvailable }) => !isAvailable)
  attempt.meeting.setChatEnabled(true)
  await attempt.driver.sendChat('after')
  expect(attempt.meeting.truth.chat.map(({ text }) => text)).toEqual(['before', 'after'])
})

test('messages sent at the same time keep their order', async () => {
  const attempt = await inside('open-meeting-join-now')
  const texts = ['one', 'two', 'three']
  await Promise.all(texts.map((text) => attempt.driver.sendChat(text)))
  expect(attempt.meeting.truth.chat.map(({ text }) => text)).toEqual(texts)
})
