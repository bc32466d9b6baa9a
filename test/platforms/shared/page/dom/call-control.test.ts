import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchCallControl } from '../../../../../platforms/shared/page/dom/call-control.ts'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

function watched(isOver?: () => boolean) {
  const page = { control: { isConnected: true } as { isConnected: boolean } | null, asked: 0 }
  const watch = watchCallControl(() => {
    page.asked++
    return page.control as Element | null
  }, isOver)
  const remove = () => {
    page.control!.isConnected = false
    page.control = null
  }
  return { page, watch, remove }
}

test('the end is as old as the control is gone, however late it is asked for', () => {
  const { watch, remove } = watched()
  watch.begin()
  vi.advanceTimersByTime(5000)
  expect(watch.goneAt()).toBeNull()
  const before = Date.now()
  remove()
  vi.advanceTimersByTime(3000)
  expect(watch.goneAt()! - before).toBeLessThanOrEqual(100)
})

test('a control that was redrawn is present', () => {
  const { page, watch, remove } = watched()
  watch.begin()
  remove()
  vi.advanceTimersByTime(500)
  page.control = { isConnected: true }
  vi.advanceTimersByTime(100)
  expect(watch.goneAt()).toBeNull()
})

test('the page is searched only when the control is out of it', () => {
  const { page, watch } = watched()
  watch.begin()
  vi.advanceTimersByTime(60_000)
  expect(page.asked).toBe(1)
})

test('a control that outlives the call does not hide its end', () => {
  let isOver = false
  const { watch } = watched(() => isOver)
  watch.begin()
  vi.advanceTimersByTime(1000)
  const before = Date.now()
  isOver = true
  vi.advanceTimersByTime(1000)
  expect(watch.goneAt()! - before).toBeLessThanOrEqual(100)
  isOver = false
  vi.advanceTimersByTime(100)
  expect(watch.goneAt()).toBeNull()
})

test('a document that never was in a call is as old as itself', () => {
  const { watch } = watched()
  expect(watch.goneAt()).toBe(Math.round(performance.timeOrigin))
})
