import { expect, test } from 'vitest'
import { START_OF_HOST, trimEndOf } from '../../../platforms/shared/link-text.ts'

test.each([
  ['link).', '.)', 'link'],
  ['a.b', '.', 'a.b'],
  ['...', '.', ''],
  ['', '.', ''],
])('%s without the characters %s at its end is "%s"', (text, characters, trimmed) => {
  expect(trimEndOf(text, characters)).toBe(trimmed)
})

test.each(['x.zoom', 'xzoom', '-zoom', '@zoom', '/zoom', '=zoom', '%zoom', '_zoom'])(
  'no host starts inside %s',
  (text) => {
    expect(new RegExp(`${START_OF_HOST}zoom`).test(text)).toBe(false)
  },
)

test.each(['zoom', '<zoom', ' zoom', '(zoom', '"zoom'])('a host starts in %s', (text) => {
  expect(new RegExp(`${START_OF_HOST}zoom`).test(text)).toBe(true)
})
