import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { admitAfter, type Step, turn } from '../../../../packages/mock/shared/scenario.ts'
import { Timeline } from '../../../../packages/mock/shared/timeline.ts'

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

test.each([
  ['does not admit the bot', admitAfter(2000)],
  ['does not deny the bot', { in: 'lobby', afterMs: 2000, do: 'deny' } as const],
])(
  'a host who is not ready %s, and does nothing to a visitor who comes after the waiting one has gone',
  async (_what, step) => {
    const ready = Promise.withResolvers<void>()
    const { timeline, done } = makeTimeline(1, [step], ready.promise)
    timeline.enter('lobby')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(done).toEqual([])
    ready.resolve()
    await vi.advanceTimersByTimeAsync(0)
    expect(done).toEqual([step.do])
    const never = makeTimeline(1, [step], ready.promise)
    never.timeline.enter('lobby')
    vi.advanceTimersByTime(2000)
    never.timeline.forget()
    await vi.advanceTimersByTimeAsync(0)
    expect(never.done).toEqual([])
  },
)
