/**
 * Decides who is in the meeting's one mixed sound. The server names the sources in every packet, with or without their
 * levels. Where there are no levels, every named source counts as audible while the mix is audible.
 */
import { createSourceSampler, readSources } from '../../shared/page/audio/contributing-sources.ts'
import { LEVEL_OFF, type LevelSample } from '../../shared/page/audio/speech-detector.ts'

interface MixRound {
  samples: LevelSample[]
  /** Level of the whole mix, 0 to 1; null if the browser does not report it. */
  mixLevel: number | null
}

export function createMixReader(ownersOfSource: (source: number) => string[]) {
  const sample = createSourceSampler()
  return {
    /** One round, to be called every 100 to 500 ms; null without a receiver to read. */
    read(receivers: readonly RTCRtpReceiver[]): MixRound | null {
      if (receivers.length === 0) return null
      const mixLevel = mixLevelOf(receivers)
      const hasLevels = receivers.some((receiver) =>
        readSources(receiver).some(({ audioLevel }) => audioLevel !== undefined),
      )
      const samples = sample(receivers).flatMap(({ csrc, level, ageMs }) => {
        const participantIds = ownersOfSource(csrc)
        if (participantIds.length === 0) return []
        // In a silent mix all sources are silent, even those that it names.
        const present = mixLevel === null ? 1 : mixLevel >= LEVEL_OFF ? Math.max(mixLevel, 2 * LEVEL_OFF) : 0
        return [{ participantIds, level: hasLevels ? level : present, ageMs }]
      })
      return { samples, mixLevel }
    },
  }
}

function mixLevelOf(receivers: readonly RTCRtpReceiver[]): number | null {
  const levels = receivers.flatMap((receiver) => {
    try {
      return receiver.getSynchronizationSources().flatMap(({ audioLevel }) => audioLevel ?? [])
    } catch {
      // A receiver of a connection that is being closed.
      return []
    }
  })
  return levels.length > 0 ? Math.max(...levels) : null
}
