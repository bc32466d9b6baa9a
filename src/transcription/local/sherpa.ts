/** The engine of the optional package `sherpa-onnx-node`: models of its project, found by the names of their files. */
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { wordsOfTokens } from '../tokens.ts'
import type { Word } from '../types.ts'
import type { Engine, EngineText } from './engine.ts'

const SAMPLE_RATE = 16_000
/** A bot records meanwhile. */
const MAX_THREADS = 2
/** Models that recognize speech as it comes need a little silence after the last word. Seconds. */
const TAIL = 0.4

interface Stream {
  acceptWaveform(sound: { samples: Float32Array; sampleRate: number }): void
  inputFinished?(): void
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
type Package = Record<'OnlineRecognizer' | 'OfflineRecognizer', new (config: object) => Recognizer>

export interface FoundModel {
  isStreaming: boolean
  config: Record<string, unknown>
}

/** Null: these files are no model that is known here. Of two sizes of a file the quantized one is taken. */
export function modelOf(folder: string, files: readonly string[]): FoundModel | null {
  const find = (part: RegExp) => {
    const found = files.filter((file) => part.test(file))
    const file = found.find((name) => name.includes('int8')) ?? found[0]
    return file === undefined ? null : join(folder, file)
  }
  const tokens = find(/tokens\.txt$/)
  const encoder = find(/encoder.*\.onnx$/)
  const decoder = find(/decoder.*\.onnx$/)
  const joiner = find(/joiner.*\.onnx$/)
  if (tokens === null) return null
  if (encoder && decoder && joiner) {
    const isStreaming = /streaming|chunk/i.test(`${basename(folder)} ${encoder}`)
    return { isStreaming, config: { tokens, transducer: { encoder, decoder, joiner } } }
  }
  if (encoder && decoder)
    return { isStreaming: false, config: { tokens, whisper: { encoder, decoder, task: 'transcribe' } } }
  const model = find(/model.*\.onnx$/)
  if (model === null) return null
  return { isStreaming: false, config: { tokens, senseVoice: { model, useInverseTextNormalization: 1 } } }
}

/** The model in the folder, or in the only folder in it that has one. Throws a sentence for the operator. */
export function findModel(folder: string): FoundModel {
  let entries: string[]
  try {
    entries = readdirSync(folder)
  } catch {
    throw new Error(`The folder of speech models cannot be read: ${folder}`)
  }
  const own = modelOf(folder, entries)
  if (own !== null) return own
  const inside = entries.flatMap((name) => {
    const place = join(folder, name)
    const model = modelOf(place, filesIn(place))
    return model === null ? [] : [model]
  })
  if (inside.length === 1) return inside[0]!
  const what = inside.length === 0 ? 'no speech model' : `${inside.length} speech models`
  throw new Error(`The folder ${folder} has ${what}; name the folder of one model in STANDIN_SPEECH_MODELS.`)
}

function filesIn(place: string): string[] {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

export async function openEngine(folder: string): Promise<Engine> {
  const { isStreaming, config } = findModel(resolve(folder))
  const { OnlineRecognizer, OfflineRecognizer } = createRequire(import.meta.url)('sherpa-onnx-node') as Package
  const threads = Math.max(1, Math.min(MAX_THREADS, availableParallelism() - 1))
  const options = {
    featConfig: { sampleRate: SAMPLE_RATE, featureDim: 80 },
    modelConfig: { ...config, numThreads: threads, provider: 'cpu', debug: 0 },
  }
  const recognizer = isStreaming ? new OnlineRecognizer(options) : new OfflineRecognizer(options)
  const advance = (stream: Stream) => {
    while (recognizer.isReady(stream)) recognizer.decode(stream)
  }
  return {
    sampleRate: SAMPLE_RATE,
    begin() {
      const stream = recognizer.createStream()
      return {
        add(samples) {
          stream.acceptWaveform({ samples, sampleRate: SAMPLE_RATE })
          if (!isStreaming) return ''
          advance(stream)
          return recognizer.getResult(stream).text
        },
        end() {
          if (!isStreaming) recognizer.decode(stream)
          else {
            stream.acceptWaveform({ samples: new Float32Array(TAIL * SAMPLE_RATE), sampleRate: SAMPLE_RATE })
            stream.inputFinished?.()
            advance(stream)
          }
          return textOf(recognizer.getResult(stream))
        },
      }
    },
  }
}

function textOf({ text, tokens = [], timestamps = [], lang }: Result): EngineText {
  const starts = tokens.map((word, index) => ({ word, start: timestamps[index] ?? null, end: null, confidence: null }))
  const words: Word[] = timestamps.length > 0 ? wordsOfTokens(starts, text) : []
  const language = lang?.replace(/[<|>]/g, '') || null
  return { text, language, words: words.map(({ word, start, end }) => ({ word, start, end })) }
}
