/** A few random sequences with each run of the tests; `STANDIN_SEQUENCES` makes more, `STANDIN_SEED` repeats a run. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Platform, runSeries } from './moving-series.ts'
import { openWorld } from './providers/world.ts'
import { type CalendarWorld, openCalendarWorld } from './world.ts'

const SEQUENCES = Number(process.env.STANDIN_SEQUENCES ?? 6)

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
  { timeout: 60_000 + SEQUENCES * 20_000 },
  async (platform) => {
    const first = Number(process.env.STANDIN_SEED ?? Math.floor(Math.random() * 2 ** 31))
    console.log(`Seeds ${first} to ${first + SEQUENCES - 1}`)
    const failed: string[] = []
    let syncs = 0
    for (let seed = first; seed < first + SEQUENCES && failed.length < 5; seed++) {
      const setting = await world.setting({ platform })
      syncs += await runSeries(setting, standIns, platform, seed).catch((error) => failed.push(String(error)))
    }
    expect(failed).toEqual([])
    expect(syncs).toBeGreaterThan(SEQUENCES)
  },
)
