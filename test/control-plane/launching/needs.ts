/** Needs of bots, and machines, for tests. */
import type { BotNeeds, Need } from '@standin/control-plane/platform/ports.ts'

export const MIB = 1024 ** 2
export const GIB = 1024 * MIB

const VIDEO: Need = { cores: 0.7, memoryBytes: GIB }
export const NEEDS: BotNeeds = {
  speaker_view: VIDEO,
  gallery_view: VIDEO,
  audio_only: { cores: 0.3, memoryBytes: GIB },
}

/** Bots that are stand-ins. */
const SMALL: Need = { cores: 0.01, memoryBytes: 128 * MIB }
export const SMALL_NEEDS: BotNeeds = { speaker_view: SMALL, gallery_view: SMALL, audio_only: SMALL }
export const SMALL_LIMITS: Need = { cores: 1, memoryBytes: 128 * MIB }

/** A machine on which nothing else runs. */
export function machineOf(size: Need) {
  return { size, measure: () => ({ cores: 0, availableBytes: size.memoryBytes }) }
}
