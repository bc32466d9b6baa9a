import { messageOf } from '@standin/wire/text/error-text.ts'
import { expect, test } from 'vitest'

class NamedError extends Error {
  override readonly name = 'NamedError'
}

test.each([
  [new Error('disk full'), 'disk full'],
  [new NamedError('disk full'), 'disk full'],
  [new Error('outer', { cause: new Error('inner') }), 'outer'],
  [new Error(''), ''],
  ['a text', 'a text'],
  [undefined, 'undefined'],
  [null, 'null'],
  [7, '7'],
])('the message of %o is %j', (thrown, text) => {
  expect(messageOf(thrown)).toBe(text)
})
