/** A thousand random sequences with the oddities of one provider. Prints the seeds and what was done. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counts, runSequence } from './property.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

const SEQUENCES = Number(process.env.STANDIN_SEQUENCES ?? 1000)
/** To repeat a run. */
const FIRST_SEED = process.env.STANDIN_SEED

export function followsTheRules(platform: 'google' | 'microsoft'): void {
  let world: CalendarWorld
  beforeAll(async () => {
    world = await openCalendarWorld()
  })
  afterAll(() => world.close())

  test(`bots follow ${platform} as the rules say in a thousand sequences`, { timeout: 3_600_000 }, async () => {
    const first = FIRST_SEED === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(FIRST_SEED)
    const startedAt = performance.now()
    const counts: Counts = { sequences: 0, steps: {}, settlings: 0, bots: 0 }
    const failed: string[] = []
    const setting = await world.setting({ platform })
    for (let seed = first; seed < first + SEQUENCES && failed.length < 5; seed++)
      await runSequence(setting, seed, counts).catch((error) => failed.push(String(error)))
    const seconds = Math.round((performance.now() - startedAt) / 1000)
    console.log(JSON.stringify({ platform, first, seconds, ...counts }, null, 1))
    expect(failed).toEqual([])
    expect(counts.sequences).toBe(SEQUENCES)
  })
}
