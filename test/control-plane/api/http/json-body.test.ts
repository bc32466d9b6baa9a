import { changedValue } from '@standin/control-plane/api/http/json-body.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const NAME = 'has a name that is not allowed'
const NUMBER = 'is a number that cannot be kept exactly; send it as a string instead'

test.each([
  ['{"a": 1, "b": [0, 1e400]}', `body/b/1 ${NUMBER}`],
  ['[12345678901234567890]', `body/0 ${NUMBER}`],
  ['1234567890123456', null],
  ['12345678901234567.5', `body ${NUMBER}`],
  ['{"a": {"b": "]}"}, "c": -9007199254740993}', `body/c ${NUMBER}`],
  [String.raw`{"\\": "\"", "\"": [[], {}, 1e-999]}`, `body/"/2 ${NUMBER}`],
  [`[0.${'0'.repeat(100)}]`, `body/0 ${NUMBER}`],
  [`[1e-${'9'.repeat(1000)}]`, `body/0 ${NUMBER}`],
  ['{"order": "12345678901234567890", "zero": 0.0000000000000000000}', null],
  ['[1e5, 1E+5, 100e-02, 1.00000000000000000000, 9007199254740991]', null],
  ['{"a": [{"__proto__": 1}]}', `body/a/0/__proto__ ${NAME}`],
  [String.raw`{"\u005f_proto__": 1}`, `body/__proto__ ${NAME}`],
  ['{"constructor": {"a": {}, "prototype": 1}}', `body/constructor ${NAME}`],
  ['{"constructor": [{"prototype": 1}], "prototype": {"constructor": "__proto__"}}', null],
  [`{"${'n'.repeat(100)}": 1e999}`, `body/${'n'.repeat(60)}… ${NUMBER}`],
  [`${'['.repeat(5000)}1e999${']'.repeat(5000)}`, `body${'/0'.repeat(100)}/… ${NUMBER}`],
  [`[${'1e99,'.repeat(1000)}1]`, null],
  [
    `[${'1e99,'.repeat(1001)}1]`,
    'body has more than 1000 numbers with an exponent or 16 digits; send such numbers as strings',
  ],
])('%j', (text, message) => {
  expect(() => JSON.parse(text)).not.toThrow()
  expect(changedValue(text)?.message ?? null).toBe(message)
})

test('any value that a program writes is kept, and a number that changes is found at any place', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('constructor', 'prototype', '__proto', '1e999', '\\', '"'))
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      { withCrossShrink: true },
      fc.oneof(fc.string(), fc.double({ noDefaultInfinity: true, noNaN: true }), fc.constant(null), fc.boolean()),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(names, tie('value'), { maxKeys: 4 }),
    ),
  })).value
  const isFree = (value: unknown): boolean =>
    typeof value !== 'object' ||
    value === null ||
    Object.entries(value).every(
      ([name, inner]) =>
        name !== '__proto__' &&
        !(name === 'constructor' && inner && !Array.isArray(inner) && Object.hasOwn(inner, 'prototype')) &&
        isFree(inner),
    )
  // A name may be drawn that the body must not have.
  const bodies = fc.tuple(values, names).map(([value, name]) => ({ first: value, [name]: [value] }))
  fc.assert(
    fc.property(bodies.filter(isFree), fc.constantFrom(0, 1), (good, indent) => {
      expect(changedValue(JSON.stringify(good, null, indent))).toBeNull()
      const bad = JSON.stringify({ ...good, '': { last: 'HERE' } }, null, indent).replace(
        /"HERE"(?=\s*\}\s*\}$)/,
        '1e999',
      )
      expect(changedValue(bad)?.message).toBe(`body//last ${NUMBER}`)
    }),
  )
})
