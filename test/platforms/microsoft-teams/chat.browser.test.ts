import { describe, expect, test } from 'vitest'
import { ChatUnavailable } from '../../../packages/core/errors.ts'
import { heartbeats } from '../conformance/ground.ts'
import { teamsHarness, until } from './harness.ts'

const teams = teamsHarness()

test('chat-send-full: for sound alone the pictures are turned off, once; several lines are sent, one message after the other', async () => {
  const attempt = await teams.inside('chat-send-full')
  const { meeting, driver } = attempt
  const asked = () => meeting.log.filter(({ target }) => target === 'incoming-video').map(({ detail }) => detail)
  await until(() => asked().length > 0, 'the pictures are turned off')
  await driver.prepareRecording(attempt.signal)
  const texts = ['Hello from the notes', 'One\nTwo <b>three</b>']
  await Promise.all(texts.map((text) => driver.sendChat(text)))
  for (const text of texts) await attempt.event('chat_message', ({ message }) => message.isOwn && message.text === text)
  const sent = meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)
  expect(sent).toEqual(texts)
  await heartbeats(attempt.events, 6)
  expect(asked()).toEqual(['off'])
})

describe('more messages than the virtual list holds', () => {
  // Its pane takes long to appear, and the driver waits for it.
  const together = teams.insideTogether('chat-late-mount', { speed: 3 })
  const reported = () =>
    together().events.flatMap((event) =>
      event.type === 'chat_message' ? [`${event.message.senderName}: ${event.message.text}`] : [],
    )

  test('before the pane is open are all reported', async () => {
    const { meeting, driver, signal, event } = together()
    for (let item = 0; item < 45; item++) meeting.say('ann', `Early ${item}`)
    await driver.prepareRecording(signal)
    await event('chat_availability', ({ isAvailable }) => isAvailable)
    meeting.say('bob', 'Late')
    await event('chat_message', ({ message }) => message.text === 'Late')
    expect(reported()).toEqual([
      ...Array.from({ length: 45 }, (_, item) => `Ann Host: Early ${item}`),
      'Bob Berg: Late',
    ])
  })

  test('chat-read-grouped-authors: in bursts are reported once, each under its author, and notices are not messages', async () => {
    const { meeting, event } = together()
    meeting.say('ann', 'One')
    meeting.say('ann', 'Two')
    meeting.say('bob', 'Three')
    meeting.show('chat-notice')
    meeting.say('bob', 'Four')
    meeting.show('edit-last-message')
    for (let item = 0; item < 48; item++) {
      meeting.say(item % 2 === 0 ? 'ann' : 'bob', `Item ${item}`)
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
    await event('chat_message', ({ message }) => message.text === 'Item 47')
    const said = meeting.truth.chat.map(({ senderName, text }) => `${senderName}: ${text}`)
    expect(new Set(reported()).size).toBe(reported().length)
    expect(reported().filter((line) => /Item/.test(line))).toEqual(said.filter((line) => /Item/.test(line)))
    expect(reported()).toEqual(expect.arrayContaining(['Ann Host: One', 'Ann Host: Two', 'Bob Berg: Three']))
    expect(reported().some((line) => line.includes('Meeting started'))).toBe(false)
  })

  test('chat-disabled-mid-call: a message that finds no box any more is refused', async () => {
    const { meeting, driver } = together()
    await driver.sendChat('First')
    meeting.setChatEnabled(false)
    await expect(driver.sendChat('Second')).rejects.toBeInstanceOf(ChatUnavailable)
    expect(meeting.state).toBe('call')
  })
})

test('chat-disabled: missing chat is reported, no recording waits for it, and the bot stays', async () => {
  const attempt = await teams.inside('chat-disabled')
  await attempt.driver.prepareRecording(attempt.signal)
  expect(attempt.events.filter(({ type }) => type === 'chat_availability')).toEqual([])
  await attempt.event('chat_availability', ({ isAvailable }) => !isAvailable)
  await expect(attempt.driver.sendChat('Hello')).rejects.toBeInstanceOf(ChatUnavailable)
  expect(attempt.meeting.state).toBe('call')
})
