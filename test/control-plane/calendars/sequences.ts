/** Runs the sequences of `property.ts` and of `moving-series.ts`, the latter with one calendar for each. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runSeries } from './moving-series.ts'
import { type Counts, runSequence } from './property.ts'
import { openWorld } from './providers/world.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

interface Seeds {
  rules(): readonly number[]
  series(platform: 'google' | 'microsoft'): readonly number[]
}

export function runSequences(seeds: Seeds, timeout: number): void {
  let world: CalendarWorld
  let movingWorld: CalendarWorld
  let standIns: Awaited<ReturnType<typeof openWorld>>
  beforeAll(async () => {
    ;[world, movingWorld, standIns] = await Promise.all([openCalendarWorld(), openCalendarWorld(true), openWorld()])
  })
  afterAll(() => Promise.all([world.close(), movingWorld.close(), standIns.close()]))

  describe.each(['google', 'microsoft'] as const)('%s', (platform) => {
    test('bots follow by the rules, after any sequence of steps', { timeout }, async () => {
      const counts: Counts = { sequences: 0, steps: {}, settlings: 0, bots: 0 }
      const setting = await world.setting({ platform })
      await each(seeds.rules(), (seed) => runSequence(setting, seed, counts))
      expect(counts.bots).toBeGreaterThan(0)
    })

    test('each occurrence keeps its bot in all changes of its series', { timeout }, async () => {
      let syncs = 0
      const all = seeds.series(platform)
      await each(all, async (seed) => {
        syncs += await runSeries(await movingWorld.setting({ platform }), standIns, platform, seed)
      })
      expect(syncs).toBeGreaterThan(all.length)
    })
  })
}

/** Stops at the fifth sequence that fails. */
async function each(seeds: readonly number[], run: (seed: number) => Promise<void>): Promise<void> {
  const failed: string[] = []
  for (const seed of seeds) {
    await run(seed).catch((error) => failed.push(String(error)))
    if (failed.length === 5) break
  }
  expect(failed).toEqual([])
}
