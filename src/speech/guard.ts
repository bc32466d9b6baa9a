/** Recognizers repeat phrases without end in turns that confuse them, and invent words for sounds. Pure. */
import { type Engine, type EngineText, SAMPLE_RATE } from './engine.ts'

/** More words in a second were never said: fast speakers reach 5. */
const MAX_RATE = 6.5
/** A phrase of up to so many words that comes so often in a row was not said. */
const MAX_PHRASE = 8
const MAX_REPEATS = 4
/** A turn is cut in two so often at most. */
const MAX_CUTS = 3
/** Seconds. */
const SHORTEST = 1
/** Samples. */
const OTHER_END = 400
/** Marks of sounds that recognizers write as text: `[BLANK_AUDIO]`, `(music)`, `♪`. */
const MARKS = /\[[^\]]*\]|\([^)]*\)|♪+|<\|[^|]*\|>/g

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

/** Recognizes a turn; one whose text cannot be true is cut in two where it is quietest, and what stays untrue is left out. */
export async function guarded(
  recognize: Engine['recognize'],
  samples: Float32Array,
  cuts = MAX_CUTS,
): Promise<EngineText> {
  const first = await recognize(samples)
  // Now and then a recognizer finds nothing in clear speech; with another end it does.
  const isMissed = first.text.trim() === '' && samples.length >= SHORTEST * SAMPLE_RATE
  const found = isMissed ? await recognize(samples.subarray(0, samples.length - OTHER_END)) : first
  const hasMarks = MARKS.test(found.text)
  MARKS.lastIndex = 0
  const text = hasMarks ? found.text.replaceAll(MARKS, ' ').replaceAll(/\s+/g, ' ').trim() : found.text
  const seconds = samples.length / SAMPLE_RATE
  if (!isRunaway(text, seconds)) return hasMarks ? { text, language: found.language ?? null } : found
  if (cuts === 0 || seconds < 2 * SHORTEST) return { text: '', language: null }
  const middle = quietestIn(samples)
  const [before, after] = [
    await guarded(recognize, samples.subarray(0, middle), cuts - 1),
    await guarded(recognize, samples.subarray(middle), cuts - 1),
  ]
  const shift = middle / SAMPLE_RATE
  const later = after.words?.map(({ word, start, end }) => ({ word, start: start + shift, end: end + shift }))
  return {
    text: `${before.text} ${after.text}`.trim(),
    language: before.language ?? after.language ?? null,
    ...(before.words && later && { words: [...before.words, ...later] }),
  }
}

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
