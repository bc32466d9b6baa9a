import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { admitAfter, type Step, turn } from '../../../mock/shared/scenario.ts'
import { Timeline } from '../../../mock/shared/timeline.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function makeTimeline(
  speed: number,
  steps = turn('ann', 2, 4),
  hostReady?: Promise<void>,
): { timeline: Timeline; done: Step['do'][] } {
  const done: Step['do'][] = []
  return { timeline: new Timeline(steps, (step) => done.push(step.do), { speed, hostReady }), done }
}

test('steps count from when their state is entered, faster at a higher speed', () => {
  const { timeline, done } = makeTimeline(2)
  timeline.enter('lobby')
  vi.advanceTimersByTime(10_000)
  expect(done).toEqual([])
  timeline.enter('call')
  vi.advanceTimersByTime(1000)
  expect(done).toEqual(['startSpeaking'])
  vi.advanceTimersByTime(1000)
  expect(done).toEqual(['startSpeaking', 'stopSpeaking'])
})

test('a state that comes back does not begin its steps again, the next visit does', () => {
  const { timeline, done } = makeTimeline(1)
  timeline.enter('call')
  vi.advanceTimersByTime(3000)
  timeline.enter('reconnecting')
  timeline.enter('call')
  vi.advanceTimersByTime(10_000)
  expect(done).toEqual(['startSpeaking', 'stopSpeaking'])
  timeline.forget()
  timeline.enter('call')
  vi.advanceTimersByTime(3000)
  timeline.forget()
  vi.advanceTimersByTime(10_000)
  expect(done).toEqual(['startSpeaking', 'stopSpeaking', 'startSpeaking'])
})

test('a host who is not ready lets nobody in, nor whoever comes after the one who knocked has gone', async () => {
  const ready = Promise.withResolvers<void>()
  const { timeline, done } = makeTimeline(1, [admitAfter(2000)], ready.promise)
  timeline.enter('lobby')
  await vi.advanceTimersByTimeAsync(60_000)
  expect(done).toEqual([])
  ready.resolve()
  await vi.advanceTimersByTimeAsync(0)
  expect(done).toEqual(['admit'])
  const never = makeTimeline(1, [admitAfter(2000)], ready.promise)
  never.timeline.enter('lobby')
  vi.advanceTimersByTime(2000)
  never.timeline.forget()
  await vi.advanceTimersByTimeAsync(0)
  expect(never.done).toEqual([])
})
