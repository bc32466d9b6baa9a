import { expect, test } from 'vitest'
import { newSigningKey, PUBLIC_KEY, readSigned, signJson } from '../../base/signed-json.ts'

const { privateKey, publicKey } = newSigningKey()

test('the order of fields and the spaces of a document do not matter, its content does', () => {
  const { document } = signJson({ b: [1, { y: 'é', x: null }], a: true }, privateKey)
  expect(publicKey).toMatch(PUBLIC_KEY)
  const sent = JSON.parse(
    JSON.stringify(
      { signature: (document as { signature: string }).signature, signed: { a: true, b: [1, { x: null, y: 'é' }] } },
      null,
      3,
    ),
  )
  expect(readSigned(sent, publicKey)).toEqual({ a: true, b: [1, { x: null, y: 'é' }] })
  for (const changed of [{ a: false }, { a: true, b: [1, { x: null, y: 'e' }] }, [], null])
    expect(() => readSigned({ ...sent, signed: changed }, publicKey)).toThrow('does not fit')
})

test.each([[null], ['text'], [{}], [{ signed: 1 }], [{ signature: 'AAAA' }]])('%j is not signed', (document) => {
  expect(() => readSigned(document, publicKey)).toThrow('not signed')
})

test('a signature of another key, or none at all, does not fit', () => {
  const { document } = signJson({ a: 1 }, newSigningKey().privateKey)
  expect(() => readSigned(document, publicKey)).toThrow('does not fit')
  expect(() => readSigned({ signed: { a: 1 }, signature: '' }, publicKey)).toThrow('does not fit')
})

test('a field called __proto__ is signed as any other', () => {
  const { document } = signJson(JSON.parse('{"__proto__": {"a": 1}}'), privateKey)
  const other = { ...document, signed: JSON.parse('{"__proto__": {"a": 2}}') }
  expect(() => readSigned(other, publicKey)).toThrow('does not fit')
})
