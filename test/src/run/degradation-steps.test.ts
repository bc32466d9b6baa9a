import { expect, test } from 'vitest'
import { createDegradationSteps } from '../../../src/run/degradation-steps.ts'

/** A recorder at 25 frames a second that reports four times a second, as the encoder does. */
function machine() {
  const steps = createDegradationSteps()
  const load = { at: Date.parse('2026-11-21T09:00:00.000Z'), pictures: 0, repeated: 0, lagMs: 80 }
  const pass = (seconds: number, { repeats = 0, lagMs = 80 } = {}): string[] => {
    const changes: string[] = []
    for (let tick = 0; tick < seconds * 4; tick++) {
      load.at += 250
      load.pictures += 6.25
      load.repeated += 6.25 * repeats
      load.lagMs = lagMs
      const change = steps.onLoad({ ...load })
      if (change !== undefined) changes.push(`${change.framesPerSecond ?? 'all'} at ${change.size}`)
    }
    return changes
  }
  const skip = (seconds: number) => {
    load.at += seconds * 1000
  }
  return { pass, skip }
}

test('a machine that keeps up paints everything', () => {
  expect(machine().pass(3600, { repeats: 0.02 })).toEqual([])
})

test('a burst, as when a participant joins, changes nothing', () => {
  const { pass } = machine()
  expect(pass(3, { repeats: 0.5 })).toEqual([])
  expect(pass(60)).toEqual([])
})

test('pictures that go missing for seconds take it down, step by step, and no further than the last step', () => {
  expect(machine().pass(60, { repeats: 0.3 })).toEqual(['all at 0.5', '2 at 0.5', '0.5 at 0.5'])
})

test('an encoder that falls behind does so too, though it loses no picture', () => {
  expect(machine().pass(7, { lagMs: 900 })).toEqual(['all at 0.5'])
})

test('it comes back up a step at a time, after a calm minute each', () => {
  const { pass } = machine()
  pass(12, { repeats: 0.3 })
  expect(pass(50)).toEqual([])
  expect(pass(20)).toEqual(['all at 0.5'])
  expect(pass(50)).toEqual([])
  expect(pass(20)).toEqual(['all at 1'])
})

test('a step up that was too early is not tried again so soon', () => {
  const { pass } = machine()
  expect(pass(7, { repeats: 0.3 })).toEqual(['all at 0.5'])
  expect(pass(65)).toEqual(['all at 1'])
  expect(pass(7, { repeats: 0.3 })).toEqual(['all at 0.5'])
  expect(pass(100)).toEqual([])
  expect(pass(30)).toEqual(['all at 1'])
})

test('what was not recorded says nothing about the machine', () => {
  const { pass, skip } = machine()
  pass(10)
  for (let gap = 0; gap < 20; gap++) {
    skip(60)
    // The first report after each, of an encoder that has just started.
    expect(pass(0.25, { lagMs: 900 })).toEqual([])
  }
})
