import { createPageAudioCapture, type PageAudioCaptureParts } from '../../shared/page/audio/page-audio-capture.ts'
import { ownerOfReceiver } from './levels.ts'
import type { StoreView } from './store.ts'

/** A receiver may be given to another person; the page's state follows a moment after the audio. Pieces of 10 ms. */
const CERTAIN_AFTER = 30

/** `store` is the latest state of the page; null if it cannot be read. */
export function captureJitsiAudio(
  { tap, config }: Pick<PageAudioCaptureParts, 'tap' | 'config'>,
  store: () => StoreView | null,
) {
  return createPageAudioCapture({
    tap,
    config,
    isMeeting: (tapped) => tapped !== null,
    voices: {
      ownerOf: (receiver, tapped) => ownerOfReceiver(receiver, store(), tapped ? [tapped] : []),
      certainAfter: CERTAIN_AFTER,
    },
  })
}
