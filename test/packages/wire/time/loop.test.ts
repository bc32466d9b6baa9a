import { type LoopOptions, startLoop } from '@standin/wire/time/loop.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HandClock } from '../../../fakes/clock.ts'

const REST_MS = 1_000

/** Counts the rounds of a loop whose rest is a second. */
function counted(options: Partial<LoopOptions> = {}, work: (signal: AbortSignal) => unknown = () => {}) {
  const clock = new HandClock()
  const began = clock.now()
  const starts: number[] = []
  const errors: unknown[] = []
  const round = async (signal: AbortSignal) => {
    starts.push(clock.now() - began)
    return (await work(signal)) === null ? null : REST_MS
  }
  const onError = (error: unknown) => void errors.push(error)
  const loop = startLoop(round, { onError, afterErrorMs: 5_000, clock, ...options })
  return { loop, clock, starts, errors }
}

test('rounds follow each other after their rest, the first one at once', async () => {
  const { loop, clock, starts } = counted()
  await clock.advance(0)
  expect(starts).toEqual([0])
  await clock.advance(3_500)
  expect(starts).toEqual([0, 1_000, 2_000, 3_000])
  await loop.close()
  await clock.advance(10_000)
  expect(starts).toHaveLength(4)
})

test('a wake-up ends the rest', async () => {
  const { loop, clock, starts } = counted()
  await clock.advance(400)
  loop.wake()
  await clock.advance(0)
  expect(starts).toEqual([0, 400])
  await clock.advance(1_000)
  expect(starts).toEqual([0, 400, 1_400])
  await loop.close()
})

test('a wake-up during a round is not lost: one more round follows at once', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { loop, clock, starts } = counted({}, () => gates[starts.length - 1]?.promise)
  await clock.advance(0)
  loop.wake()
  loop.wake()
  gates[0]!.resolve()
  await clock.advance(0)
  expect(starts).toEqual([0, 0])
  gates[1]!.resolve()
  await clock.advance(999)
  expect(starts).toHaveLength(2)
  await loop.close()
})

test('a failed round is reported, and the loop continues', async () => {
  const { loop, clock, starts, errors } = counted({}, async () => {
    if (starts.length === 1) throw new Error('broken')
  })
  await clock.advance(4_999)
  expect(starts).toEqual([0])
  expect(errors).toEqual([new Error('broken')])
  await clock.advance(1_001)
  expect(starts).toEqual([0, 5_000, 6_000])
  await loop.close()
})

test('with a backoff, the rest grows with failures in a row', async () => {
  const failing = new Set([0, 1, 2, 4])
  const { loop, clock, starts } = counted({ afterErrorMs: { first: 100, max: 300, jitter: 0 } }, async () => {
    if (failing.has(starts.length - 1)) throw new Error('broken')
  })
  await clock.advance(1_750)
  expect(starts).toEqual([0, 100, 300, 600, 1_600, 1_700])
  await loop.close()
})

test('closing waits for the round under way, whose signal is aborted, and starts no other', async () => {
  const gate = Promise.withResolvers<void>()
  let seen: AbortSignal | undefined
  const { loop, starts } = counted({}, (signal) => {
    seen = signal
    return gate.promise
  })
  await new Promise(setImmediate)
  let isClosed = false
  const closing = loop.close().then(() => {
    isClosed = true
  })
  expect(seen?.aborted).toBe(true)
  await new Promise(setImmediate)
  expect(isClosed).toBe(false)
  gate.resolve()
  await closing
  await loop.ended
  expect(starts).toHaveLength(1)
})

test('closing ends a rest at once, and may be repeated', async () => {
  const { loop, clock, starts } = counted()
  await clock.advance(10)
  await Promise.all([loop.close(), loop.close()])
  expect(starts).toEqual([0])
})

test('the signal of the caller ends the loop; one that is aborted already begins none', async () => {
  const control = new AbortController()
  const { loop, clock, starts } = counted({ signal: control.signal })
  await clock.advance(10)
  control.abort()
  await loop.ended
  expect(starts).toEqual([0])
  const late = counted({ signal: control.signal })
  await late.loop.ended
  expect(late.starts).toEqual([])
})

test('a round that resolves with null is the last one', async () => {
  const { loop, clock, starts } = counted({}, () => (starts.length === 3 ? null : undefined))
  await clock.advance(10_000)
  await loop.ended
  expect(starts).toHaveLength(3)
})

test('whenever it is woken, rounds never overlap and none is lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ after: fc.nat(300), wakes: fc.nat(3) }), { maxLength: 12 }),
      fc.array(fc.nat(400), { minLength: 1, maxLength: 5 }),
      async (steps, lengths) => {
        const clock = new HandClock()
        let running = 0
        let starts = 0
        let lastWakeSeen = 0
        let wakes = 0
        const loop = startLoop(
          async () => {
            expect(++running).toBe(1)
            lastWakeSeen = wakes
            await clock.sleep(lengths[starts++ % lengths.length]!)
            running -= 1
            return REST_MS
          },
          { onError: () => expect.unreachable(), afterErrorMs: 0, clock },
        )
        for (const { after, wakes: count } of steps) {
          await clock.advance(after)
          for (let wake = 0; wake < count; wake++) {
            wakes += 1
            loop.wake()
          }
        }
        // The longest round: after it, one that began after the last wake-up is under way or over.
        await clock.advance(400)
        expect(lastWakeSeen).toBe(wakes)
        void loop.close()
        await clock.advance(400)
        await loop.ended
      },
    ),
    { numRuns: 50 },
  )
})

test('it holds on the clock of the system', async () => {
  let rounds = 0
  const loop = startLoop(async () => (++rounds === 3 ? null : 1), {
    onError: () => expect.unreachable(),
    afterErrorMs: 1,
  })
  await loop.ended
  expect(rounds).toBe(3)
})
