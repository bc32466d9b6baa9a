import { inTurn } from '@standin/base/in-turn.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test('no more than allowed run at once, first come, first served, and failures free their place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ turns: fc.nat(4), fails: fc.boolean() }), { maxLength: 20 }),
      async (most, tasks) => {
        const run = inTurn(most)
        const started: number[] = []
        let running = 0
        const results = await Promise.allSettled(
          tasks.map(({ turns, fails }, place) =>
            run(async () => {
              expect(++running).toBeLessThanOrEqual(most)
              started.push(place)
              for (let turn = 0; turn < turns; turn++) await new Promise(setImmediate)
              running -= 1
              if (fails) throw new Error('broken')
              return place
            }),
          ),
        )
        expect(started).toEqual(tasks.map((_, place) => place))
        expect(results.map(({ status }) => status === 'rejected')).toEqual(tasks.map(({ fails }) => fails))
        expect(running).toBe(0)
      },
    ),
    { numRuns: 50 },
  )
})
