/** The engine `sherpa-onnx-node`: what of it is used here. Source: its `types.js` and the examples of its project. */
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { wordsOfTokens } from '../transcription/tokens.ts'
import type { Word } from '../transcription/types.ts'
import { type EngineText, type OpenEngine, SAMPLE_RATE } from './engine.ts'
import { checkSums, findModel } from './model.ts'

interface Stream {
  acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void
  inputFinished(): void
}
interface Result {
  text: string
  tokens?: string[]
  timestamps?: number[]
  lang?: string
}
interface Recognizer {
  createStream(): Stream
  isReady(stream: Stream): boolean
  decode(stream: Stream): void
  getResult(stream: Stream): Result
}
/** Sample numbers count from the first sample that it got. */
interface Detector {
  acceptWaveform(samples: Float32Array): void
  isEmpty(): boolean
  front(external: boolean): { start: number; samples: Float32Array }
  pop(): void
  flush(): void
  isDetected(): boolean
  reset(): void
}
interface Resampler {
  resample(samples: Float32Array): Float32Array
}
interface VoiceExtractor {
  createStream(): Stream
  compute(stream: Stream, external: boolean): Float32Array
}
interface Package {
  OnlineRecognizer: new (config: object) => Recognizer
  OfflineRecognizer: new (config: object) => Recognizer
  Vad: new (config: object, bufferSeconds: number) => Detector
  SpeakerEmbeddingExtractor: new (config: object) => VoiceExtractor
  LinearResampler: new (from: number, to: number) => Resampler
}

/** Silence after the last word, for models that recognize speech as it comes. Seconds. */
const TAIL = 0.4
/**
 * Lengths of turns are rounded up to this, because the engine keeps memory for each length that it has seen. Seconds. With
 * more than a second of silence behind it, Moonshine finds nothing in some turns.
 */
const LENGTH_STEP = 1

export const sherpa = (): Package => createRequire(import.meta.url)('sherpa-onnx-node') as Package

export const openEngine: OpenEngine = async (folder) => {
  const { folder: found, kind, config } = findModel(resolve(folder))
  await checkSums(found)
  const { OnlineRecognizer, OfflineRecognizer } = sherpa()
  const options = {
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    // Threads of one recognizer spin while they wait for each other: further cores get further recognizers.
    modelConfig: { ...config, numThreads: 1, provider: 'cpu', debug: 0 },
  }
  const isStreaming = kind === 'streaming transducer'
  const recognizer = isStreaming ? new OnlineRecognizer(options) : new OfflineRecognizer(options)
  const language = kind === 'Moonshine' ? 'en' : null
  return {
    recognize(samples) {
      const stream = recognizer.createStream()
      const tail = isStreaming ? TAIL * SAMPLE_RATE : 0
      const step = LENGTH_STEP * SAMPLE_RATE
      const padded = new Float32Array(Math.ceil((samples.length + tail) / step) * step)
      padded.set(samples)
      stream.acceptWaveform({ samples: padded, sampleRate: SAMPLE_RATE })
      if (isStreaming) {
        stream.inputFinished()
        while (recognizer.isReady(stream)) recognizer.decode(stream)
      } else recognizer.decode(stream)
      return textOf(recognizer.getResult(stream), language)
    },
  }
}

function textOf({ text, tokens = [], timestamps = [], lang }: Result, known: string | null): EngineText {
  const starts = tokens.map((word, index) => ({ word, start: timestamps[index] ?? null, end: null, confidence: null }))
  const words: Word[] = timestamps.length > 0 ? wordsOfTokens(starts, text) : []
  const language = lang?.replace(/[<|>]/g, '') || known
  return { text: text.trim(), language, words: words.map(({ word, start, end }) => ({ word, start, end })) }
}
