/**
 * Decides who speaks in Google Meet: from the contributing sources of its few mixed tracks, and the moving marks of the
 * tiles.
 */
import { type Speech, watchSpeech } from '../../shared/page/audio/speech.ts'
import type { SpeechChange } from '../../shared/page/audio/speech-detector.ts'
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import type { Roster } from './roster.ts'
import type { PageConfig } from './types.ts'

export function watchMeetSpeech(
  selectors: PageConfig['selectors'],
  tap: WebRtcTap,
  roster: Roster,
  emit: (changes: SpeechChange[]) => void,
): Speech {
  const speech = watchSpeech({
    receivers: () => tap.audioReceivers(),
    ownersOfSource: (csrc) => roster.ownersOfSource(csrc),
    emit,
  })
  const mark = selectors.speakingMark ?? ':not(*)'
  const observer = new MutationObserver((mutations) => {
    // A tile has two marks that change together: that is one sign.
    const marked = new Set<string>()
    for (const { target } of mutations) {
      if (!(target instanceof Element) || !target.matches(mark)) continue
      const tile = target.closest('[data-participant-id]')
      const id = tile?.getAttribute('data-participant-id')
      const mediaId = tile?.getAttribute('data-tile-media-id')
      if (id && (mediaId === null || mediaId === id) && !roster.isSelf(id)) marked.add(id)
    }
    for (const participantId of marked) speech.mark(participantId)
  })
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] })
  return speech
}
