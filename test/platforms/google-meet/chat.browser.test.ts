import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import type { ChatMessage, MeetingEvent } from '../../../packages/core/meeting/meeting.ts'
import { heartbeats } from '../conformance/ground.ts'
import { type Attempt, meetHarness, until } from './harness.ts'

const meet = meetHarness()

type Chat = Extract<MeetingEvent, { type: 'chat_message' }>
const heard = (attempt: Attempt): ChatMessage[] =>
  attempt.events.filter((event): event is Chat => event.type === 'chat_message').map(({ message }) => message)
const heardOfOthers = (attempt: Attempt) => heard(attempt).filter(({ isOwn }) => !isOwn)
const ownTexts = ({ meeting }: Attempt) =>
  meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)

describe('chat-send-receive', () => {
  const inside = meet.insideTogether('chat-send-receive')

  test('messages are read while the panel was never opened', async () => {
    const attempt = inside()
    let count = 0
    // A message from before the channel was open is in the panel only, so the test says another until one is reported.
    const says = setInterval(() => attempt.meeting.say('bob', `Anybody here, ${++count}?`), 500)
    const isHeard = () => heard(attempt).some(({ text }) => text.startsWith('Anybody here'))
    await until(isHeard, 'one is heard').finally(() => clearInterval(says))
  })

  test('both ways, every kind of text, each message once, and the own ones in their order', async () => {
    const attempt = inside()
    const { truth } = attempt.meeting
    await attempt.driver.prepareRecording(attempt.signal)
    attempt.meeting.say('ann', 'ok')
    attempt.meeting.say('ann', 'ok')
    const sent = ['Hello 👋 from the bot', 'y'.repeat(500), 'see https://example.com/?a=1&b=<x>', 'two\nlines']
    await Promise.all(sent.map((text) => attempt.driver.sendChat(text)))
    expect(ownTexts(attempt)).toEqual(sent)
    await until(() => truth.chat.some(({ text }) => text.includes('<img')), 'everything is said')
    await until(() => heard(attempt).length >= truth.chat.length, 'everything is heard')
    await heartbeats(attempt.events, 4)
    // A message from before the meeting's channel was open is read in the panel, after later ones.
    const byText = (one: { text: string }, other: { text: string }) => one.text.localeCompare(other.text)
    const others = heardOfOthers(attempt).sort(byText)
    const said = truth.chat.filter(({ senderId }) => senderId !== null).sort(byText)
    expect(others.map(({ text, senderName }) => ({ text, senderName }))).toEqual(
      said.map(({ text, senderName }) => ({ text, senderName })),
    )
    expect(heard(attempt).filter(({ isOwn }) => isOwn).length).toBe(sent.length)
    for (const [index, message] of others.entries()) {
      expect(Math.abs(message.at - said[index]!.at)).toBeLessThan(10_000)
      expect(message.senderId).toMatch(/^spaces\//)
    }
  })

  test('chat that is switched off in mid-call: sending reports it, later it works again', async () => {
    const attempt = inside()
    attempt.meeting.setChatEnabled(false)
    await expect(attempt.driver.sendChat('during')).rejects.toThrow(ChatUnavailable)
    await attempt.event('chat_availability', ({ isAvailable }) => !isAvailable)
    attempt.meeting.setChatEnabled(true)
    await attempt.driver.sendChat('after')
    expect(ownTexts(attempt).slice(-1)).toEqual(['after'])
    expect(ownTexts(attempt)).not.toContain('during')
  })
})

test('chat-pin-overlay: pin buttons are no messages', async () => {
  const attempt = await meet.inside('chat-pin-overlay')
  await attempt.driver.prepareRecording(attempt.signal)
  await until(() => heard(attempt).length >= 2, 'both are heard')
  // A message from before the meeting's channel was open is read in the panel, after later ones.
  const texts = heard(attempt).map(({ text }) => text)
  expect(texts.sort()).toEqual(['Me too', 'Pin me'])
})

test.each([
  ['chat-disabled', ''],
  // Without waiting for a box.
  ['chat-continuous', 'is in another product (Google Chat)'],
])('%s: reported once, sending is refused, the bot stays', async (scenario, message) => {
  const attempt = await meet.inside(scenario)
  await attempt.driver.prepareRecording(attempt.signal)
  expect((await attempt.event('chat_availability')).isAvailable).toBe(false)
  const refusal = await attempt.driver.sendChat('hello').catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(ChatUnavailable)
  expect(String(refusal)).toContain(message)
  expect(attempt.events.filter(({ type }) => type === 'chat_availability').length).toBe(1)
  expect(attempt.meeting.state).toBe('call')
})
