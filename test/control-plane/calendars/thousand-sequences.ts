/** A thousand random sequences with the oddities of one provider. Prints the seeds and what was done. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counts, runSequence } from './property.ts'
import { randomSeeds } from './seeds.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

export function followsTheRules(platform: 'google' | 'microsoft'): void {
  let world: CalendarWorld
  beforeAll(async () => {
    world = await openCalendarWorld()
  })
  afterAll(() => world.close())

  test(`bots follow ${platform} as the rules say in a thousand sequences`, { timeout: 3_600_000 }, async () => {
    const seeds = randomSeeds(1000)
    const startedAt = performance.now()
    const counts: Counts = { sequences: 0, steps: {}, settlings: 0, bots: 0 }
    const failed: string[] = []
    const setting = await world.setting({ platform })
    for (const seed of seeds) {
      await runSequence(setting, seed, counts).catch((error) => failed.push(String(error)))
      if (failed.length === 5) break
    }
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(JSON.stringify({ platform, seconds, ...counts }, null, 1))
    expect(failed).toEqual([])
    expect(counts.sequences).toBe(seeds.length)
  })
}
