/** Sequences of `moving-series.ts`, one calendar each. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, runSeries } from './moving-series.ts'
import { openWorld } from './providers/world.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

export function everyBotStays(seedsOf: (platform: Platform) => readonly number[], timeout: number): void {
  let world: CalendarWorld
  let standIns: Awaited<ReturnType<typeof openWorld>>
  beforeAll(async () => {
    world = await openCalendarWorld(true)
    standIns = await openWorld()
  })
  afterAll(async () => {
    await standIns.close()
    await world.close()
  })

  test.each<Platform>(['google', 'microsoft'])(
    'each occurrence keeps its bot in all changes of its series at %s',
    { timeout },
    async (platform) => {
      const seeds = seedsOf(platform)
      const failed: string[] = []
      let syncs = 0
      for (const seed of seeds) {
        const setting = await world.setting({ platform })
        syncs += await runSeries(setting, standIns, platform, seed).catch((error) => failed.push(String(error)))
        if (failed.length === 5) break
      }
      expect(failed).toEqual([])
      expect(syncs).toBeGreaterThan(seeds.length)
    },
  )
}
