/**
 * Decides who speaks in a meeting that sends one mix for all. The sources that the mix names are trusted most; then
 * come the server's dominant speaker, the marks of the tiles and, as the last source, captions.
 */

import { type Speech, watchSpeech } from '../../shared/page/audio/speech.ts'
import { LEVEL_ON, type SpeechChange } from '../../shared/page/audio/speech-detector.ts'
import type { WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { pageNow } from '../../shared/page/page-clock.ts'
import { createMixReader } from './mixed-sound.ts'
import type { People } from './people.ts'

/** A source that was in the mix this recently counts as in it now. Milliseconds. */
const JUST_NOW_MS = 400

export interface TeamsSpeech extends Speech {
  /** Contributing sources by their latest dominance, newest first. */
  dominates(sources: readonly number[]): void
  /** Milliseconds of sound without a known speaker, without a break. */
  unattributedMs(): number
}

export function watchTeamsSpeech(tap: WebRtcTap, people: People, emit: (changes: SpeechChange[]) => void): TeamsSpeech {
  const mix = createMixReader((source) => people.ownersOfSource(source))
  let dominant: string | null = null
  let unattributedMs = 0
  let lastRoundAt = pageNow()

  const speech = watchSpeech({
    // The sources are read by `levels`, since the server may name them without their levels.
    receivers: () => [],
    ownersOfSource: () => [],
    levels() {
      const round = mix.read(tap.audioReceivers())
      const at = pageNow()
      const sinceMs = at - lastRoundAt
      lastRoundAt = at
      if (!round) return null
      const isAudible = (round.mixLevel ?? 0) >= LEVEL_ON
      const isNamed = round.samples.some(({ level, ageMs = 0 }) => level >= LEVEL_ON && ageMs <= JUST_NOW_MS)
      // Dominance alone does not end; when there is sound and no source is named in it, the dominant participant is the
      // speaker.
      if (isAudible && !isNamed && dominant !== null) {
        const speaker = dominant
        queueMicrotask(() => speech.mark(speaker))
      }
      if (speech.speaking().size > 0) unattributedMs = 0
      else if (isAudible) unattributedMs += sinceMs
      return round.samples
    },
    emit,
  })

  return {
    ...speech,
    dominates(sources) {
      dominant =
        sources.map((source) => people.ownersOfSource(source)).find((owners) => owners.length === 1)?.[0] ?? null
    },
    unattributedMs: () => unattributedMs,
    forget(participantId) {
      if (dominant === participantId) dominant = null
      speech.forget(participantId)
    },
  }
}
