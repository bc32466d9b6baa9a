/** Who speaks on Jitsi: the level of each person's own track, and the marks of the tiles. */
import { type Speech, watchSpeech } from '../../shared/page/audio/speech.ts'
import type { SpeechChange } from '../../shared/page/audio/speech-detector.ts'
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { createLevelReader, ownerOfReceiver } from './levels.ts'
import { watchMarks } from './marks.ts'
import { readStore } from './store.ts'
import type { PageConfig } from './types.ts'

export interface JitsiSpeechParts {
  selectors: PageConfig['selectors']
  tap: WebRtcTap
  /** Null while the bot's own id is not known. */
  selfId(): string | null
  emit(changes: SpeechChange[]): void
}

export function watchJitsiSpeech({ selectors, tap, selfId, emit }: JitsiSpeechParts): Speech {
  const levels = createLevelReader()
  // The page may mark the bot's own tile too.
  const emitOthers = (changes: SpeechChange[]) =>
    emit(changes.filter(({ participantId }) => participantId !== selfId()))
  const speech = watchSpeech({
    // One track for each person: there are no contributing sources.
    receivers: () => [],
    ownersOfSource: () => [],
    levels: () => {
      const store = readStore()
      const tracks = tap.tracks('audio')
      return levels(tap.audioReceivers(), (receiver) => ownerOfReceiver(receiver, store, tracks))
    },
    emit: emitOthers,
  })
  watchMarks(selectors, (id) => speech.mark(id))
  return speech
}
