import { expect, it } from 'vitest'
import { isVp8KeyFrame, readIvf, vp8Size, writeIvf } from '../../../../packages/mock/media/containers.ts'

const frames = [
  { data: Buffer.from([0x10, 0, 0, 0x9d, 1, 0x2a, 0x80, 2, 0x68, 1, 7]), timestamp: 0 },
  { data: Buffer.from([0x11, 2, 3]), timestamp: 3750 },
]

it('reads the frames of an IVF file that it wrote', () => {
  expect(readIvf(writeIvf(frames, 640, 360, 90_000))).toEqual(frames)
  expect(isVp8KeyFrame(frames[0]!.data)).toBe(true)
  expect(isVp8KeyFrame(frames[1]!.data)).toBe(false)
  expect(vp8Size(frames[0]!.data)).toEqual({ width: 640, height: 360 })
})

it('refuses IVF files that are cut short or hold something else', () => {
  const file = writeIvf(frames, 640, 360, 90_000)
  expect(() => readIvf(file.subarray(0, file.length - 1))).toThrow(/cut short/)
  expect(() => readIvf(file.subarray(0, 40))).toThrow(/cut short/)
  expect(() => readIvf(Buffer.from('something else'))).toThrow(/Not an IVF file/)
  expect(() => readIvf(Buffer.concat([file.subarray(0, 8), Buffer.from('VP90'), file.subarray(12)]))).toThrow(/VP8/)
})
