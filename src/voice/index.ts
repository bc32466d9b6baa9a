/** The voices that a bot can speak with. */
import type { VoiceAccess } from '@standin/wire/voice-access.ts'
import type { Voice } from '../../packages/core/ports.ts'
import { openFlite } from './flite.ts'
import { openVoiceModel } from './model.ts'
import { openVoiceService } from './service.ts'

/** `sampleRate`: hertz of the sound that the voice gives. Nothing is started before the first text. */
export function openVoice(access: VoiceAccess, sampleRate: number): Voice {
  switch (access.kind) {
    case 'service':
      return openVoiceService({ ...access, sampleRate })
    case 'model':
      return openVoiceModel({ ...access, sampleRate })
    case 'flite':
      return openFlite({ ...access, sampleRate })
  }
}
