import { type BatchOptions, batched } from '@standin/control-plane/platform/batcher.ts'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Writes that end when the test says so; the answer for an item is its double. */
function held(options: BatchOptions) {
  const writes: { items: number[]; end: () => void; fail: (error: Error) => void }[] = []
  const add = batched(
    (items: number[]) =>
      new Promise<number[]>((resolve, reject) => {
        writes.push({ items, end: () => resolve(items.map((item) => item * 2)), fail: reject })
      }),
    options,
  )
  return { add, writes }
}

const batches = (writes: { items: number[] }[]) => writes.map(({ items }) => items)

test('items of one turn of the event loop are written together, and each gets its answer', async () => {
  const { add, writes } = held({ maxItems: 10 })
  const answers = Promise.all([add(1), add(2), add(3)])
  expect(writes).toEqual([])
  await vi.advanceTimersByTimeAsync(0)
  expect(batches(writes)).toEqual([[1, 2, 3]])
  writes[0]!.end()
  expect(await answers).toEqual([2, 4, 6])
})

test('items are gathered for their time, from the first one on', async () => {
  const { add, writes } = held({ waitMs: 10, maxItems: 10 })
  void add(1)
  await vi.advanceTimersByTimeAsync(6)
  void add(2)
  await vi.advanceTimersByTimeAsync(3)
  expect(writes).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(batches(writes)).toEqual([[1, 2]])
})

test('a full batch does not wait', () => {
  const { add, writes } = held({ waitMs: 10, maxItems: 2 })
  for (const item of [1, 2, 3]) void add(item)
  expect(batches(writes)).toEqual([[1, 2]])
})

test('what comes during a write goes into the next one', async () => {
  const { add, writes } = held({ maxItems: 10 })
  void add(1)
  await vi.advanceTimersByTimeAsync(0)
  void add(2)
  await vi.advanceTimersByTimeAsync(50)
  void add(3)
  await vi.advanceTimersByTimeAsync(50)
  expect(batches(writes)).toEqual([[1]])
  writes[0]!.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(batches(writes)).toEqual([[1], [2, 3]])
})

test('a failed write fails its items and no others', async () => {
  const { add, writes } = held({ maxItems: 2 })
  const settled = Promise.allSettled([add(1), add(2), add(3)])
  await vi.advanceTimersByTimeAsync(0)
  writes[0]!.fail(new Error('away'))
  await vi.advanceTimersByTimeAsync(0)
  writes[1]!.end()
  expect(await settled).toEqual([
    { status: 'rejected', reason: new Error('away') },
    { status: 'rejected', reason: new Error('away') },
    { status: 'fulfilled', value: 6 },
  ])
})

test('with isolated failures the items of a failed write are written one by one', async () => {
  const writes: number[][] = []
  const add = batched(
    async (items: number[]) => {
      writes.push(items)
      if (items.includes(2)) throw new Error('bad item')
      return items.map((item) => item * 2)
    },
    { maxItems: 10, isolatesFailures: true },
  )
  const settled = Promise.allSettled([add(1), add(2), add(3)])
  await vi.advanceTimersByTimeAsync(0)
  expect((await settled).map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    2,
    'Error: bad item',
    6,
  ])
  expect(writes).toEqual([[1, 2, 3], [1], [2], [3]])
})

test('every item is written once, in order, within the bounds', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        maxItems: fc.integer({ min: 1, max: 6 }),
        maxWrites: fc.integer({ min: 1, max: 3 }),
        waitMs: fc.option(fc.nat(20), { nil: undefined }),
      }),
      fc.array(fc.record({ afterMs: fc.nat(15), items: fc.nat(8) }), { maxLength: 15 }),
      fc.array(fc.nat(30), { minLength: 1, maxLength: 5 }),
      async ({ waitMs, ...bounds }, arrivals, lengths) => {
        const written: number[] = []
        let running = 0
        let writes = 0
        const add = batched(
          async (items: number[]) => {
            expect(items.length).toBeLessThanOrEqual(bounds.maxItems)
            expect(++running).toBeLessThanOrEqual(bounds.maxWrites)
            written.push(...items)
            await new Promise((resolve) => setTimeout(resolve, lengths[writes++ % lengths.length]))
            running -= 1
            return items.map((item) => item * 2)
          },
          { ...bounds, ...(waitMs !== undefined && { waitMs }) },
        )
        const answers: Promise<number>[] = []
        for (const { afterMs, items } of arrivals) {
          await vi.advanceTimersByTimeAsync(afterMs)
          for (let count = 0; count < items; count++) answers.push(add(answers.length))
        }
        await vi.advanceTimersByTimeAsync(15 * 8 * 31 + 20)
        expect(written).toEqual(answers.map((_, place) => place))
        expect(await Promise.all(answers)).toEqual(written.map((item) => item * 2))
      },
    ),
    { numRuns: 60 },
  )
})
