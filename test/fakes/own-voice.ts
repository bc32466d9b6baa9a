/** What a bot speaks with, without a sound server. */
import { silentLogger } from '../../packages/core/logger.ts'
import type { Clock, Mouth, Voice } from '../../packages/core/ports.ts'
import { createMouth } from '../../src/streaming/index.ts'

export function ownVoice(
  clock: Clock,
  speak: Voice['speak'] = async () => Buffer.alloc(0),
): { mouth: Mouth; voice: Voice } {
  const mouth = createMouth({
    ...{ sampleRate: 24_000, folder: '.', clock, logger: silentLogger },
    speak: () => Promise.reject(new Error('there is no sound server')),
  })
  return { mouth, voice: { speak, close: () => {} } }
}
