import { expect, test } from 'vitest'
import type { ChatMessage } from '../../../../packages/core/meeting/meeting.ts'
import { ChatMemory } from '../../../../src/run/memory/chat-memory.ts'

const message = (id: string, text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  id,
  senderId: 'a',
  senderName: 'Ann',
  text,
  at: 1000,
  isOwn: false,
  ...more,
})

/** A memory with the messages of a first document, at the beginning of the second. */
function afterReload(...reported: ChatMessage[]): ChatMemory {
  const memory = new ChatMemory()
  expect(reported.flatMap((one) => memory.remember(one, 0)).map(({ type }) => type)).toEqual(
    reported.map(() => 'chat_message'),
  )
  memory.renew()
  return memory
}

test('a page that was reloaded reports no message twice', () => {
  const memory = afterReload(message('1', 'Hello'), message('2', 'Hello'))
  expect(memory.remember(message('1', 'Hello'), 5)).toEqual([])
  expect(memory.remember(message('2', 'Hel lo'), 5)).toEqual([])
  expect(memory.remember(message('3', 'New'), 5)).toMatchObject([{ type: 'chat_message' }])
})

test('a message that was edited, deleted or reacted to meanwhile is reported as a change', () => {
  const memory = afterReload(message('1', 'Hello'), message('2', 'Bye'), message('3', 'Yes'))
  const reactions = [{ emoji: '👍', count: 1, participantIds: ['b'] }]
  expect(memory.remember(message('1', 'Hello all', { isEdited: true }), 5)).toMatchObject([
    { type: 'chat_message_changed', messageId: '1', content: { text: 'Hello all', isEdited: true }, at: 5 },
  ])
  expect(memory.remember(message('2', '', { isDeleted: true }), 5)).toMatchObject([{ content: { isDeleted: true } }])
  expect(memory.remember(message('3', 'Yes', { reactions }), 5)).toMatchObject([{ content: { reactions } }])
  expect(memory.remember(message('3', 'Yes', { reactions }), 6)).toEqual([])
})

test('a new document may have other ids: equal words of one sender at one time are met one to one', () => {
  const memory = afterReload(message('client-1', 'ok'), message('client-2', 'ok', { at: 1500 }))
  expect(memory.remember(message('row-1', 'ok'), 5)).toEqual([])
  expect(memory.remember(message('row-2', 'ok', { at: 1500 }), 5)).toEqual([])
  expect(memory.remember(message('row-3', 'ok', { at: 1600 }), 5)).toHaveLength(1)
  expect(memory.remember(message('row-4', 'ok', { at: 60_000 }), 5)).toHaveLength(1)
  expect(memory.remember(message('row-5', 'ok', { senderName: 'Bob' }), 5)).toHaveLength(1)
  expect(memory.changed('row-1', { text: 'okay' })).toBe('client-1')
})

test('a message that the bot wrote is its own, although it comes back under another id', () => {
  const own = { senderId: null, senderName: 'Notes', isOwn: true }
  const memory = afterReload(message('1', 'I am recording', own))
  expect(memory.remember(message('row-1', 'I am recording', { senderName: 'Notes', senderId: 'x' }), 5)).toEqual([])
})
