/** Needs of bots, and machines, for tests. */
import type { Machine } from '@standin/control-plane/launching/launchers/shared/capacity.ts'
import {
  type BotNeeds,
  createBotNeeds,
  type NeedSource,
  NOTHING_KNOWN,
} from '@standin/control-plane/launching/launchers/shared/known-needs.ts'
import type { BotBounds, NeedSample } from '@standin/control-plane/launching/launchers/shared/needs.ts'

export const MIB = 1024 ** 2
export const GIB = 1024 * MIB

/** Those of the settings' defaults. */
export const BOUNDS: BotBounds = {
  memoryBytes: { least: GIB, most: 2 * GIB },
  cores: { least: 2, most: 2 },
  headroom: 2,
}

/** Bots that are stand-ins. */
export const SMALL: BotBounds = {
  memoryBytes: { least: 128 * MIB, most: 128 * MIB },
  cores: { least: 1, most: 1 },
  headroom: 2,
}

export const LARGE_MACHINE: Machine = { cores: 1_000, totalBytes: 4_000 * GIB, availableBytes: 4_000 * GIB }

export function needsOf(source: Partial<NeedSource> = {}, bounds = BOUNDS): BotNeeds {
  return createBotNeeds({ ...NOTHING_KNOWN, ...source }, bounds, { info() {}, warn() {}, error() {} })
}

/** Enough bots of a kind that all took the same. */
export function samplesOf(values: Partial<NeedSample>, count = 20): NeedSample[] {
  const sample = {
    mode: 'speaker_view',
    platform: 'meet',
    team: 'a',
    cores: 0.5,
    memoryBytes: GIB,
    outOfMemoryAt: null,
  }
  return Array.from({ length: count }, () => ({ ...sample, ...values }))
}
