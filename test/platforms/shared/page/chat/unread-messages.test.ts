import { expect, test } from 'vitest'
import { createUnreadMessages } from '../../../../../platforms/shared/page/chat/unread-messages.ts'

test('what cannot be read is counted by channel', () => {
  const unread = createUnreadMessages()
  for (const result of ['read', 'unread', 'unread', 'empty'] as const) unread.note('collections', result)
  unread.note('captions', 'read')
  expect(unread.counts()).toEqual({ collections: 2 })
})

test('a channel whose messages are well formed and never hold anything known counts as not read', () => {
  const unread = createUnreadMessages()
  for (let message = 0; message < 9; message++) unread.note('collections', 'empty')
  expect(unread.counts()).toEqual({})
  unread.note('collections', 'empty')
  expect(unread.counts()).toEqual({ collections: 10 })
  unread.note('collections', 'read')
  expect(unread.counts()).toEqual({})
})
