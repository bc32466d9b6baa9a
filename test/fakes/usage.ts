/** Resources of a bot, with values of a test. */

import type { UsageMeter, UsageReading } from '../../packages/core/ports.ts'
import { type BotUsage, USAGE_PHASES, type UsagePhase } from '../../packages/wire/usage.ts'

export function usageOf(
  given: Partial<Omit<BotUsage, 'phase_seconds'>> = {},
  phases: Partial<Record<UsagePhase, number>> = {},
): BotUsage {
  return {
    core_seconds: 1,
    peak_memory_bytes: 600_000_000,
    bytes_received: 0,
    bytes_sent: 0,
    bytes_stored: 0,
    ...given,
    phase_seconds: {
      ...(Object.fromEntries(USAGE_PHASES.map((phase) => [phase, 0])) as Record<UsagePhase, number>),
      ...phases,
    },
  }
}

/** A meter with one reading; its phases follow the calls. */
export function fakeUsage(
  reading: Partial<UsageReading> = {},
): UsageMeter & { phases: UsagePhase[]; stored: number[] } {
  const latest = { cpuPercent: 42.5, memoryBytes: 600_000_000, usage: usageOf(), ...reading }
  const phases: UsagePhase[] = []
  const stored: number[] = []
  return {
    phases,
    stored,
    latest,
    enter: (phase) => void phases.push(phase),
    noteTraffic: () => {},
    noteStored: (bytes) => void stored.push(bytes),
    read: async () => latest,
    close: () => {},
  }
}
