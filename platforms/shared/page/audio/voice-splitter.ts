/**
 * Splits a stream's sound by its speaker, since meetings hand one stream from person to person. Uncertain pieces are
 * left out: a gap in a person's file is better than another person's words in it. Pure.
 */
import type { Heard } from './track-reader.ts'

/** A person's sound continues with silence over pauses up to this, so that a breath does not end it. Milliseconds. */
const BREATH_MS = 300

export interface SplitListener {
  /** More speech of this person; `isFirst` after a pause. */
  speak(owner: string, heard: Heard, isFirst: boolean): void
  /** This person's speech has ended for now. */
  pause(owner: string): void
}

/**
 * For one stream. Each call gives one piece and who is in it just then; null if no known person is. A piece is a
 * person's when none of the `certainAfter` pieces after it is another person's.
 */
export function createVoiceSplitter(
  certainAfter: number,
  { speak, pause }: SplitListener,
): { add(heard: Heard, owner: string | null): void; end(): void } {
  const held: { heard: Heard; owner: string | null }[] = []
  let speaker: string | null = null
  let lastSaidAt = 0

  function stop(): void {
    if (speaker !== null) pause(speaker)
    speaker = null
  }

  function settle(): void {
    const { heard, owner } = held.shift()!
    const isDisputed = held.some((later) => later.owner !== null && later.owner !== owner)
    if (owner !== null && !isDisputed) {
      if (owner !== speaker) stop()
      speak(owner, heard, speaker === null)
      speaker = owner
      lastSaidAt = heard.at
    } else if (speaker !== null && heard.at - lastSaidAt <= BREATH_MS)
      speak(speaker, { at: heard.at, samples: new Float32Array(heard.samples.length) }, false)
    else stop()
  }

  return {
    add(heard, owner) {
      held.push({ heard, owner })
      if (held.length > certainAfter) settle()
    },
    end() {
      held.length = 0
      stop()
    },
  }
}
