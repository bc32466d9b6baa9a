/** A few sequences with each run of the tests, always the same ones (see seeds.ts); `thousand-sequences.ts` makes many. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counts, runSequence } from './property.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

let world: CalendarWorld
beforeAll(async () => {
  world = await openCalendarWorld()
})
afterAll(() => world.close())

const SEEDS = [1, 2, 3, 4]

test.each(['google', 'microsoft'] as const)(
  'bots follow %s by the rules, after any sequence of steps',
  async (platform) => {
    const counts: Counts = { sequences: 0, steps: {}, settlings: 0, bots: 0 }
    for (const seed of SEEDS) await runSequence(await world.setting({ platform }), seed, counts)
    expect(counts.sequences).toBe(SEEDS.length)
    expect(counts.bots).toBeGreaterThan(0)
  },
)
