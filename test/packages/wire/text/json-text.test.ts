import { Readable } from 'node:stream'
import { jsonText, linesOf } from '@standin/wire/text/json-text.ts'
import { expect, test } from 'vitest'

const NAME = 'Ann\u2028Berg\u2029'

test('line separators are escaped, also with indentation, and read back as they were', () => {
  for (const text of [jsonText({ [NAME]: NAME }), jsonText({ [NAME]: NAME }, 2)]) {
    expect(text).not.toMatch(/[\u2028\u2029]/)
    expect(JSON.parse(text)).toEqual({ [NAME]: NAME })
  }
})

test('only a line feed ends a line, wherever the chunks are cut', async () => {
  const chunks = Readable.from(['a\u2028b', 'c\nd\r', '\n\ne\u2029', 'f'])
  expect(await Array.fromAsync(linesOf(chunks))).toEqual(['a\u2028bc', 'd\r', '', 'e\u2029f'])
})
