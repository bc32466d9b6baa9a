import { expect, test } from 'vitest'
import { ChatBacklog } from '../../../platforms/zoom/page/chat-backlog.ts'

const rows = (ids: string) => [...ids].map((id) => ({ id }))
const never = () => null
const order = (backlog: ChatBacklog<{ id: string }>) => backlog.drain(never).map(({ message }) => message.id)

test.each([
  ['a row that was drawn after the one behind it', ['b', 'ab'], 'ab'],
  ['a message that came while older pages were turned back', ['de', 'bcd', 'def', 'ab'], 'abcdef'],
  ['pages that share no row', ['ef', 'cd', 'ab'], 'abcdef'],
  ['a row between two', ['ac', 'abc'], 'abc'],
  ['the same rows again', ['abc', 'abc'], 'abc'],
  ['rows that go on behind the view', ['abcf', 'bcde'], 'abcdef'],
])('%s is in the order of the list', (_what, looks, expected) => {
  const backlog = new ChatBacklog<{ id: string }>()
  for (const look of looks) backlog.add(rows(look))
  expect(order(backlog).join('')).toBe(expected)
  expect(order(backlog)).toEqual([])
})

test('a message that is found before one that was already reported is not later than that one', () => {
  const backlog = new ChatBacklog<{ id: string }>()
  backlog.add(rows('abcd'))
  const reported = (id: string) => (id === 'c' ? 1000 : null)
  expect(backlog.drain(reported).map(({ notAfter }) => notAfter)).toEqual([998, 999, 1000, null])
})
