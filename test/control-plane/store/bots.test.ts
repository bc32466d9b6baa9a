import { expect, test } from 'vitest'
import { jsonText } from '../../../control-plane/store/bots/bots.ts'

test('JSON text has nothing that PostgreSQL refuses, in keys and in values', () => {
  const value = { 'a\u0000': ['b\u0000', { 'c\ud800': 'd\udc00', at: new Date(0) }], e: '\\u0000' }
  expect(JSON.parse(jsonText(value))).toEqual({
    'a\uFFFD': ['b\uFFFD', { 'c\uFFFD': 'd\uFFFD', at: '1970-01-01T00:00:00.000Z' }],
    e: '\\u0000',
  })
})
