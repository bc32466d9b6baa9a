/** Recognizers repeat phrases without end in turns that confuse them, and invent words for sounds. Pure. */
import { withoutMarks } from '../transcription/sound-marks.ts'
import { type Engine, type EngineText, SAMPLE_RATE } from './engine.ts'

/** More words in a second were never said: fast speakers reach 5. */
const MAX_RATE = 6.5
/** A phrase of up to so many words that comes so often in a row was not said. */
const MAX_PHRASE = 8
const MAX_REPEATS = 4
/** A turn is cut in two so often at most. */
const MAX_CUTS = 3
/** Of the parts of a turn in which nothing was found; most have no words. */
const NO_FURTHER = -1
/** Seconds. */
const SHORTEST = 1
/** Of the sound at both ends of a turn, which has no words. Seconds. */
const TRIMMED = 0.1

/** Whether the text cannot be what was said in `seconds`. */
export function isRunaway(text: string, seconds: number): boolean {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .filter(Boolean)
  if (words.length > MAX_REPEATS && words.length / seconds > MAX_RATE) return true
  for (let length = 1; length <= MAX_PHRASE; length++) {
    let run = 0
    for (let at = length; at < words.length; at++) {
      run = words[at] === words[at - length] ? run + 1 : 0
      // A word alone is repeated by people too ("no, no, no, no").
      if (run >= length * (length === 1 ? 2 * MAX_REPEATS : MAX_REPEATS - 1)) return true
    }
  }
  return false
}

/**
 * Recognizes a turn. One whose text cannot be true is cut in two where it is quietest, and what stays untrue is left out. Now
 * and then a recognizer finds nothing in clear speech: then it gets the turn with other ends, and at last in two parts.
 */
export async function guarded(
  recognize: Engine['recognize'],
  samples: Float32Array,
  cuts = MAX_CUTS,
): Promise<EngineText> {
  const seconds = samples.length / SAMPLE_RATE
  const found = withoutSounds(await recognize(samples))
  const inParts = (cutsLeft: number) => inTwo(samples, (part) => guarded(recognize, part, cutsLeft))
  const mayCut = seconds >= 2 * SHORTEST && cuts > 0
  if (found.text === '') {
    if (seconds < SHORTEST || cuts === NO_FURTHER) return found
    const trimmed = Math.round(TRIMMED * SAMPLE_RATE)
    const again = withoutSounds(await recognize(samples.subarray(trimmed, -trimmed)))
    if (again.text !== '' && !isRunaway(again.text, seconds)) return { ...again, words: shifted(again.words, TRIMMED) }
    return mayCut ? inParts(NO_FURTHER) : found
  }
  if (!isRunaway(found.text, seconds)) return found
  return mayCut ? inParts(cuts - 1) : { text: '', language: null }
}

function withoutSounds(found: EngineText): EngineText {
  const text = withoutMarks(found.text)
  return text === found.text ? found : { text, language: found.language ?? null }
}

async function inTwo(samples: Float32Array, recognize: (part: Float32Array) => Promise<EngineText>) {
  const middle = quietestIn(samples)
  const [before, after] = [await recognize(samples.subarray(0, middle)), await recognize(samples.subarray(middle))]
  const later = shifted(after.words, middle / SAMPLE_RATE)
  return {
    text: `${before.text} ${after.text}`.trim(),
    language: before.language ?? after.language ?? null,
    ...(before.words && later && { words: [...before.words, ...later] }),
  }
}

const shifted = (words: EngineText['words'], by: number) =>
  words?.map(({ word, start, end }) => ({ word, start: start + by, end: end + by }))

/** In the middle half, the sample in whose tenth of a second the sound is weakest. */
function quietestIn(samples: Float32Array): number {
  const step = SAMPLE_RATE / 10
  let best = Math.floor(samples.length / 2)
  let lowest = Number.POSITIVE_INFINITY
  for (let at = Math.floor(samples.length / 4); at + step <= (samples.length * 3) / 4; at += step) {
    let energy = 0
    for (let index = at; index < at + step; index++) energy += samples[index]! ** 2
    if (energy < lowest) [lowest, best] = [energy, at + step / 2]
  }
  return Math.floor(best)
}
