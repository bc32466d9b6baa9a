/** How many bots this machine can run: by its cores and memory, and by the measured cost of running bots. Pure. */

/** The average cost of one bot. */
export interface BotCost {
  /** Cores. */
  cores: number
  memoryBytes: number
}

/** Before anything was learned; the figures of docs/performance.md for one bot with video, rounded up. */
export const ASSUMED_COST: BotCost = { cores: 0.7, memoryBytes: 700 * 1024 * 1024 }

export interface Machine {
  cores: number
  /** Free resources for this process and its children. */
  availableBytes: number
}

/** Left to the service, its database and the system. */
const KEPT_BYTES = 512 * 1024 * 1024

/**
 * The number of bots at once. `running` bots have taken their memory already, `starting` ones have yet to take it. One bot
 * is always allowed: a machine too small for the estimate may still carry it.
 */
export function botLimit(machine: Machine, cost: BotCost, running: number, starting: number): number {
  const byCores = Math.floor(machine.cores / Math.max(cost.cores, 0.05))
  const free = machine.availableBytes - KEPT_BYTES - starting * cost.memoryBytes
  const byMemory = running + starting + Math.floor(free / Math.max(cost.memoryBytes, 1))
  return Math.max(1, Math.min(byCores, byMemory))
}

export const limitReached = (limit: number, where: string) =>
  `${limit} ${limit === 1 ? 'bot runs' : 'bots run'} ${where}, its limit`

/** The expected cost: learned figures count fully from 20 samples on, and are mixed with the assumed ones before. */
export function expectedCost(learned: (BotCost & { samples: number }) | null): BotCost {
  if (learned === null) return ASSUMED_COST
  const trust = Math.min(1, learned.samples / 20)
  const mix = (seen: number, assumed: number) => trust * seen + (1 - trust) * assumed
  return {
    cores: mix(learned.cores, ASSUMED_COST.cores),
    memoryBytes: mix(learned.memoryBytes, ASSUMED_COST.memoryBytes),
  }
}
