import {
  countFitting,
  fits,
  type Machine,
  neverFits,
  type OpenBot,
  packingOn,
} from '@standin/control-plane/launching/launchers/shared/capacity.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GIB } from '../../known-needs.ts'

const machine: Machine = { cores: 8, totalBytes: 16 * GIB, availableBytes: 15 * GIB }
const need = { cores: 0.5, memoryBytes: GIB }
const settled = (values: Partial<OpenBot> = {}): OpenBot => ({ need, used: need, isYoung: false, ...values })

test('running bots take what was expected of them, or more if they do; half a gigabyte is kept', () => {
  expect(packingOn(machine, [], 0.9)).toEqual({
    running: 0,
    left: { cores: 7.2, memoryBytes: 14.5 * GIB },
    most: { cores: 8, memoryBytes: 15.5 * GIB },
  })
  const busy = packingOn(machine, [settled(), settled({ used: { cores: 0.8, memoryBytes: GIB } })], 1)
  expect(busy.left.cores).toBeCloseTo(8 - 0.5 - 0.8)
  // Both have their memory already.
  expect(busy.left.memoryBytes).toBe(14.5 * GIB)
})

test('a bot that is starting has yet to take its memory, and one that reports has yet to take the rest', () => {
  const bots = [settled({ used: null, isYoung: true }), settled({ used: { cores: 0, memoryBytes: GIB / 4 } })]
  expect(packingOn(machine, bots, 1).left.memoryBytes).toBe(14.5 * GIB - 1.75 * GIB)
  // Of an older version, which reports nothing: its memory is taken.
  expect(packingOn(machine, [settled({ used: null })], 1).left.memoryBytes).toBe(14.5 * GIB)
})

test('an engine that does not say what is free: by what bots are expected to take', () => {
  const bots = [settled(), settled({ used: { cores: 0, memoryBytes: 1.5 * GIB } })]
  expect(packingOn({ ...machine, availableBytes: null }, bots, 1).left.memoryBytes).toBe(15.5 * GIB - 2.5 * GIB)
})

test('a bot without others is started though other programs take the machine, and never on one that is too small', () => {
  const full = packingOn({ ...machine, availableBytes: 0 }, [], 1)
  expect([fits(need, full), countFitting(need, full)]).toEqual([true, 1])
  expect(neverFits({ cores: 8.5, memoryBytes: GIB }, full)).toBe(true)
  expect(fits({ cores: 8.5, memoryBytes: GIB }, full)).toBe(false)
  expect(fits(need, packingOn({ ...machine, availableBytes: 0 }, [settled()], 1))).toBe(false)
})

const needs = fc.record({
  cores: fc.double({ min: 0.05, max: 4, noNaN: true }),
  memoryBytes: fc.integer({ min: 2 ** 27, max: 2 ** 32 }),
})
const anyUse = fc.option(
  fc.record({ cores: fc.double({ min: 0, max: 1e6, noNaN: true }), memoryBytes: fc.integer({ min: 0 }) }),
)
const bots = fc.array(fc.record({ need: needs, used: anyUse, isYoung: fc.boolean() }), { maxLength: 20 })
const machines = fc.record({
  cores: fc.integer({ min: 1, max: 128 }),
  totalBytes: fc.integer({ min: 2 ** 30, max: 2 ** 40 }),
  availableBytes: fc.option(fc.integer({ min: 0, max: 2 ** 40 })),
})

test('as many bots as are said to fit never take more than what is left, and none of what is left is negative', () => {
  fc.assert(
    fc.property(machines, bots, needs, (anyMachine, open, one) => {
      const packing = packingOn(anyMachine, open, 0.9)
      const count = countFitting(one, packing)
      expect(packing.left.cores).toBeGreaterThanOrEqual(0)
      expect(packing.left.memoryBytes).toBeGreaterThanOrEqual(0)
      expect(count).toBeGreaterThanOrEqual(0)
      if (open.length === 0 && count === 1) return
      expect(count * one.cores).toBeLessThanOrEqual(packing.left.cores + 1e-3)
      expect(count * one.memoryBytes).toBeLessThanOrEqual(packing.left.memoryBytes + 1)
    }),
  )
})

test('one more bot never leaves more room, and a bot that takes more never fits more often', () => {
  fc.assert(
    fc.property(machines, bots, needs, needs, (anyMachine, open, one, more) => {
      const before = packingOn(anyMachine, open, 0.9)
      const after = packingOn(anyMachine, [...open, { need: one, used: null, isYoung: true }], 0.9)
      expect(after.left.cores).toBeLessThanOrEqual(before.left.cores)
      expect(after.left.memoryBytes).toBeLessThanOrEqual(before.left.memoryBytes)
      const larger = { cores: one.cores + more.cores, memoryBytes: one.memoryBytes + more.memoryBytes }
      expect(countFitting(larger, before)).toBeLessThanOrEqual(countFitting(one, before))
    }),
  )
})

test('a running bot counts with at most twice its expected need, for any report', () => {
  fc.assert(
    fc.property(machines, needs, anyUse, (anyMachine, one, used) => {
      const taken = anyMachine.cores - packingOn(anyMachine, [{ need: one, used, isYoung: false }], 1).left.cores
      expect(taken).toBeLessThanOrEqual(2 * one.cores + 1e-6)
    }),
  )
})
