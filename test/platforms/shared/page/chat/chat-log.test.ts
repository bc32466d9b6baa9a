import { describe, expect, test } from 'vitest'
import type { ChatMessage } from '../../../../../packages/core/meeting/meeting.ts'
import { harmlessAddress, plainContent } from '../../../../../platforms/shared/page/chat/chat-content.ts'
import { ChatLog, type ChatSource } from '../../../../../platforms/shared/page/chat/chat-log.ts'

const message = (id: string, text: string, more: Partial<ChatMessage> = {}): ChatMessage => ({
  ...{ id, senderId: 'ann', senderName: 'Ann', text, at: 0, isOwn: false },
  ...more,
})

/** A log, and what it tells in short: `new`, `changed` or nothing. */
function logOf() {
  const log = new ChatLog()
  const receive = (source: ChatSource, said: ChatMessage, otherIds: string[] = []) => log.add(source, said, 7, otherIds)
  const kind = (...given: Parameters<typeof receive>) => receive(...given)?.type ?? null
  return { log, receive, kind }
}

describe('two sources of one chat', () => {
  test('one message from both is one, by id or by text', () => {
    const { kind } = logOf()
    expect(kind('channel', message('1', 'a'))).toBe('chat_message')
    expect(kind('panel', message('1', 'a'))).toBeNull()
    expect(kind('channel', message('2', 'two lines\nof it'))).toBe('chat_message')
    expect(kind('panel', message('p2', 'two lines of it', { senderId: null }))).toBeNull()
    expect(kind('channel', message('3', 'x'), ['row-3'])).toBe('chat_message')
    expect(kind('panel', message('row-3', 'written another way'))).toBeNull()
  })

  test('equal texts are as many messages as one source says', () => {
    const { kind } = logOf()
    const taken = ['1', '2'].map((id) => kind('channel', message(id, 'ok')))
    const again = ['p1', 'p2'].map((id) => kind('panel', message(id, 'ok')))
    expect([...taken, ...again]).toEqual(['chat_message', 'chat_message', null, null])
    expect(kind('panel', message('p3', 'ok'))).toBe('chat_message')
  })

  test('equal texts of two people are two', () => {
    const { kind } = logOf()
    expect(kind('channel', message('1', 'ok'))).toBe('chat_message')
    expect(kind('panel', message('2', 'ok', { senderId: 'bob' }))).toBe('chat_message')
    expect(kind('panel', message('3', 'ok', { isOwn: true, senderId: null }))).toBe('chat_message')
  })

  test('an edit that both sources report is one change, under the id that was reported first', () => {
    const { receive, kind } = logOf()
    receive('channel', message('client-1', 'first'), ['row-1'])
    receive('panel', message('row-1', 'first'))
    const content = { text: 'second', isEdited: true }
    const change = { type: 'chat_message_changed', messageId: 'client-1', content, at: 7 }
    expect(receive('channel', message('client-1', 'second', { isEdited: true }), ['row-1'])).toEqual(change)
    expect(kind('panel', message('row-1', 'first'))).toBeNull()
    expect(kind('panel', message('row-1', 'second'))).toBeNull()
    const third = receive('panel', message('row-1', 'third'))
    expect(third).toMatchObject({ messageId: 'client-1', content: { text: 'third' } })
  })

  test('reactions and links of one source are not taken away by the other', () => {
    const { receive, kind } = logOf()
    const reactions = [{ emoji: '👍', count: 1, participantIds: ['bob'] }]
    const links = [{ text: 'the plan', url: 'https://example.org/' }]
    receive('channel', message('1', 'see the plan'))
    expect(receive('channel', message('1', 'see the plan', { reactions }))).toMatchObject({ content: { reactions } })
    expect(receive('panel', message('1', 'see the plan', { links }))).toMatchObject({ content: { reactions, links } })
    expect(kind('panel', message('1', 'see the plan', { links }))).toBeNull()
    expect(receive('channel', message('1', 'see the plan'))).toMatchObject({ content: { reactions: [], links } })
  })
})

describe('deleted messages', () => {
  test('are reported without their text, once, and later changes to them are ignored', () => {
    const { log, receive, kind } = logOf()
    receive('channel', message('1', 'a secret'))
    const gone = { type: 'chat_message_changed', messageId: '1', content: { text: '', isDeleted: true }, at: 7 }
    expect(receive('channel', message('1', '', { isDeleted: true }))).toEqual(gone)
    expect(kind('panel', message('1', 'a secret'))).toBeNull()
    expect(log.delete('1', 8)).toBeNull()
    expect(JSON.stringify(log.add('channel', message('1', 'a secret again'), 9))).toBe('null')
  })

  test('a deleted message that was never reported is not reported', () => {
    const { log, kind } = logOf()
    expect([kind('channel', message('1', '', { isDeleted: true })), log.delete('unknown', 1)]).toEqual([null, null])
  })
})

test('thousands of messages are each told once, and each remembered', () => {
  const { kind } = logOf()
  const all = Array.from({ length: 5000 }, (_, number) => message(`m${number}`, `Message ${number}`))
  expect(all.filter((one) => kind('panel', one) === 'chat_message')).toHaveLength(5000)
  expect(all.filter((one) => kind('panel', one) !== null)).toEqual([])
})

describe('addresses', () => {
  test('in plain text are links, without the signs of the sentence', () => {
    expect(plainContent('(see https://example.org/a?b=1&c=ü, or http://x.example).').links).toEqual([
      { text: 'https://example.org/a?b=1&c=ü', url: 'https://example.org/a?b=1&c=%C3%BC' },
      { text: 'http://x.example', url: 'http://x.example/' },
    ])
    expect(plainContent('no link: javascript:alert(1) ftp://x').links).toBeUndefined()
  })

  test('in markup lead to sites and mail only', () => {
    const hostile = ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'blob:x']
    const addresses = [...hostile, '/chat', '', null, 'mailto:ann@example.org']
    expect(addresses.filter((href) => harmlessAddress(href) !== null)).toEqual(['mailto:ann@example.org'])
  })
})

test('a text that is too long says that it was cut, and never in the middle of a character', () => {
  const { text, isCut } = plainContent('😀'.repeat(15_000))
  expect(isCut).toBe(true)
  expect(text.isWellFormed()).toBe(true)
  expect(plainContent('short')).toEqual({ text: 'short' })
})
