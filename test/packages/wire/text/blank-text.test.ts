import { isBlank } from '@standin/wire/text/blank-text.ts'
import { expect, test } from 'vitest'

test.each([
  '',
  ' ',
  '\t\n',
  '\u00a0',
  '\u200b',
  '\u2060\ufeff',
  '\u00ad',
  '\u3164',
  '\u115f\u1160',
  '\ufe0f',
  '\u2800',
  '\u{e0001}',
])('nothing to see in %j', (text) => expect(isBlank(text)).toBe(true))

test.each(['a', '名', '.', '🙂', '👩\u200d👩\u200d👧', '❤\ufe0f', '\u200bAnn', 'نیم\u200cفاصله'])(
  '%j is seen',
  (text) => expect(isBlank(text)).toBe(false),
)
