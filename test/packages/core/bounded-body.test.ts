import { expect, test } from 'vitest'
import { BodyTooLong, boundedFetch, readBody } from '../../../packages/core/bounded-body.ts'

/** A body without an end, which counts the chunks that were asked for. */
function endless() {
  const body = {
    chunks: 0,
    isEnded: false,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          body.chunks++
          yield new Uint8Array(1000)
        }
      } finally {
        body.isEnded = true
      }
    },
  }
  return body
}

test('a body is read whole up to its limit', async () => {
  async function* chunks() {
    yield Buffer.from('Hel')
    yield Buffer.from('lo')
  }
  expect(String(await readBody(chunks(), 5))).toBe('Hello')
  await expect(readBody(chunks(), 4)).rejects.toThrow(BodyTooLong)
})

test('a body without an end is given up at the limit, and its stream is ended', async () => {
  const body = endless()
  await expect(readBody(body, 10_000)).rejects.toThrow('sent more than 10000 bytes')
  expect(body).toMatchObject({ chunks: 11, isEnded: true })
})

test('a package that reads whole answers gets none that is too long', async () => {
  const answer = (text: string) => async () => new Response(text, { status: 201, headers: { 'x-kept': 'yes' } })
  const good = await boundedFetch(5, answer('Hello'))('http://127.0.0.1/')
  expect([good.status, good.headers.get('x-kept'), await good.text()]).toEqual([201, 'yes', 'Hello'])
  await expect(boundedFetch(4, answer('Hello'))('http://127.0.0.1/')).rejects.toThrow(BodyTooLong)
})
