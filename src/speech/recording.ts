/** The words of a stored recording: its sound is decoded, cut at pauses, and recognized turn by turn. */
import { spawn } from 'node:child_process'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { spread } from '../transcription/spread.ts'
import { type EngineText, SAMPLE_RATE } from './engine.ts'
import type { Recognizers } from './recognizers.ts'
import { openDetector, type Voice } from './voices.ts'

export interface SpokenTurn {
  /** Seconds of the recording. */
  start: number
  end: number
  text: string
  language: string | null
  words: { word: string; start: number; end: number }[]
}

/** The sound cannot be decoded. */
export class NoSound extends Error {}

/** Words begin softly, and end so: a turn gets this much of the sound around it. Seconds. */
const AROUND = 0.2
/** So much sound is kept for turns that are not cut yet. Seconds. */
const KEPT = 60
/** Turns of one recording that wait for a recognizer. */
const AHEAD = 4

/** Yields the turns in order. Rejects with NoSound, or with the recognizers' error. */
export async function* turnsOfFile(
  file: string,
  {
    recognizers,
    signal,
    ...settings
  }: { recognizers: Recognizers; engine: string; models: string; signal: AbortSignal },
): AsyncGenerator<SpokenTurn> {
  const waiting: Promise<SpokenTurn | null>[] = []
  for await (const { voice, samples } of voicesOfFile(file, settings, signal)) {
    const turn = recognizers.recognize(samples, 'stored', signal).then((text) => turnOf(voice, text!))
    turn.catch(() => {})
    waiting.push(turn)
    if (waiting.length > AHEAD) yield* given(await waiting.shift()!)
  }
  for (const turn of waiting) yield* given(await turn)
}

function* given(turn: SpokenTurn | null): Generator<SpokenTurn> {
  if (turn !== null) yield turn
}

async function* voicesOfFile(file: string, settings: { engine: string; models: string }, signal: AbortSignal) {
  const detector = openDetector(settings)
  const kept = new RecentSound()
  const cut = (voice: Voice) => ({ voice, samples: kept.between(voice, AROUND * SAMPLE_RATE) })
  for await (const samples of soundOf(file, signal)) {
    kept.add(samples)
    for (const voice of detector.add(samples)) yield cut(voice)
  }
  for (const voice of detector.flush()) yield cut(voice)
}

function turnOf({ start, end }: Voice, { text, language = null, words = [] }: EngineText): SpokenTurn | null {
  if (text === '') return null
  const [from, to] = [start / SAMPLE_RATE, end / SAMPLE_RATE]
  const at = (seconds: number) => Math.min(Math.max(from, from - AROUND + seconds), to)
  const timed = words.map(({ word, start: begins, end: ends }) => ({ word, start: at(begins), end: at(ends) }))
  // Models without times: the words share the time of the voice by their letters.
  const shared = spread(text, from, to).map(({ word, start: begins, end: ends }) => ({
    word,
    start: begins,
    end: ends,
  }))
  return { start: from, end: to, text, language, words: timed.length > 0 ? timed : shared }
}

/** The last minute of sound, by its sample numbers. */
class RecentSound {
  #pieces: { at: number; samples: Float32Array }[] = []
  #end = 0

  add(samples: Float32Array): void {
    this.#pieces.push({ at: this.#end, samples })
    this.#end += samples.length
    while (this.#pieces[0]!.at + this.#pieces[0]!.samples.length < this.#end - KEPT * SAMPLE_RATE) this.#pieces.shift()
  }

  between({ start, end }: Voice, around: number): Float32Array {
    const from = Math.max(this.#pieces[0]?.at ?? 0, start - around)
    const to = Math.min(this.#end, end + around)
    const cut = new Float32Array(Math.max(0, to - from))
    for (const { at, samples } of this.#pieces) {
      const piece = samples.subarray(Math.max(0, from - at), Math.max(0, to - at))
      if (piece.length > 0) cut.set(piece, Math.max(0, at - from))
    }
    return cut
  }
}

/** Rejects with NoSound at its end if it cannot be decoded. */
export async function* soundOf(file: string, signal: AbortSignal): AsyncGenerator<Float32Array> {
  const format = ['-f', 'f32le', '-ar', String(SAMPLE_RATE), '-ac', '1', 'pipe:1']
  const args = ['-v', 'error', '-nostdin', '-i', file, ...format]
  const child = spawn('ffmpeg', args, { env: { PATH: CHILD_PATH }, stdio: ['ignore', 'pipe', 'ignore'], signal })
  const ended = new Promise<number | null>((resolve) => {
    child.on('error', () => resolve(null))
    child.on('close', resolve)
  })
  let rest: Buffer = Buffer.alloc(0)
  for await (const bytes of child.stdout) {
    const all = Buffer.concat([rest, bytes])
    const whole = all.byteLength - (all.byteLength % 4)
    // A copy is aligned, as the numbers have to be.
    yield new Float32Array(new Uint8Array(all.subarray(0, whole)).buffer)
    rest = all.subarray(whole)
  }
  signal.throwIfAborted()
  if ((await ended) !== 0) throw new NoSound('The sound could not be decoded.')
}
