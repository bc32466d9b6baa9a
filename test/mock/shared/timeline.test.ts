import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Step, turn } from '../../../mock/shared/scenario.ts'
import { Timeline } from '../../../mock/shared/timeline.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function makeTimeline(speed: number): { timeline: Timeline; done: Step['do'][] } {
  const done: Step['do'][] = []
  return { timeline: new Timeline(turn('ann', 2, 4), speed, (step) => done.push(step.do)), done }
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
