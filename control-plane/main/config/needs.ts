/** Cores and memory that a bot of each recording mode is expected to take: STANDIN_BOT_NEEDS. Of what is 0 any number fits. */
import { RECORDING_MODES, type RecordingMode } from '@standin/wire/codes.ts'
import type { BotNeeds, Need } from '../../platform/ports.ts'
import { list } from './kind.ts'

const MIB = 1024 ** 2
const NEED = /^(?<mode>\w+)=(?<cores>\d{1,3}(?:\.\d{1,3})?):(?<memory>0|\d{3,7})$/

/** Of the measurements in docs/performance.md with a margin, since pages of platforms are heavier than those of mocks. */
const VIDEO: Need = { cores: 0.7, memoryBytes: 1024 * MIB }
const DEFAULTS: BotNeeds = {
  speaker_view: VIDEO,
  gallery_view: VIDEO,
  audio_only: { cores: 0.3, memoryBytes: 1024 * MIB },
}

export const botNeeds = list(
  'need',
  `Write mode=cores:MiB, such as audio_only=0.3:1024, separated by commas; the modes are ${RECORDING_MODES.join(', ')}`,
  (word): [RecordingMode, Need] | null => {
    const { mode: written, cores, memory } = NEED.exec(word)?.groups ?? {}
    const mode = RECORDING_MODES.find((one) => one === written)
    const need = { cores: Number(cores), memoryBytes: Number(memory) * MIB }
    return mode ? [mode, need] : null
  },
  RECORDING_MODES.length,
)

/** No bot is expected to take more than a container of it may take. */
export function needsWithin(
  most: { cores: number; memory: number },
  given: readonly (readonly [RecordingMode, Need])[],
): BotNeeds {
  const within = ({ cores, memoryBytes }: Need): Need => ({
    cores: Math.min(cores, most.cores),
    memoryBytes: Math.min(memoryBytes, most.memory * MIB),
  })
  const needs = { ...DEFAULTS, ...Object.fromEntries(given) }
  return {
    speaker_view: within(needs.speaker_view),
    gallery_view: within(needs.gallery_view),
    audio_only: within(needs.audio_only),
  }
}
