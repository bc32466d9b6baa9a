import { expect, test } from 'vitest'
import { StallWatch } from '../../../platforms/zoom/web-client/stalls.ts'

const PACES = { blankMs: 12_000, stallMs: 25_000, reloads: 2 }
const idle = { isIdle: true, isBlank: false, progress: 'a' }
const blank = { isIdle: true, isBlank: true, progress: 'a' }

test('a page that does not change is loaded again, as often as is allowed', () => {
  const stalls = new StallWatch(PACES)
  const reloads: number[] = []
  for (let now = 0; now <= 200_000; now += 1000) if (stalls.observe(idle, now)) reloads.push(now)
  expect(reloads).toEqual([26_000, 53_000])
})

test('a blank page has less time', () => {
  const stalls = new StallWatch(PACES)
  expect(stalls.observe(blank, 0)).toBe(false)
  expect(stalls.observe(blank, 12_000)).toBe(false)
  expect(stalls.observe(blank, 12_001)).toBe(true)
})

test('progress and a page that can be acted on restart the time', () => {
  const stalls = new StallWatch(PACES)
  stalls.observe(idle, 0)
  expect(stalls.observe({ ...idle, progress: 'b' }, 20_000)).toBe(false)
  expect(stalls.observe({ ...idle, progress: 'b' }, 44_000)).toBe(false)
  expect(stalls.observe({ isIdle: false, isBlank: false, progress: null }, 44_500)).toBe(false)
  expect(stalls.observe({ ...idle, progress: 'b' }, 46_000)).toBe(false)
})
