import { botUsageSchema, MAX_TRAFFIC_BYTES, USAGE_PHASES } from '@standin/wire/usage.ts'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { openBotUsage } from '../../../src/usage/bot-usage.ts'
import type { ProcessUsage } from '../../../src/usage/process-usage.ts'

function openMeter(readings: Partial<ProcessUsage>[] = []) {
  const time = { now: 0 }
  const next = { cpuPercent: 0, coreSeconds: 0, memoryBytes: null }
  const processes = { read: async () => ({ ...next, ...readings.shift() }) }
  const meter = openBotUsage({ processes, now: () => time.now, readEveryMs: 3_600_000 })
  onTestFinished(() => meter.close())
  return { meter, time }
}

test('the phases add up to the time since the start of the process', async () => {
  const { meter, time } = openMeter()
  const moves = [
    [3000, 'joining'],
    [5000, 'waiting_room'],
    [65_000, 'in_call'],
    [66_000, 'recording'],
    [96_000, 'paused'],
    [100_000, 'recording'],
    [160_500, 'finishing'],
  ] as const
  for (const [at, phase] of moves) {
    time.now = at
    meter.enter(phase)
  }
  time.now = 162_000
  const { usage } = await meter.read()
  expect(usage.phase_seconds).toEqual({
    ...{ starting: 3, joining: 2, waiting_room: 60, in_call: 1, recording: 90.5, paused: 4, finishing: 1.5 },
    transcribing: 0,
  })
})

test('for any moves of any clock, the sum of the phases is all of the time, to a millisecond each', async () => {
  const move = fc.tuple(fc.integer({ min: -50, max: 100_000 }), fc.constantFrom(...USAGE_PHASES))
  await fc.assert(
    fc.asyncProperty(fc.array(move, { maxLength: 30 }), async (moves) => {
      const { meter, time } = openMeter()
      let latest = 0
      for (const [ms, phase] of moves) {
        time.now += ms / 7
        latest = Math.max(latest, time.now)
        meter.enter(phase)
      }
      const { usage } = await meter.read()
      meter.close()
      const sum = Object.values(usage.phase_seconds).reduce((all, seconds) => all + seconds, 0)
      expect(Math.abs(sum * 1000 - latest)).toBeLessThanOrEqual(USAGE_PHASES.length)
    }),
  )
})

test('the peak of the memory stays, and core seconds never go down', async () => {
  const { meter } = openMeter([
    { coreSeconds: 4, memoryBytes: 100 },
    { coreSeconds: 9, memoryBytes: 700 },
    { coreSeconds: 8, memoryBytes: 300 },
  ])
  await meter.read()
  const last = await meter.read()
  expect(last.memoryBytes).toBe(300)
  expect(last.usage).toMatchObject({ core_seconds: 9, peak_memory_bytes: 700 })
  expect(meter.latest).toBe(last)
})

test('traffic is added up, the stored bytes are the latest sum, and memory that was not measured is unknown', async () => {
  const { meter } = openMeter()
  meter.noteTraffic(100, 7)
  meter.noteTraffic(50, 0)
  meter.noteStored(10)
  meter.noteStored(2000)
  const { usage } = await meter.read()
  expect(usage).toMatchObject({ bytes_received: 150, bytes_sent: 7, bytes_stored: 2000, peak_memory_bytes: null })
})

test('values beyond the bounds of the schema are reported as the bound, so that a final report is never refused', async () => {
  const { meter, time } = openMeter(Array(2).fill({ coreSeconds: 1e12, memoryBytes: 1e18 }))
  meter.noteTraffic(1e20, 0.4)
  time.now = 1e15
  const { usage } = await meter.read()
  expect(botUsageSchema.parse(usage)).toEqual(usage)
  expect(usage.bytes_received).toBe(MAX_TRAFFIC_BYTES)
})
