import {
  aborted,
  type Clock,
  clockStep,
  endsWithin,
  sleepUntil,
  systemClock,
  within,
} from '@standin/wire/time/deadline.ts'
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'

/** A clock whose sleeps end when the test says so. */
function handClock() {
  const sleeps: { ms: number; end: () => void; signal: AbortSignal | undefined }[] = []
  let now = 0
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const end = () => {
          now += ms
          resolve()
        }
        sleeps.push({ ms, end, signal })
        signal?.addEventListener('abort', () => reject(signal.reason))
      }),
  }
  return { clock, sleeps }
}

const late = () => new Error('too late')

describe('a deadline', () => {
  test('gives the result of work that is done in time, and ends the timer', async () => {
    const { clock, sleeps } = handClock()
    expect(await within(clock, 500, Promise.resolve('done'), late)).toBe('done')
    expect(sleeps.map(({ ms, signal }) => [ms, signal?.aborted])).toEqual([[500, true]])
  })

  test('rejects with the error of the work, and ends the timer', async () => {
    const { clock, sleeps } = handClock()
    await expect(within(clock, 500, Promise.reject(new Error('broken')), late)).rejects.toThrow('broken')
    expect(sleeps[0]?.signal?.aborted).toBe(true)
  })

  test('rejects with its own error, made only then, once the time has passed', async () => {
    const { clock, sleeps } = handClock()
    let made = 0
    const { promise: work, reject } = Promise.withResolvers<never>()
    const limited = within(clock, 500, work, () => {
      made += 1
      return late()
    })
    expect(made).toBe(0)
    sleeps[0]!.end()
    await expect(limited).rejects.toThrow('too late')
    expect(made).toBe(1)
    // An unhandled rejection would fail this file.
    reject(new Error('later'))
    await new Promise(setImmediate)
  })
})

test('a sleep until an instant is made of sleeps of at most 10 s and ends exactly then', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: -1000, max: 100_000 }), async (at) => {
      let now = 0
      const lengths: number[] = []
      const clock: Clock = {
        now: () => now,
        sleep: async (ms) => {
          lengths.push(ms)
          now += ms
        },
      }
      await sleepUntil(clock, at, new AbortController().signal)
      expect(now).toBe(Math.max(at, 0))
      expect(Math.max(0, ...lengths)).toBeLessThanOrEqual(10_000)
    }),
  )
})

test('a signal that is aborted before or after is seen', async () => {
  const control = new AbortController()
  const seen = aborted(control.signal)
  control.abort()
  await seen
  await aborted(control.signal)
})

describe('a wait for some time at most', () => {
  test('says whether the work is done', async () => {
    const { clock, sleeps } = handClock()
    expect(await endsWithin(clock, 500, Promise.resolve())).toBe(true)
    expect(sleeps[0]?.signal?.aborted).toBe(true)
    const waiting = endsWithin(clock, 500, new Promise(() => {}))
    sleeps[1]!.end()
    expect(await waiting).toBe(false)
  })

  test('rejects with an error that comes in time; a later one is ignored', async () => {
    const { clock, sleeps } = handClock()
    await expect(endsWithin(clock, 500, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
    const { promise: work, reject } = Promise.withResolvers<never>()
    const waiting = endsWithin(clock, 500, work)
    sleeps[1]!.end()
    expect(await waiting).toBe(false)
    reject(new Error('later'))
    await new Promise(setImmediate)
  })
})

describe('the clock of the system', () => {
  test('does not follow a machine whose clock is set, and says by how much it was', () => {
    const before = systemClock.now()
    const wall = vi.spyOn(Date, 'now').mockReturnValue(before + 3_600_000)
    expect(systemClock.now() - before).toBeLessThan(60_000)
    expect(clockStep(systemClock)).toBeGreaterThan(3_500_000)
    wall.mockRestore()
    expect(Math.abs(clockStep(systemClock))).toBeLessThan(1_000)
  })

  test('a wait for an instant follows the machine: people named it', async () => {
    let now = 0
    let wall = 0
    const clock: Clock = {
      now: () => now,
      wall: () => wall,
      sleep: async (ms) => {
        now += ms
        wall += ms > 5_000 ? 60_000 : ms
      },
    }
    await sleepUntil(clock, 50_000, new AbortController().signal)
    expect(wall).toBe(60_000)
  })
})
