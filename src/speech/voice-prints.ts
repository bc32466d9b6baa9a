/** Prints of voices in a recording, by a model of the operator in a child process. They are never stored. */
import { fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { type Print, piecesOf, SHORTEST, type TellApart, toldApart } from '../transcription/told-apart.ts'
import type { Utterance } from '../transcription/types.ts'
import { checkSums } from './model.ts'

/** What `voice-prints-process.ts` gets and sends. Seconds of the file, in order of their starts. */
export interface PrintsWanted {
  file: string
  stretches: { start: number; end: number }[]
}
export type PrintsMessage = { prints: Print[] } | { problem: string }

/** Of its last words, characters. */
const MAX_SAID = 300
const PROCESS = join(import.meta.dirname, `voice-prints-process${extname(import.meta.filename)}`)

/** The file of the model. Throws a sentence for the operator. */
export function speakerModelIn(folder: string): string {
  let files: string[]
  try {
    files = readdirSync(folder).filter((file) => file.endsWith('.onnx'))
  } catch {
    throw new Error(`The folder of STANDIN_SPEAKER_MODEL cannot be read: ${folder}`)
  }
  if (files.length === 1) return resolve(folder, files[0]!)
  const what = files.length === 0 ? 'no model' : `${files.length} models`
  throw new Error(
    `The folder ${folder} has ${what}; STANDIN_SPEAKER_MODEL names a folder with one model of voices for sherpa-onnx, such as 3D-Speaker or WeSpeaker.`,
  )
}

/** `notice` takes a sentence if people cannot be told apart. */
export function tellApartBy(folder: string, notice: (message: string) => void): TellApart {
  return async (sound, utterances, signal) => {
    const pieces = piecesOf(utterances)
    const isLong = ({ start, end }: Utterance) => end - start >= SHORTEST
    try {
      const model = speakerModelIn(folder)
      await checkSums(folder)
      const measured = await printsOf(model, { file: sound, stretches: pieces.filter(isLong).map(timesOf) }, signal)
      const prints = pieces.map((piece) => (isLong(piece) ? (measured.shift() ?? null) : null))
      return toldApart(utterances, pieces, prints)
    } catch (error) {
      notice(`People of one microphone could not be told apart: ${messageOf(error)}`)
      return [...utterances]
    }
  }
}

const timesOf = ({ start, end }: Utterance) => ({ start, end })

async function printsOf(model: string, wanted: PrintsWanted, signal: AbortSignal): Promise<Print[]> {
  if (wanted.stretches.length === 0) return []
  const child = fork(PROCESS, [model], {
    // It does not inherit our environment, which may hold secrets.
    env: { PATH: CHILD_PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
    signal,
  })
  let said = ''
  child.stderr!.on('data', (data: Buffer) => {
    said = (said + data).slice(-MAX_SAID)
  })
  try {
    return await new Promise<Print[]>((settle, refuse) => {
      child.on('error', refuse)
      // sherpa ends or aborts the process if the file is no model of voices.
      child.on('close', (code, by) => {
        const why = said.trim().split('\n').at(-1)!
        refuse(new Error(`the model ${model} cannot be used (${by ?? code}) ${why}`.trim()))
      })
      child.on('message', (message: PrintsMessage) =>
        'prints' in message ? settle(message.prints) : refuse(new Error(message.problem)),
      )
      child.send(wanted)
    })
  } finally {
    child.kill('SIGKILL')
  }
}
