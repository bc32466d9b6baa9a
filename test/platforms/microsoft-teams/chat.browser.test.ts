import { expect, test } from 'vitest'
import { ChatUnavailable } from '../../../core/errors.ts'
import { teamsHarness, until } from './harness.ts'

const teams = teamsHarness()

/** In the meeting, with the chat opened as for a recording. */
async function inside(scenario: string, options: Parameters<typeof teams.attempt>[1] = {}) {
  const attempt = await teams.attempt(scenario, options)
  await attempt.enter()
  await attempt.driver.prepareRecording(attempt.signal)
  return attempt
}

test.each(['chat-send-light', 'chat-send-full'])(
  '%s: one line, several lines, and one after the other',
  async (scenario) => {
    const attempt = await inside(scenario)
    await Promise.all([
      attempt.driver.sendChat('Hello from the notes'),
      attempt.driver.sendChat('One\nTwo <b>three</b>'),
    ])
    await attempt.event('chat_message', ({ message }) => message.isOwn && message.text === 'Hello from the notes')
    await attempt.event('chat_message', ({ message }) => message.isOwn && message.text === 'One\nTwo <b>three</b>')
    const sent = attempt.meeting.truth.chat.filter(({ senderId }) => senderId === null).map(({ text }) => text)
    expect(sent).toEqual(['Hello from the notes', 'One\nTwo <b>three</b>'])
  },
)

test('chat-multiline: what people write arrives as they wrote it', async () => {
  const attempt = await inside('chat-multiline')
  for (const part of ['ça va? 你好', '?page=1&x=<b> now', '<img src=x onerror=alert(1)>']) {
    await attempt.event('chat_message', ({ message }) => !message.isOwn && message.text.includes(part))
  }
  const truth = attempt.meeting.truth.chat[0]
  const first = await attempt.event('chat_message', ({ message }) => message.text.startsWith('First line'))
  expect(first.message).toMatchObject({ senderName: 'Ann Host', senderId: expect.any(String) })
  expect(Math.abs(first.message.at - (truth?.at ?? 0))).toBeLessThan(2000)
})

test('chat-read-grouped-authors: every message is reported once, each under its author, and notices are not messages', async () => {
  const { meeting, ...attempt } = await inside('open')
  meeting.say('ann', 'One')
  meeting.say('ann', 'Two')
  meeting.say('bob', 'Three')
  meeting.show('chat-notice')
  meeting.say('bob', 'Four')
  meeting.show('edit-last-message')
  // More than the virtual list holds, in bursts.
  for (let item = 0; item < 48; item++) {
    meeting.say(item % 2 === 0 ? 'ann' : 'bob', `Item ${item}`)
    await new Promise((resolve) => setTimeout(resolve, 60))
  }
  await attempt.event('chat_message', ({ message }) => message.text === 'Item 47')
  const reported = attempt.events.flatMap((event) =>
    event.type === 'chat_message' ? [`${event.message.senderName}: ${event.message.text}`] : [],
  )
  const said = meeting.truth.chat.map(({ senderName, text }) => `${senderName}: ${text}`)
  expect(new Set(reported).size).toBe(reported.length)
  expect(reported.filter((line) => /Item/.test(line))).toEqual(said.filter((line) => /Item/.test(line)))
  expect(reported).toEqual(expect.arrayContaining(['Ann Host: One', 'Ann Host: Two', 'Bob Berg: Three']))
  expect(reported.some((line) => line.includes('Meeting started'))).toBe(false)
})

test('messages that come before the pane is open, more than it will hold, are all told', async () => {
  const attempt = await teams.attempt('open')
  await attempt.enter()
  for (let item = 0; item < 45; item++) attempt.meeting.say('ann', `Early ${item}`)
  await attempt.driver.prepareRecording(attempt.signal)
  await attempt.driver.sendChat('Late')
  await attempt.event('chat_message', ({ message }) => message.text === 'Late')
  const reported = attempt.events.flatMap((event) => (event.type === 'chat_message' ? [event.message] : []))
  expect(reported.map(({ text }) => text)).toEqual([
    ...Array.from({ length: 45 }, (_, item) => `Early ${item}`),
    'Late',
  ])
  expect(new Set(reported.slice(0, 45).map(({ senderName }) => senderName))).toEqual(new Set(['Ann Host']))
})

test('chat-panel-toggle-twice: an open pane stays open, and a pane that was closed is opened again', async () => {
  const attempt = await inside('chat-panel-toggle-twice')
  await attempt.event('chat_message', ({ message }) => message.text === 'Anybody here?')
  await attempt.driver.sendChat('Yes')
  attempt.meeting.say('ann', 'Good')
  await attempt.event('chat_message', ({ message }) => message.text === 'Good')
})

test('chat-late-mount: a pane that takes long is waited for', async () => {
  const attempt = await inside('chat-late-mount', { speed: 3 })
  await attempt.event('chat_availability', ({ isAvailable }) => isAvailable)
})

test.each(['chat-disabled', 'chat-no-button'])(
  '%s: missing chat is reported, no recording waits for it, and the bot stays',
  async (scenario) => {
    const attempt = await inside(scenario)
    expect(attempt.events.filter(({ type }) => type === 'chat_availability')).toEqual([])
    await attempt.event('chat_availability', ({ isAvailable }) => !isAvailable)
    await expect(attempt.driver.sendChat('Hello')).rejects.toBeInstanceOf(ChatUnavailable)
    expect(attempt.meeting.state).toBe('call')
  },
)

test('chat-disabled-mid-call: a message that finds no box any more is refused', async () => {
  const attempt = await inside('open')
  await attempt.driver.sendChat('First')
  attempt.meeting.setChatEnabled(false)
  await until(() => attempt.meeting.state === 'call', 'still in')
  await expect(attempt.driver.sendChat('Second')).rejects.toBeInstanceOf(ChatUnavailable)
})
