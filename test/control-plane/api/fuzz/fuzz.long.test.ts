import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { openCalendarWorld } from '../calendars/stand-ins.ts'
import { createFuzz, type Outcome } from './requests.ts'

const REQUESTS = Number(process.env.FUZZ_REQUESTS ?? 25_000)
const SEED = Number(process.env.FUZZ_SEED ?? Date.now() % 1e9)
const AT_ONCE = 8
const MAX_GROWTH = 64 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

test(`${REQUESTS} random requests over all operations (seed ${SEED}): every answer fits its document, none is a 500`, {
  timeout: 60 * 60_000,
}, async () => {
  const world = await openCalendarWorld()
  try {
    const { next, operations } = await createFuzz(world, SEED)
    const outcome: Outcome = { answers: new Map(), problems: [] }
    const heaps: number[] = []
    const send = async (count: number) => {
      let left = count
      const worker = async () => {
        while (left-- > 0) await next(outcome)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, worker))
      collectGarbage()
      heaps.push(process.memoryUsage().heapUsed)
    }
    // After a fifth, everything that is compiled or cached once is in memory.
    for (let part = 0; part < 5; part++) await send(REQUESTS / 5)

    const table = [...outcome.answers].map(
      ([name, counts]) =>
        `${name}: ${[...counts]
          .sort()
          .map(([status, n]) => `${status} ${n} times`)
          .join(', ')}`,
    )
    console.log(
      `fuzz, seed ${SEED}, heap in MB ${heaps.map((bytes) => Math.round(bytes / 2 ** 20)).join(', ')}\n${table.sort().join('\n')}`,
    )
    expect(outcome.problems.slice(0, 20)).toEqual([])
    expect(outcome.answers.size).toBe(operations.length)
    expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(MAX_GROWTH)
  } finally {
    await world.close()
  }
})
