/** Runs sequences of both platforms, with one calendar for each. */
import { expect, test } from 'vitest'
import { openWorld } from '../world.ts'
import { runSequence } from './sequence.ts'
import { PLATFORMS } from './stand-ins.ts'

export async function runSequences(seeds: () => readonly number[], timeout: number): Promise<void> {
  const world = await openWorld({ calendars: true, clock: true })
  test.each(PLATFORMS)(
    '%s: events have the bots that are expected after any sequence of steps',
    { timeout },
    async (platform) => {
      const failed: string[] = []
      let syncs = 0
      const all = seeds()
      for (const seed of all) {
        await runSequence(world, platform, seed).then(
          (compared) => (syncs += compared),
          (error) => failed.push(String(error)),
        )
        if (failed.length === 5) break
      }
      expect(failed).toEqual([])
      expect(syncs).toBeGreaterThan(all.length)
    },
  )
}
