/** Resources of attempts: stored once for each process, and summed for bots and teams. */
import { randomUUID } from 'node:crypto'
import {
  type BotUsage,
  botUsageSchema,
  MAX_CORE_SECONDS,
  MAX_MEMORY_BYTES,
  MAX_PHASE_SECONDS,
  MAX_TRAFFIC_BYTES,
  USAGE_PHASES,
} from '@standin/wire/usage.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shownUsage } from '../../../control-plane/api/v2/bots/usage.ts'
import { pricesSchema } from '../../../control-plane/bots/prices.ts'
import { type UsageSums, usageRowOf } from '../../../control-plane/bots/usage.ts'
import { type ReportedUsage, upsertUsage, usageOfBot, usageOfTeam } from '../../../control-plane/store/bots/usage.ts'
import { usageOf } from '../../fakes/usage.ts'
import { openWorld } from '../world.ts'

const world = await openWorld({ links: true })

const reported = (botId: string, usage: BotUsage, attempt = 1, journalId: string = randomUUID()): ReportedUsage => ({
  botId,
  attempt,
  journalId,
  usage,
})
const store = (isFinal: boolean, ...reports: ReportedUsage[]) => upsertUsage(world.database, reports, { isFinal })

test('a final report counts in place of heartbeats, and no later heartbeat in place of it', async () => {
  const { id } = await world.bot()
  const journal = randomUUID()
  const beat = (core_seconds: number, recording: number) =>
    store(false, reported(id, usageOf({ core_seconds }, { recording }), 1, journal))
  const coreMs = async () => (await usageOfBot(world.database, id))?.coreMs
  expect(await coreMs()).toBeUndefined()
  await beat(5, 10)
  await beat(9, 20)
  // One that was delayed.
  await beat(6, 15)
  expect(await coreMs()).toBe(9000n)
  await store(true, reported(id, usageOf({ core_seconds: 8.5 }, { recording: 19 }), 1, journal))
  await beat(99, 500)
  expect(await coreMs()).toBe(8500n)
})

test('all attempts and all processes of an attempt add up, and the memory is the highest', async () => {
  const { id } = await world.bot()
  await store(
    true,
    reported(id, usageOf({ core_seconds: 1, peak_memory_bytes: 700 }, { joining: 2 }), 1),
    reported(id, usageOf({ core_seconds: 2, peak_memory_bytes: null }, { joining: 3 }), 1),
    reported(id, usageOf({ core_seconds: 4, peak_memory_bytes: 300, bytes_sent: 5 }, { recording: 10 }), 2),
  )
  expect(await usageOfBot(world.database, id)).toMatchObject({
    ...{ coreMs: 7000n, peakMemoryBytes: 700, bytesSent: 5n },
    memoryByteMs: 700n * 2000n + 300n * 10_000n,
    phaseMs: { joining: 5000n, recording: 10_000n, paused: 0n },
  })
})

test('reports about a bot that does not exist are left out', async () => {
  const { id } = await world.bot()
  await store(false, reported(randomUUID(), usageOf()), reported(id, usageOf({ core_seconds: 3 })))
  expect((await usageOfBot(world.database, id))?.coreMs).toBe(3000n)
})

const drawn: fc.Arbitrary<BotUsage> = fc.record({
  core_seconds: fc.oneof(fc.double({ min: 0, max: MAX_CORE_SECONDS, noNaN: true }), fc.constant(MAX_CORE_SECONDS)),
  peak_memory_bytes: fc.oneof(
    fc.maxSafeNat().map((bytes) => bytes % MAX_MEMORY_BYTES),
    fc.constant(MAX_MEMORY_BYTES),
    fc.constant(null),
  ),
  bytes_received: fc.oneof(fc.nat(), fc.constant(MAX_TRAFFIC_BYTES)),
  bytes_sent: fc.oneof(fc.nat(), fc.constant(MAX_TRAFFIC_BYTES)),
  bytes_stored: fc.nat(),
  phase_seconds: fc.record(
    Object.fromEntries(
      USAGE_PHASES.map((phase) => [phase, fc.double({ min: 0, max: MAX_PHASE_SECONDS, noNaN: true })]),
    ) as Record<(typeof USAGE_PHASES)[number], fc.Arbitrary<number>>,
  ),
})

function added(parts: readonly UsageSums[]): UsageSums {
  const sum = (of: (part: UsageSums) => bigint) => parts.reduce((all, part) => all + of(part), 0n)
  const measured = parts.flatMap(({ peakMemoryBytes }) => (peakMemoryBytes === null ? [] : [peakMemoryBytes]))
  return {
    coreMs: sum(({ coreMs }) => coreMs),
    peakMemoryBytes: measured.length === 0 ? null : Math.max(...measured),
    memoryByteMs: sum(({ memoryByteMs }) => memoryByteMs),
    bytesReceived: sum(({ bytesReceived }) => bytesReceived),
    bytesSent: sum(({ bytesSent }) => bytesSent),
    bytesStored: sum(({ bytesStored }) => bytesStored),
    phaseMs: Object.fromEntries(
      USAGE_PHASES.map((phase) => [phase, sum(({ phaseMs }) => phaseMs[phase])]),
    ) as UsageSums['phaseMs'],
  }
}

function sumsOfOne(usage: BotUsage): UsageSums {
  const row = usageRowOf(usage)
  return {
    coreMs: BigInt(row.core_ms),
    peakMemoryBytes: row.peak_memory_bytes,
    memoryByteMs: BigInt(row.peak_memory_bytes ?? 0) * BigInt(row.life_ms),
    bytesReceived: BigInt(row.bytes_received),
    bytesSent: BigInt(row.bytes_sent),
    bytesStored: BigInt(row.bytes_stored),
    phaseMs: Object.fromEntries(
      USAGE_PHASES.map((phase) => [phase, BigInt(row.phase_ms[phase])]),
    ) as UsageSums['phaseMs'],
  }
}

test('for drawn histories a bot is the sum of its attempts, and a team the sum of its bots, to the millisecond and byte', async () => {
  const ofTeam: UsageSums[] = []
  const teamId = (await world.row((await world.bot()).id)).team_id
  const earlier = (await usageOfTeam(world.database, teamId, { days: 2, per: 'month' })).values()
  const before = [...earlier]
  await fc.assert(
    fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 5 }), async (attempts) => {
      const { id } = await world.bot()
      await store(true, ...attempts.map((usage, index) => reported(id, usage, index + 1)))
      const sums = await usageOfBot(world.database, id)
      expect(sums).toEqual(added(attempts.map(sumsOfOne)))
      ofTeam.push(sums!)
    }),
    { numRuns: 25 },
  )
  const all = added([...before, ...ofTeam])
  for (const per of ['day', 'month'] as const)
    expect(added([...(await usageOfTeam(world.database, teamId, { days: 2, per })).values()])).toEqual(all)
})

test('reports at every bound break neither the sums of a team nor what is shown of them', async () => {
  const { id } = await world.bot()
  const most: BotUsage = {
    core_seconds: MAX_CORE_SECONDS,
    peak_memory_bytes: MAX_MEMORY_BYTES,
    bytes_received: MAX_TRAFFIC_BYTES,
    bytes_sent: MAX_TRAFFIC_BYTES,
    bytes_stored: MAX_TRAFFIC_BYTES,
    phase_seconds: usageOf({}, Object.fromEntries(USAGE_PHASES.map((phase) => [phase, MAX_PHASE_SECONDS])))
      .phase_seconds,
  }
  const count = 1000
  for (let attempt = 1; attempt <= count; attempt++)
    await store(true, reported(id, botUsageSchema.parse(most), attempt))
  const sums = (await usageOfBot(world.database, id))!
  expect(sums.bytesSent).toBe(BigInt(count) * BigInt(MAX_TRAFFIC_BYTES))
  const prices = pricesSchema.parse({
    currency: 'EUR',
    as_of: '2026-11-01',
    gb_sent: '999999.999999999',
    core_hour: '999999',
  })
  const shown = shownUsage(sums, prices)
  // More than a JSON number holds: shown as the largest that one does, and money is exact all the same.
  expect(shown.bytes_sent).toBe(Number.MAX_SAFE_INTEGER)
  expect(shown.cost?.amount).toMatch(/^\d{13,}\.\d{6}$/)
  expect(JSON.parse(JSON.stringify(shown))).toEqual(shown)
})

test.each([
  [{ core_seconds: -1 }],
  [{ core_seconds: Number.POSITIVE_INFINITY }],
  [{ core_seconds: MAX_CORE_SECONDS + 1 }],
  [{ peak_memory_bytes: 1.5 }],
  [{ peak_memory_bytes: MAX_MEMORY_BYTES + 1 }],
  [{ bytes_sent: -1 }],
  [{ bytes_received: MAX_TRAFFIC_BYTES + 1 }],
  [{ phase_seconds: {} }],
  [{ phase_seconds: { ...usageOf().phase_seconds, sleeping: 1 } }],
  [{ phase_seconds: { ...usageOf().phase_seconds, joining: MAX_PHASE_SECONDS * 2 } }],
  [{ price: 1 }],
])('a report with %j is refused', (given) => {
  const { error } = botUsageSchema.safeParse({ ...usageOf(), ...given })
  expect(error!.issues.length).toBeGreaterThan(0)
})
