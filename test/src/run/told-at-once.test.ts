/** A failure is told when it is known, whatever storage, page and network do afterwards. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { BotError } from '../../../packages/core/errors.ts'
import type { Streaming } from '../../../packages/core/ports.ts'
import { StorageError } from '../../../src/storage/error.ts'
import { untilStopped, World } from '../../fakes/world.ts'
import { recording } from './recording-bot.ts'

const never = () => new Promise<never>(() => {})
const full = new StorageError('full', 'no room')
const noReceiver = new BotError('STREAMING_SETUP_FAILED', 'closed with 1008')
const streaming = { connect: () => Promise.reject(noReceiver), close: async () => {}, usage: () => null }

/** Seconds until `failed` is told, and until the report. */
async function secondsOf(world: World): Promise<{ told: number; reported: number }> {
  const at = (type: 'status_change' | 'final_report') =>
    world.events.some((event) => event.type === type && event.status === 'failed')
  const seconds = { told: Number.NaN, reported: Number.NaN }
  for (let second = 0; second <= 120 && Number.isNaN(seconds.reported); second++) {
    await world.clock.advance(1000)
    await filesWritten()
    if (at('status_change') && Number.isNaN(seconds.told)) seconds.told = second
    if (at('final_report')) seconds.reported = second
  }
  return seconds
}

/** Small files are written in real time, which the clock of the test must not leave behind. */
async function filesWritten(): Promise<void> {
  for (let quiet = 0; quiet < 10; quiet++) {
    await sleep(1)
    if (process.getActiveResourcesInfo().some((resource) => /Req/.test(resource))) quiet = 0
  }
}

const CAUSES: Record<string, [Partial<World>, toldWithin: number]> = {
  'a storage that is full': [{ prepareStorage: () => Promise.reject(full) }, 0],
  'a storage that never answers': [{ prepareStorage: never }, 26],
  'a meeting that is closed': [{ join: () => Promise.reject(new BotError('LOGIN_REQUIRED', 'sign in')) }, 0],
  'a receiver that refuses, while the browser starts': [
    { streaming: streaming as unknown as Streaming, openMeeting: () => sleep(20) },
    0,
  ],
}
const AFTERWARDS: Record<string, Partial<World>> = {
  'all is well': {},
  'the storage hangs': { store: never },
  'the storage refuses': { store: () => Promise.reject(full) },
  'storage and page hang': { store: never, leave: never },
}

test.each(
  Object.entries(CAUSES).flatMap(([cause, [causing, within]]) =>
    Object.entries(AFTERWARDS).map(([after, then]) => ({ cause, after, setUp: { ...causing, ...then }, within })),
  ),
)('$cause is told at once, and reported soon, if $after', async ({ setUp, within }) => {
  const { told, reported } = await secondsOf(new World(setUp))
  expect(told).toBeLessThanOrEqual(within)
  expect(reported - told).toBeLessThanOrEqual(45)
})

test('a recording that breaks is told before its files are stored', async () => {
  const world = await recording({ finish: () => world.clock.sleep(60_000).then(() => ({ files: [], problem: null })) })
  world.emit({ type: 'failed', error: new BotError('INTERNAL_ERROR', 'why') })
  const { told, reported } = await secondsOf(world)
  expect(told).toBeLessThanOrEqual(1)
  expect(reported).toBeGreaterThan(50)
})

test.each([
  ['is full', full, 30],
  ['took one file damaged', new StorageError('corrupted', 'not what was sent'), 120],
])('a storage that %s after a good meeting: what is left has a patience of its own', async (_what, problem, within) => {
  const world = await recording({ finish: async () => ({ files: [], problem }), store: never })
  world.stop('command')
  const { told, reported } = await secondsOf(world)
  expect(told).toBeLessThanOrEqual(1)
  if (within < 120) expect(reported).toBeLessThanOrEqual(within)
  else expect(reported).toBeNaN()
})

test('a bot that is stopped while it waits is told to have ended, though its page holds on', async () => {
  const world = new World({ join: untilStopped, leave: never })
  await world.clock.advance(100)
  world.stop('terminate')
  expect((await secondsOf(world)).told).toBeLessThanOrEqual(1)
})
