/** Which kinds of bots are started next, if not all of them fit. */
import { chooseKinds, isReserved, type QueueHead } from '@standin/control-plane/launching/due/queue.ts'
import type { BotKind } from '@standin/control-plane/launching/launchers/shared/needs.ts'
import type { Packing } from '@standin/control-plane/ports.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GIB } from '../known-needs.ts'

const NEEDS: Record<string, number> = { audio_only: 0.3, speaker_view: 1, gallery_view: 20 }
const needOf = ({ mode }: BotKind) => ({ cores: NEEDS[mode]!, memoryBytes: GIB })
const head = (mode: string, waitedSeconds: number): QueueHead => ({ mode, platform: 'meet', waitedSeconds })
const packing = (cores: number): Packing => ({
  running: 3,
  left: { cores, memoryBytes: 8 * GIB },
  most: { cores: 8, memoryBytes: 16 * GIB },
})
const modes = (kinds: BotKind[]) => kinds.map(({ mode }) => mode)

test('a bot that fits overtakes one that does not, for a minute', () => {
  const choice = chooseKinds(packing(0.5), [head('speaker_view', 59), head('audio_only', 1)], needOf)
  expect(modes(choice.kinds)).toEqual(['audio_only'])
  expect(choice.waits).toEqual([
    {
      mode: 'speaker_view',
      platform: 'meet',
      reason: 'The bot would take 1.00 cores and 1024 MiB; 0.50 cores and 8192 MiB are left beside the 3 bots that run',
    },
  ])
})

test('after a minute the room is kept for it, only from bots that wait shorter, and it takes the room when there is enough', () => {
  const heads = [head('audio_only', 1), head('speaker_view', 61)]
  const kept = chooseKinds(packing(0.9), heads, needOf)
  expect(kept.kinds).toEqual([])
  expect(kept.waits.find(({ mode }) => mode === 'audio_only')!.reason).toBe(
    'The next room is kept for a larger bot that has waited longer',
  )
  expect(modes(chooseKinds(packing(0.9), [head('audio_only', 62), head('speaker_view', 61)], needOf).kinds)).toEqual([
    'audio_only',
  ])
  expect(modes(chooseKinds(packing(1), heads, needOf).kinds)).toEqual(['speaker_view', 'audio_only'])
})

test('a bot that is too big for the machine keeps no room, and is started so that it is refused', () => {
  const choice = chooseKinds(packing(0.5), [head('gallery_view', 500), head('audio_only', 1)], needOf)
  expect(modes(choice.tooBig)).toEqual(['gallery_view'])
  expect(modes(choice.kinds)).toEqual(['audio_only'])
  expect(choice.waits).toEqual([])
})

test('the room is kept for ten minutes, then twice as long each time, with a minute for the others in between', () => {
  const changes: number[] = []
  for (let at = 1, last = isReserved(0); at < 5_000; at++)
    if (isReserved(at) !== last) {
      last = !last
      changes.push(at)
    }
  expect(changes).toEqual([60, 660, 720, 1920, 1980, 4380, 4440])
})

test('a bot that waits long enough has a reservation of any length, and no other bot waits behind it for longer than that', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 86_400 }), (wanted) => {
      // Looked at each half minute: the pauses are a minute long.
      let [run, longest, at] = [0, 0, 0]
      while (longest < wanted && at < 1e7) {
        run = isReserved(at) ? run + 30 : 0
        longest = Math.max(longest, run)
        expect(longest).toBeLessThanOrEqual(Math.max(660, at))
        at += 30
      }
      expect(longest).toBeGreaterThanOrEqual(wanted)
    }),
  )
})
