/** Who speaks on Jitsi: the level of each person's own track, and the marks of the tiles. */
import { type Speech, watchSpeech } from '../../shared/page/audio/speech.ts'
import type { SpeechChange } from '../../shared/page/audio/speech-detector.ts'
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { createLevelReader, ownerOfReceiver } from './levels.ts'
import { readStore } from './store.ts'
import { idOf } from './tiles.ts'
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

/**
 * The dominant speaker stays dominant in silence, so only the change is a sign; the dots are a sign only while they are
 * shown.
 */
function watchMarks(selectors: PageConfig['selectors'], mark: (participantId: string) => void): void {
  const dot = selectors.levelDot ?? ':not(*)'
  const tile = selectors.remoteTile ?? ':not(*)'
  const dominant = selectors.dominantTile ?? ':not(*)'
  const wasDominant = new WeakSet<Element>()

  const observer = new MutationObserver((mutations) => {
    // Three dots change together: that is one sign.
    const marked = new Set<string>()
    for (const { target, attributeName } of mutations) {
      if (!(target instanceof HTMLElement)) continue
      if (attributeName === 'class') {
        if (!target.matches(dominant)) wasDominant.delete(target)
        else if (!wasDominant.has(target)) {
          wasDominant.add(target)
          add(marked, target)
        }
      } else if (target.matches(dot) && Number(target.style.opacity || '0') > 0) add(marked, target.closest(tile))
    }
    for (const id of marked) mark(id)
  })
  observer.observe(document, { subtree: true, attributes: true, attributeFilter: ['class', 'style'] })
}

function add(marked: Set<string>, tile: Element | null): void {
  const id = tile && idOf(tile)
  if (id) marked.add(id)
}
