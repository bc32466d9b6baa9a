/** Resources that attempts used, in whole milliseconds and bytes, so that sums are exact. Pure. */
import { type BotUsage, USAGE_PHASES, type UsagePhase } from '@standin/wire/usage.ts'
import type { PricedUsage } from './prices.ts'

export interface UsageRow {
  core_ms: number
  peak_memory_bytes: number | null
  bytes_received: number
  bytes_sent: number
  bytes_stored: number
  life_ms: number
  phase_ms: Record<UsagePhase, number>
}

/** The columns of `attempt_usage` for a report of the bot. `life_ms` is the sum of the rounded phases. */
export function usageRowOf(usage: BotUsage): UsageRow {
  const phases = USAGE_PHASES.map((phase) => [phase, milliseconds(usage.phase_seconds[phase])] as const)
  return {
    core_ms: milliseconds(usage.core_seconds),
    peak_memory_bytes: usage.peak_memory_bytes,
    bytes_received: usage.bytes_received,
    bytes_sent: usage.bytes_sent,
    bytes_stored: usage.bytes_stored,
    life_ms: phases.reduce((sum, [, ms]) => sum + ms, 0),
    phase_ms: Object.fromEntries(phases) as Record<UsagePhase, number>,
  }
}

const milliseconds = (seconds: number) => Math.round(seconds * 1000)

/** Sums over attempts, exact; the memory is the highest of them. */
export interface UsageSums extends PricedUsage {
  /** Null if no attempt measured it. */
  peakMemoryBytes: number | null
  phaseMs: Record<UsagePhase, bigint>
}
