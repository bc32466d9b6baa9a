/** Models of speech on disk: which files are which model, and whether they are whole. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, isAbsolute, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

/** Where `standin speech install` puts the model of this version. */
export const builtInModel = join(packageRoot, 'models', 'speech-en')

/** The engine and the folder of its model, as the operator's settings say. */
export function speechSettings(environment: Readonly<Record<string, string | undefined>>) {
  const { STANDIN_SPEECH_ENGINE: engine, STANDIN_SPEECH_MODEL: models } = environment
  return { engine: engine || 'sherpa-onnx-node', models: models || builtInModel }
}

export interface SpeechModel {
  folder: string
  kind: 'Moonshine' | 'Whisper' | 'SenseVoice' | 'transducer' | 'streaming transducer'
  /** The model's part of the configuration of `sherpa-onnx-node`. */
  config: Record<string, unknown>
}

/** Null: these files are no model that is known here. Of two sizes of a file the quantized one is taken. */
export function modelOf(folder: string, files: readonly string[]): SpeechModel | null {
  const find = (part: RegExp) => {
    const found = files.filter((file) => part.test(file))
    const file = found.find((name) => name.includes('int8')) ?? found[0]
    return file === undefined ? null : join(folder, file)
  }
  const tokens = find(/tokens\.txt$/)
  if (tokens === null) return null
  const of = (kind: SpeechModel['kind'], config: object): SpeechModel => ({
    folder,
    kind,
    config: { tokens, ...config },
  })
  const encoder = find(/encoder.*\.(?:onnx|ort)$/)
  // Moonshine's second form is an encoder and a decoder, as Whisper is; its decoder is merged.
  const mergedDecoder = find(/decoder.*merged.*\.(?:onnx|ort)$/)
  if (encoder && mergedDecoder) return of('Moonshine', { moonshine: { encoder, mergedDecoder } })
  const preprocessor = find(/^preprocess.*\.onnx$/)
  if (preprocessor !== null) {
    const parts = { encoder: find(/^encode.*\.onnx$/), uncachedDecoder: find(/^uncached_decode.*\.onnx$/) }
    const cachedDecoder = find(/^cached_decode.*\.onnx$/)
    if (parts.encoder && parts.uncachedDecoder && cachedDecoder)
      return of('Moonshine', { moonshine: { preprocessor, ...parts, cachedDecoder } })
  }
  const decoder = find(/decoder.*\.onnx$/)
  const joiner = find(/joiner.*\.onnx$/)
  if (encoder && decoder && joiner) {
    const isStreaming = /streaming|chunk/i.test(`${basename(folder)} ${encoder}`)
    return of(isStreaming ? 'streaming transducer' : 'transducer', { transducer: { encoder, decoder, joiner } })
  }
  if (encoder && decoder) return of('Whisper', { whisper: { encoder, decoder, task: 'transcribe' } })
  const model = find(/model.*\.onnx$/)
  return model === null ? null : of('SenseVoice', { senseVoice: { model, useInverseTextNormalization: 1 } })
}

/** The model in the folder, or in the only folder in it that has one. Throws a sentence for the operator. */
export function findModel(folder: string): SpeechModel {
  if (!existsSync(folder) && folder === builtInModel)
    throw new Error('The model of speech is missing; run: standin speech install')
  let entries: string[]
  try {
    entries = readdirSync(folder)
  } catch {
    throw new Error(`The folder of the speech model cannot be read: ${folder}`)
  }
  const own = modelOf(folder, entries)
  if (own !== null) return own
  const inside = entries.flatMap((name) => {
    const place = join(folder, name)
    return modelOf(place, filesIn(place)) ?? []
  })
  if (inside.length === 1) return inside[0]!
  const what = inside.length === 0 ? 'no speech model' : `${inside.length} speech models`
  throw new Error(`The folder ${folder} has ${what}; name the folder of one model in STANDIN_SPEECH_MODEL.`)
}

/** The detector of voices: the one beside the model, else the built-in one; null if neither is there. */
export function voiceDetectorOf(folder: string): string | null {
  const places = [folder, builtInModel].flatMap((place) =>
    filesIn(place).flatMap((file) => (/silero.*\.onnx$/.test(file) ? join(place, file) : [])),
  )
  return places[0] ?? null
}

/** Rejects with a sentence for the operator if a file is not the one that `SHA256SUMS` of its folder names. */
export async function checkSums(folder: string): Promise<void> {
  const list = join(folder, 'SHA256SUMS')
  if (!existsSync(list)) return
  for (const line of readFileSync(list, 'utf8').split('\n')) {
    const [, sum, file] = /^([0-9a-f]{64}) [ *](.+)$/i.exec(line.trim()) ?? []
    if (sum === undefined || file === undefined) continue
    const found = await sha256Of(join(folder, basename(file)))
    if (found !== sum.toLowerCase())
      throw new Error(`${join(folder, basename(file))} is not the file that SHA256SUMS names.`)
  }
}

/** Null if there is no such file. */
export async function sha256Of(file: string): Promise<string | null> {
  if (!existsSync(file)) return null
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

function filesIn(place: string): string[] {
  try {
    return readdirSync(place)
  } catch {
    return []
  }
}

/** Why this engine cannot work here, in one sentence; null if it can, as far as is known without starting it. */
export function problemOfModel({ engine, models }: { engine: string; models: string }): string | null {
  try {
    if (engine === 'sherpa-onnx-node') findModel(models)
    else if (!existsSync(models)) return `The folder of the speech model does not exist: ${models}`
    createRequire(import.meta.url).resolve(engine)
    return null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') return (error as Error).message
    const cure = isAbsolute(engine) ? 'check STANDIN_SPEECH_ENGINE' : `install it: npm install ${engine}`
    return `The speech engine ${engine} is not installed; ${cure}.`
  }
}

/** Languages that the model knows, as ISO 639-1; null: many, or it is not known. */
export function languagesOf({ kind }: SpeechModel): readonly string[] | null {
  return kind === 'Moonshine' ? ['en'] : null
}
