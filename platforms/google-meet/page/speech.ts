/** Who speaks: levels of the audio receivers' contributing sources, and the moving marks of the tiles. */
import { createSourceSampler } from '../../shared/page/contributing-sources.ts'
import { createSpeechDetector, type SpeechChange } from '../../shared/page/speech-detector.ts'
import type { WebRtcTap } from '../../shared/page/webrtc-tap.ts'
import type { Roster } from './roster.ts'
import type { PageConfig } from './types.ts'

const SAMPLE_EVERY_MS = 200

export interface Speech {
  speaking(): ReadonlySet<string>
  forget(participantId: string): void
}

export function watchSpeech(
  selectors: PageConfig['selectors'],
  tap: WebRtcTap,
  roster: Roster,
  tell: (changes: SpeechChange[]) => void,
): Speech {
  const detector = createSpeechDetector()
  const sample = createSourceSampler()
  const mark = selectors.speakingMark ?? ':not(*)'

  setInterval(() => {
    const at = Date.now()
    const receivers = tap.audioReceivers()
    if (receivers.length > 0) {
      const samples = sample(receivers).flatMap(({ csrc, level, ageMs }) => {
        const participantIds = roster.ownersOfSource(csrc)
        // A source that nobody is known to own is nobody's: unknown is better than wrong.
        return participantIds.length > 0 ? [{ participantIds, level, ageMs }] : []
      })
      tell(detector.observe({ kind: 'levels', samples, at }))
    } else tell(detector.tick(at))
  }, SAMPLE_EVERY_MS)

  const observer = new MutationObserver((mutations) => {
    const at = Date.now()
    // A tile has two marks that change together: that is one sign.
    const marked = new Set<string>()
    for (const { target } of mutations) {
      if (!(target instanceof Element) || !target.matches(mark)) continue
      const tile = target.closest('[data-participant-id]')
      const id = tile?.getAttribute('data-participant-id')
      const mediaId = tile?.getAttribute('data-tile-media-id')
      if (id && (mediaId === null || mediaId === id) && !roster.isSelf(id)) marked.add(id)
    }
    for (const participantId of marked) tell(detector.observe({ kind: 'page_mark', participantId, at }))
  })
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['class'] })

  return {
    speaking: () => new Set(detector.speaking()),
    forget: (participantId) => tell(detector.forget(participantId, Date.now())),
  }
}
