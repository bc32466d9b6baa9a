/** A few random sequences with each run of the tests; `thousand-sequences.ts` makes many. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counts, runSequence } from './property.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

const SEQUENCES = 8

test.each(['google', 'microsoft'] as const)(
  'bots follow %s by the rules, after any sequence of steps',
  async (platform) => {
    const first = Math.floor(Math.random() * 2 ** 31)
    console.log(`Seeds ${first} to ${first + SEQUENCES - 1}`)
    const counts: Counts = { sequences: 0, steps: {}, settlings: 0, bots: 0 }
    for (let seed = first; seed < first + SEQUENCES; seed++)
      await runSequence(await world.setting({ platform }), seed, counts)
    expect(counts.sequences).toBe(SEQUENCES)
    expect(counts.bots).toBeGreaterThan(0)
  },
)
