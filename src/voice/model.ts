/** A voice from a folder with a model, which a process beside the bot loads. Kokoro, Kitten, Piper and other VITS models. */
import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, extname, join, resolve } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { inTurn } from '@standin/wire/time/in-turn.ts'
import type { Voice } from '../../packages/core/ports.ts'
import { pcmOf } from './pcm.ts'

export interface VoiceModelOptions {
  folder: string
  /** The number of a voice of the model. */
  voice: number
  sampleRate: number
  /** The path of a module instead of `sherpa-onnx-node`. */
  engine?: string
}

/** What `synthesizer-process.ts` sends. */
export type SynthesizerMessage =
  | { type: 'ready' }
  | { type: 'sound'; samples: Float32Array; sampleRate: number }
  | { type: 'problem'; message: string }

/** A large model on a slow disk. */
const LOAD_MS = 120_000
/** Half a minute of speech on a busy core. */
const SPEAK_MS = 60_000
const PROCESS = join(import.meta.dirname, `synthesizer-process${extname(import.meta.filename)}`)

/** The model's part of the configuration of `sherpa-onnx-node`. Throws a sentence for the operator. */
export function voiceModelIn(folder: string): Record<string, object> {
  let files: string[]
  try {
    files = readdirSync(folder)
  } catch {
    throw new Error(`The folder of STANDIN_VOICE_MODEL cannot be read: ${folder}`)
  }
  const find = (part: RegExp) => files.filter((file) => part.test(file)).map((file) => join(folder, file))
  const models = find(/\.onnx$/)
  const model = models.find((file) => file.includes('int8')) ?? models[0]
  const tokens = find(/^tokens\.txt$/)[0]
  const voices = find(/^voices\.bin$/)[0]
  const dataDir = find(/^espeak-ng-data$/)[0]
  const lexicon = find(/^lexicon.*\.txt$/).join(',')
  if (model === undefined || tokens === undefined || (dataDir === undefined && lexicon === ''))
    throw new Error(
      `The folder ${folder} has no voice; STANDIN_VOICE_MODEL names a folder of Kokoro or Piper for sherpa-onnx, with a model, tokens.txt and espeak-ng-data.`,
    )
  const common = { model, tokens, ...(dataDir && { dataDir }) }
  if (voices === undefined) return { vits: { ...common, ...(lexicon && { lexicon }) } }
  // Both kinds have the same files.
  if (/kitten/i.test(`${basename(folder)} ${basename(model)}`)) return { kitten: { ...common, voices } }
  return { kokoro: { ...common, voices, ...(lexicon && { lexicon }) } }
}

export function openVoiceModel({ folder, voice, sampleRate, engine }: VoiceModelOptions): Voice {
  let process: ChildProcess | null = null
  const inProcessTurn = inTurn(1)

  function started(): ChildProcess {
    if (process?.connected) return process
    const child = fork(PROCESS, [JSON.stringify(voiceModelIn(resolve(folder))), ...(engine ? [engine] : [])], {
      // It does not inherit our environment, which may hold secrets.
      env: { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
    })
    process = child
    return child
  }

  return {
    speak: (text, signal) =>
      inProcessTurn(async () => {
        signal.throwIfAborted()
        const isNew = !process?.connected
        const child = started()
        const { samples, sampleRate: rawRate } = await answerOf(child, { text, voice }, isNew, signal)
        const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
        return pcmOf(bytes, { sampleRate, rawRate, signal })
      }),
    close: () => void process?.kill('SIGKILL'),
  }
}

/** The sound of one text. A process that fails, is late, or is not waited for any more is ended. */
function answerOf(child: ChildProcess, request: { text: string; voice: number }, isNew: boolean, signal: AbortSignal) {
  const answer = Promise.withResolvers<{ samples: Float32Array; sampleRate: number }>()
  let lastLine = ''
  const onError = (data: Buffer) => {
    lastLine = (lastLine + data).trim().split('\n').at(-1)!.slice(-300)
  }
  const onMessage = (message: SynthesizerMessage) => {
    if (message.type === 'sound') answer.resolve(message)
    else if (message.type === 'problem') fail(new Error(`The voice model cannot be used: ${message.message}`))
    else child.send(request)
  }
  const fail = (error: Error) => {
    answer.reject(error)
    child.kill('SIGKILL')
  }
  // sherpa ends the process if the files are no model of the kind that their names say.
  const onExit = (code: number | null, exitSignal: string | null) =>
    fail(new Error(`The voice model cannot be used: its process ended (${exitSignal ?? code}) ${lastLine}`.trim()))
  const onAbort = () => fail(signal.reason)
  const timer = setTimeout(() => fail(new Error('The voice model took too long.')), SPEAK_MS + (isNew ? LOAD_MS : 0))
  child.stderr!.on('data', onError)
  child.on('message', onMessage)
  child.on('error', fail)
  child.on('exit', onExit)
  signal.addEventListener('abort', onAbort, { once: true })
  if (!isNew) child.send(request)
  return answer.promise.finally(() => {
    clearTimeout(timer)
    child.stderr!.off('data', onError)
    child.off('message', onMessage)
    child.off('exit', onExit)
    signal.removeEventListener('abort', onAbort)
  })
}
