import { expect, test } from 'vitest'
import { evenPlace, fitInto } from '../../../../../../platforms/shared/page/picture/frames/fit.ts'

const PLACE = { x: 10, y: 20, width: 400, height: 200 }

test('a video fills its place, and what is over is cut on both sides alike', () => {
  expect(fitInto({ width: 640, height: 480 }, PLACE, false)).toEqual({
    from: { x: 0, y: 80, width: 640, height: 320 },
    to: PLACE,
  })
})

test('a whole video is in the middle of its place, on even pixels', () => {
  expect(fitInto({ width: 360, height: 640 }, PLACE, true)).toEqual({
    from: { x: 0, y: 0, width: 360, height: 640 },
    to: { x: 154, y: 20, width: 112, height: 200 },
  })
})

test('a place on odd pixels shrinks to even ones', () => {
  expect(evenPlace({ x: 85, y: 14, width: 550, height: 311 })).toEqual({ x: 86, y: 14, width: 548, height: 310 })
  expect(evenPlace({ x: 3, y: 3, width: 1, height: 1 })).toEqual({ x: 4, y: 4, width: 0, height: 0 })
})
