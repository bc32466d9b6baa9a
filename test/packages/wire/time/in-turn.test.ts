import { inTurn } from '@standin/wire/time/in-turn.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('no more than allowed run at once, first come, first served, and failures free their place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean(), comesAfter: fc.nat(3) }), { maxLength: 20 }),
      async (most, tasks) => {
        const run = inTurn(most)
        const started: number[] = []
        let running = 0
        let atOnce = 0
        const runs: Promise<number>[] = []
        for (const [place, { turns, fails, comesAfter }] of tasks.entries()) {
          for (let turn = 0; turn < comesAfter; turn++) await new Promise(setImmediate)
          const task = run(async () => {
            atOnce = Math.max(atOnce, ++running)
            started.push(place)
            for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
            running -= 1
            if (fails) throw new Error('broken')
            return place
          })
          task.catch(() => {})
          runs.push(task)
        }
        const results = await Promise.allSettled(runs)
        expect(atOnce).toBeLessThanOrEqual(most)
        expect(started).toEqual(tasks.map((_, place) => place))
        expect(results.map(({ status }) => status === 'rejected')).toEqual(tasks.map(({ fails }) => fails))
        expect(running).toBe(0)
      },
    ),
    { numRuns: 100 },
  )
})
