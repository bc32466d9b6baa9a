import {
  capacityOf,
  countFitting,
  refusalOf,
  roomOn,
} from '@standin/control-plane/launching/launchers/shared/capacity.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GIB, NEEDS } from '../../needs.ts'

const machine = { cores: 8, memoryBytes: 16 * GIB }
const { speaker_view: video, audio_only: sound } = NEEDS

test('nine tenths of the cores are for bots, and half a gigabyte is kept', () => {
  expect(roomOn(machine, [])).toEqual({ running: 0, left: { cores: 7.2, memoryBytes: 15.5 * GIB } })
})

test('a machine carries more bots with sound alone than with video, and says why it carries no more', () => {
  const room = roomOn({ ...machine, cores: 1 }, [])
  expect([countFitting(video, room), countFitting(sound, room)]).toEqual([1, 3])
  const left = roomOn({ ...machine, cores: 1 }, [sound])
  const reason =
    'The bot would take 0.70 cores and 1024 MiB; 0.60 cores and 14848 MiB are left beside the bot that runs'
  expect(capacityOf(left, NEEDS, null)).toEqual({
    ...{ free: 2, limit: 3 },
    modes: { speaker_view: { free: 0, reason }, gallery_view: { free: 0, reason }, audio_only: { free: 2 } },
  })
  expect(refusalOf(video, left, null, 'here')).toBe(reason)
})

test("the operator's number decides alone", () => {
  const full = roomOn({ cores: 1, memoryBytes: GIB }, [video, video])
  expect(capacityOf(full, NEEDS, 3)).toEqual({ free: 1, limit: 3 })
  expect(refusalOf(video, full, 3, 'here')).toBeNull()
  expect(refusalOf(sound, roomOn(machine, [sound]), 1, 'here')).toBe('1 bot runs here, its limit')
})

test('a mode of which the operator says that it takes nothing starts on any machine', () => {
  const none = { cores: 0, memoryBytes: 0 }
  const full = roomOn({ cores: 1, memoryBytes: GIB }, [video, video])
  expect(full.left).toEqual(none)
  expect(refusalOf(none, full, null, 'here')).toBeNull()
  expect(capacityOf(full, { ...NEEDS, audio_only: none }, null)).toMatchObject({
    free: 10_000,
    modes: { speaker_view: { free: 0 }, audio_only: { free: 10_000 } },
  })
})

const needs = fc.record({
  cores: fc.double({ min: 0.05, max: 4, noNaN: true }),
  memoryBytes: fc.integer({ min: 2 ** 27, max: 2 ** 32 }),
})
const machines = fc.record({
  cores: fc.integer({ min: 1, max: 128 }),
  memoryBytes: fc.integer({ min: 2 ** 29, max: 2 ** 40 }),
})

test('as many bots as are said to fit never take more than what is left, but for one alone', () => {
  fc.assert(
    fc.property(machines, fc.array(needs, { maxLength: 20 }), needs, (anyMachine, open, one) => {
      const room = roomOn(anyMachine, open)
      const count = countFitting(one, room)
      expect(Math.min(count, room.left.cores, room.left.memoryBytes)).toBeGreaterThanOrEqual(0)
      if (open.length === 0 && count === 1) return
      expect(count * one.cores).toBeLessThanOrEqual(room.left.cores + 1e-3)
      expect(count * one.memoryBytes).toBeLessThanOrEqual(room.left.memoryBytes + 1)
    }),
  )
})
