/** Resources that bots used, and their cost, as the API answers them. */
import { USAGE_PHASES, type UsagePhase } from '@standin/wire/usage.ts'
import { z } from 'zod'
import { costOf, type Prices } from '../../../bots/prices.ts'
import type { UsageSums } from '../../../bots/usage.ts'

const bytes = (what: string) => z.int().min(0).describe(what)

const costSchema = z
  .object({
    amount: z.string().describe('A decimal number with six digits after the point, rounded half up.'),
    currency: z.string().describe('Such as EUR.'),
    prices_as_of: z.string().describe("The date of the operator's price list, such as 2026-11-01."),
  })
  .meta({ id: 'Cost', description: "By the operator's price list of today; a new list changes older amounts too." })

export const usageSchema = z
  .object({
    core_seconds: z.number().describe('Processor time; one core for one second is 1.'),
    peak_memory_bytes: bytes(
      'The highest memory of one attempt, shared pages counted once. Null: not measured.',
    ).nullable(),
    memory_gb_hours: z
      .number()
      .describe('Of each attempt its highest memory for as long as it lived; a GB is 10⁹ bytes.'),
    bytes_received: bytes('By browsers: HTTP, WebSocket and WebRTC.'),
    bytes_sent: bytes('By browsers: HTTP, WebSocket and WebRTC.'),
    bytes_stored: bytes('Of the files that were stored.'),
    phase_seconds: z
      .object(
        Object.fromEntries(
          USAGE_PHASES.map((phase) => [phase, z.number().describe(`Seconds in the phase ${phase}.`)]),
        ) as Record<UsagePhase, z.ZodNumber>,
      )
      .describe('Seconds in each phase; their sum is how long the processes ran.'),
    cost: costSchema.nullable().describe('Null if the operator has no price list.'),
  })
  .meta({ id: 'ResourceUsage', description: 'Resources that bots used, all attempts together.' })
export type ResourceUsage = z.output<typeof usageSchema>

export function shownUsage(sums: UsageSums, prices: Prices | null | undefined): ResourceUsage {
  const seconds = (ms: bigint) => bounded(ms) / 1000
  return {
    core_seconds: seconds(sums.coreMs),
    peak_memory_bytes: sums.peakMemoryBytes,
    // Milliseconds and bytes to millionths of an hour and of a GB.
    memory_gb_hours: bounded(sums.memoryByteMs / 3_600_000_000n) / 1_000_000,
    bytes_received: bounded(sums.bytesReceived),
    bytes_sent: bounded(sums.bytesSent),
    bytes_stored: bounded(sums.bytesStored),
    phase_seconds: Object.fromEntries(USAGE_PHASES.map((phase) => [phase, seconds(sums.phaseMs[phase])])) as Record<
      UsagePhase,
      number
    >,
    cost: prices ? { amount: costOf(prices, sums), currency: prices.currency, prices_as_of: prices.as_of } : null,
  }
}

/** No more than JSON numbers hold exactly. Only reports that are wrong could add up to more. */
function bounded(value: bigint): number {
  const most = BigInt(Number.MAX_SAFE_INTEGER)
  return Number(value < most ? value : most)
}
