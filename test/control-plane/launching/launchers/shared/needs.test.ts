import {
  afterOutOfMemory,
  assumedNeed,
  type BotBounds,
  learnNeeds,
  limitsOf,
  type NeedSample,
} from '@standin/control-plane/launching/launchers/shared/needs.ts'
import { RECORDING_MODES } from '@standin/wire/codes.ts'
import { MEETING_PLATFORMS } from '@standin/wire/meeting-links/types.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BOUNDS, GIB, MIB, samplesOf } from '../../known-needs.ts'

/** So that nothing is cut off. */
const WIDE: BotBounds = { memoryBytes: { least: MIB, most: 1e15 }, cores: { least: 0.1, most: 1e6 }, headroom: 2 }
const MEET = { mode: 'speaker_view', platform: 'meet' }
const needFrom = (samples: NeedSample[], kind = MEET, bounds = WIDE) => learnNeeds(samples, bounds).of(kind)

test('without any bot the assumed figures count, for unknown modes and platforms too', () => {
  const learned = learnNeeds([], WIDE)
  expect(learned.of(MEET)).toEqual({ ...MEET, ...assumedNeed('speaker_view'), samples: 0 })
  expect(learned.of({ mode: 'audio_only', platform: 'meet' }).cores).toBe(0.3)
  expect(learned.of({ mode: 'new', platform: 'new' })).toMatchObject(assumedNeed('speaker_view'))
  expect(learned.all()).toHaveLength(RECORDING_MODES.length * MEETING_PLATFORMS.length)
})

test('a platform without bots has the figure of the mode, and a mode without bots that of all', () => {
  const samples = samplesOf({ cores: 0.2 })
  expect(needFrom(samples, { mode: 'speaker_view', platform: 'zoom' })).toMatchObject({ cores: 0.2, samples: 0 })
  expect(needFrom(samples, { mode: 'gallery_view', platform: 'meet' }).cores).toBe(0.7)
  expect(needFrom(samples, { mode: 'new', platform: 'meet' }).cores).toBe(0.2)
})

test('what is assumed fades with evidence, and more is believed sooner than less', () => {
  const cores = (value: number, count: number) => needFrom(samplesOf({ cores: value }, count)).cores
  expect([1, 10, 18].map((count) => cores(0.2, count))).toEqual([0.7, 0.7, 0.7])
  expect([19, 20, 100].map((count) => cores(0.2, count))).toEqual([0.2, 0.2, 0.2])
  expect([1, 2, 20].map((count) => cores(1.5, count))).toEqual([0.7, 1.5, 1.5])
})

test('the 95th percentile counts, for processor and memory apart', () => {
  const samples = Array.from(
    { length: 100 },
    (_, n) => samplesOf({ cores: n / 100, memoryBytes: (100 - n) * MIB }, 1)[0]!,
  )
  expect(needFrom(samples)).toMatchObject({ cores: 0.94, memoryBytes: 128 * MIB })
  const large = samples.map((sample) => ({ ...sample, memoryBytes: sample.memoryBytes * 10 }))
  expect(needFrom(large).memoryBytes).toBe(950 * MIB)
})

test('a single bot that reports nonsense changes nothing, with few bots as with many', () => {
  const lie = { ...samplesOf({}, 1)[0]!, cores: 1e9, memoryBytes: 1e18 }
  for (const count of [0, 1, 5, 18, 19, 25, 200]) {
    const honest = samplesOf({ cores: 0.7 }, count)
    expect(needFrom([...honest, lie])).toMatchObject({ cores: 0.7, memoryBytes: GIB })
  }
})

test('with three teams or more, none of them alone decides', () => {
  const honest = [...samplesOf({ team: 'a', cores: 0.4 }, 30), ...samplesOf({ team: 'b', cores: 0.5 }, 30)]
  const liar = samplesOf({ team: 'c', cores: 60, memoryBytes: 60 * GIB }, 50)
  expect(needFrom([...honest, ...liar])).toMatchObject({ cores: 0.5, memoryBytes: GIB })
  const second = samplesOf({ team: 'd', cores: 60 }, 50)
  expect(needFrom([...honest, ...liar, ...second]).cores).toBe(60)
})

test('an end for lack of memory raises the figure of its kind by one bot, so that the limit is half as much again', () => {
  const killed = samplesOf({ memoryBytes: 900 * MIB, outOfMemoryAt: 1200 * MIB }, 1)
  const need = needFrom([...samplesOf({ memoryBytes: 600 * MIB }, 40), ...killed])
  expect(need.memoryBytes).toBe(900 * MIB)
  expect(limitsOf(need, BOUNDS).memoryBytes).toBe(1800 * MIB)
  // Of one team among several it proves nothing for the others.
  const teams = ['a', 'b', 'c'].flatMap((team) => samplesOf({ team, memoryBytes: 600 * MIB }, 20))
  expect(needFrom([...teams, ...killed]).memoryBytes).toBe(600 * MIB)
})

test('the attempt after an end for lack of memory gets more, up to the most that the operator allows', () => {
  const need = { cores: 0.5, memoryBytes: 600 * MIB }
  const limits = [need]
  for (let n = 0; n < 4; n++) limits.push(afterOutOfMemory(need, limitsOf(limits.at(-1)!, BOUNDS).memoryBytes, BOUNDS))
  expect(limits.map((each) => limitsOf(each, BOUNDS).memoryBytes / MIB)).toEqual([1200, 1800, 2048, 2048, 2048])
  expect(afterOutOfMemory(need, 1, BOUNDS)).toEqual(need)
})

test('limits are so many times what a bot takes, within the bounds of the operator', () => {
  const bounds = { memoryBytes: { least: GIB, most: 4 * GIB }, cores: { least: 0.5, most: 3 }, headroom: 1.5 }
  const limits = (cores: number, memory: number) => limitsOf({ cores, memoryBytes: memory * GIB }, bounds)
  expect(limits(1, 2)).toEqual({ cores: 1.5, memoryBytes: 3 * GIB })
  expect(limits(0.1, 0.25)).toEqual({ cores: 0.5, memoryBytes: GIB })
  expect(limits(9, 9)).toEqual({ cores: 3, memoryBytes: 4 * GIB })
})

const anyNumber = fc.oneof(
  fc.double(),
  fc.constantFrom(Number.NaN, -1, -0, Number.POSITIVE_INFINITY, 1e300),
  fc.integer(),
)
const anySample = fc.record({
  team: fc.constantFrom('a', 'b', 'c', 'd'),
  mode: fc.constantFrom(...RECORDING_MODES, 'new'),
  platform: fc.constantFrom(...MEETING_PLATFORMS, '__proto__'),
  cores: anyNumber,
  memoryBytes: anyNumber,
  outOfMemoryAt: fc.option(anyNumber),
})

test('for any reports, figures are positive, finite and within the bounds', () => {
  fc.assert(
    fc.property(fc.array(anySample, { maxLength: 80 }), (samples) => {
      const learned = learnNeeds(samples, BOUNDS)
      for (const need of [...learned.all(), learned.of({ mode: 'new', platform: '__proto__' })]) {
        expect(need.cores).toBeGreaterThanOrEqual(0.05)
        expect(need.cores).toBeLessThanOrEqual(BOUNDS.cores.most)
        expect(need.memoryBytes).toBeGreaterThanOrEqual(128 * MIB)
        expect(need.memoryBytes).toBeLessThanOrEqual(BOUNDS.memoryBytes.most)
        const limits = limitsOf(need, BOUNDS)
        expect(limits.memoryBytes).toBeGreaterThanOrEqual(need.memoryBytes)
        expect(limits.cores).toBeGreaterThanOrEqual(need.cores)
      }
    }),
  )
})

const cores = fc.double({ min: 0.05, max: 8, noNaN: true })
const ofTeams = fc.array(fc.record({ team: fc.constantFrom('a', 'b', 'c', 'd'), cores }), { maxLength: 120 })
const full = (some: { team: string; cores: number }[]) => some.flatMap((values) => samplesOf(values, 1))

test('bots that take more never lower a figure', () => {
  fc.assert(
    fc.property(ofTeams, fc.double({ min: 0, max: 4, noNaN: true }), (some, more) => {
      const raised = some.map(({ team, cores: value }) => ({ team, cores: value + more }))
      expect(needFrom(full(raised)).cores).toBeGreaterThanOrEqual(needFrom(full(some)).cores)
    }),
  )
})

test('no figure is above what bots or the assumption say, and one team never raises it above that of the others', () => {
  fc.assert(
    fc.property(ofTeams, ofTeams, (some, lies) => {
      const others = full([...some, { team: 'a', cores: 0.1 }, { team: 'b', cores: 0.1 }])
      const before = needFrom(others.filter(({ team }) => team !== 'd'))
      const after = needFrom([...others, ...full(lies.map((lie) => ({ ...lie, team: 'd' })))])
      const highest = Math.max(0.7, ...others.filter(({ team }) => team !== 'd').map((sample) => sample.cores))
      expect(after.cores).toBeLessThanOrEqual(highest)
      if (before.samples > 0) expect(before.cores).toBeLessThanOrEqual(highest)
    }),
  )
})

test('with enough bots the figure is what one of twenty exceeds', () => {
  fc.assert(
    fc.property(fc.array(cores, { minLength: 200, maxLength: 400 }), (values) => {
      const need = needFrom(full(values.map((value) => ({ team: 'a', cores: value })))).cores
      const share = values.filter((value) => value > need).length / values.length
      expect(share).toBeLessThanOrEqual(0.05)
      expect(values.filter((value) => value >= need).length / values.length).toBeGreaterThanOrEqual(0.05 - 1 / 200)
    }),
  )
})
