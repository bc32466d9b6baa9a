/**
 * Decides who speaks: levels of the audio receivers' contributing sources, combined with signs of the page and its
 * captions.
 */

import { pageNow } from '../page-clock.ts'
import { createSourceSampler, FRESH_MS } from './contributing-sources.ts'
import { createSpeechDetector, LEVEL_OFF, type LevelSample, type SpeechChange } from './speech-detector.ts'

/** A "yes" of a third of a second has to reach three samples. */
const SAMPLE_EVERY_MS = 100
/** The same where voices are watched. */
const WATCH_EVERY_MS = 50
/** A shorter silence is a part of a word. */
const PAUSE_MS = 150

export interface SpeechSources {
  /** Receivers of a mixed sound; none if the platform sends a track for each person. */
  receivers(): Iterable<RTCRtpReceiver>
  /** Participants behind a contributing source; none if no owner is known: unknown is better than wrong. */
  ownersOfSource(csrc: number): string[]
  /**
   * Levels that the platform knows in other ways, such as one track for each person. Empty: all of them are silent;
   * null: there is nothing to read just now.
   */
  levels?(): LevelSample[] | null
  emit(changes: SpeechChange[]): void
}

export type Speech = ReturnType<typeof watchSpeech>

export function watchSpeech({ receivers, ownersOfSource, levels, emit }: SpeechSources) {
  const detector = createSpeechDetector()
  const sample = createSourceSampler()
  let heardAt = Number.NEGATIVE_INFINITY
  let watchVoices: ReturnType<typeof createVoices> | null = null
  let timer = setInterval(round, SAMPLE_EVERY_MS)

  function round(): void {
    const at = pageNow()
    look(at)
    watchVoices?.(detector.heard(), at)
  }

  function look(at: number): void {
    const heard = [...receivers()]
    const others = levels?.() ?? null
    if (heard.length === 0 && others === null) {
      emit(detector.tick(at))
      return
    }
    const sampled = sample(heard)
    if (sampled.some(({ level }) => level >= LEVEL_OFF)) heardAt = at
    const mixed = sampled.flatMap(({ csrc, level, ageMs }) => {
      const participantIds = ownersOfSource(csrc)
      return participantIds.length > 0 ? [{ participantIds, level, ageMs }] : []
    })
    emit(detector.observe({ kind: 'levels', samples: [...mixed, ...(others ?? [])], at }))
  }

  return {
    /** Calls back when the sound of a participant begins or pauses, long before that is a turn or its end. */
    onVoice(listener: OnVoice): void {
      watchVoices = createVoices(listener)
      clearInterval(timer)
      timer = setInterval(round, WATCH_EVERY_MS)
    },
    /** The page marked this participant as speaking. */
    mark: (participantId: string): void => emit(detector.observe({ kind: 'page_mark', participantId, at: pageNow() })),
    /** The captions showed a new word of this participant. */
    caption: (participantId: string): void => emit(detector.observe({ kind: 'caption', participantId, at: pageNow() })),
    /** A receiver of the mixed sound had some within the last second. */
    isReceived: (): boolean => pageNow() - heardAt <= FRESH_MS,
    speaking: (): ReadonlySet<string> => new Set(detector.speaking()),
    forget: (participantId: string): void => emit(detector.forget(participantId, pageNow())),
  }
}

type OnVoice = (participantId: string, isHeard: boolean, at: number) => void

/** The returned function gets when the sound of each turn was last heard. Pure. */
export function createVoices(listener: OnVoice): (heard: ReadonlyMap<string, number>, now: number) => void {
  const audible = new Map<string, boolean>()
  return (heard, now) => {
    for (const id of audible.keys()) if (!heard.has(id)) audible.delete(id)
    for (const [id, at] of heard) {
      const isHeard = now - at < PAUSE_MS
      if (isHeard === (audible.get(id) ?? false)) continue
      audible.set(id, isHeard)
      listener(id, isHeard, at)
    }
  }
}
