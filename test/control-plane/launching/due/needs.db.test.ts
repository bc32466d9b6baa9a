/** The need that each start of a bot is given. */
import { writeCapacity } from '@standin/control-plane/store/capacity.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Launcher, type Need, NeverFits } from '../../../../control-plane/ports.ts'
import { BOUNDS, GIB, needsOf, samplesOf } from '../known-needs.ts'
import { createSimulatedLauncher } from '../simulated.ts'
import { type LaunchingWorld, openLaunchingWorld } from '../world.ts'

let world: LaunchingWorld
beforeAll(async () => {
  world = await openLaunchingWorld()
})
afterAll(() => world.close())

test('a start has what was learned of its mode and platform', async () => {
  const { launching, bot, host } = await world.setting()
  const given: (Need | undefined)[] = []
  const launcher = createSimulatedLauncher(host.url)
  const start: Launcher['start'] = (spec) => {
    given.push(spec.need)
    return launcher.start(spec)
  }
  launching({ launcher: { ...launcher, start }, needs: needsOf({ samples: async () => samplesOf({ cores: 0.4 }) }) })
  await bot()
  await expect.poll(() => given).toEqual([{ cores: 0.4, memoryBytes: GIB }])
})

test('after an end for lack of memory the next attempt has half as much again as the limit', async () => {
  const { launching, bot, host } = await world.setting()
  const given: (number | undefined)[] = []
  const launcher = createSimulatedLauncher(host.url)
  const wrapped: Launcher = {
    ...launcher,
    start(spec) {
      given.push(spec.need?.memoryBytes)
      return launcher.start(spec)
    },
    async inspect(handle) {
      const state = await launcher.inspect(handle)
      return state.state === 'ended' && state.evidence.isOutOfMemory
        ? { ...state, evidence: { ...state.evidence, memoryLimitBytes: 2 * GIB } }
        : state
    },
  }
  const memoryBytes = { least: GIB, most: 8 * GIB }
  launching({ launcher: wrapped, needs: needsOf({}, { ...BOUNDS, memoryBytes }) })
  await bot({ dies: 'before_joining', isOutOfMemory: true })
  await expect.poll(() => given.slice(0, 2)).toEqual([GIB, 1.5 * GIB])
})

test('a bot that is too big for a machine waits for a larger one, if there is one', async () => {
  const { launching, bot, host, row, database } = await world.setting()
  const launcher = createSimulatedLauncher(host.url)
  let isLarge = false
  const start: Launcher['start'] = async (spec) => {
    if (!isLarge) throw new NeverFits({ cores: 3, memoryBytes: GIB }, 'It would take 3 cores; the machine has 2')
    return launcher.start(spec)
  }
  const report = { launcher: 'process', version: '1', image: null, speech: {} as never }
  await writeCapacity(database, 'other', { ...report, most: { cores: 4, memory_bytes: 8 * GIB } })
  launching({ launcher: { ...launcher, start } })
  const id = await bot()
  await expect.poll(async () => (await row(id)).wait_reason).toBe('It would take 3 cores; the machine has 2')
  expect(await row(id)).toMatchObject({ status: 'queued', launch_failures: 0 })
  isLarge = true
  await expect.poll(async () => (await row(id)).status).toBe('completed')
})
