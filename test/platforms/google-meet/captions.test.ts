import { expect, test } from 'vitest'
import { captionEvent } from '../../../packages/mock/google-meet/roster.ts'
import { decodeCaptions } from '../../../platforms/google-meet/page/captions.ts'

const bytes = (data: Uint8Array) => new Uint8Array(data).buffer

test('a message of the captions channel says whose row it is, which version, and what it says', async () => {
  const sent = captionEvent({ device: 'spaces/x/devices/7', row: 3, version: 12, text: '你好 <b>Ann</b>' })
  expect(await decodeCaptions(bytes(sent))).toEqual([
    { deviceId: 'spaces/x/devices/7', captionId: '3', version: 12, isFinal: false, text: '你好 <b>Ann</b>' },
  ])
})

test('an empty message says nothing, and what is no such message is refused', async () => {
  expect(await decodeCaptions(bytes(new Uint8Array()))).toEqual([])
  for (const data of [new Uint8Array([1, 2, 3]), new Uint8Array(300_000)])
    await expect(decodeCaptions(bytes(data))).rejects.toThrow()
})
