/** `standin transcribe` as a process, which makes the transcript of a recording's folder. */
import { execFile } from 'node:child_process'
import { NoTranscript, type Transcribe, writeParams } from './retranscription.ts'

/** Milliseconds; as long as a bot takes at most. */
const MAX_MS = 30 * 60_000
const MAX_OUTPUT_BYTES = 1024 * 1024
/** The exit code of a provider that gave no transcript, and of settings that are not complete. */
const NO_TRANSCRIPT = 4
const WRONG_SETTINGS = 2
/** Where the program finds the key, and where the operator has theirs. */
const KEY_VARIABLES: Readonly<Record<string, string>> = {
  Default: 'STANDIN_TRANSCRIPTION_KEY',
  deepgram: 'STANDIN_DEEPGRAM_KEY',
  assemblyai: 'STANDIN_ASSEMBLYAI_KEY',
}

export interface TranscribeCommandSettings {
  /** Program and arguments, such as `bin/standin transcribe`. */
  command: readonly string[]
  environment: Readonly<Record<string, string>>
  /** Has the keys of the operator, which count where the caller gave none. */
  operator?: Readonly<Record<string, string | undefined>>
}

export function createTranscribeCommand({
  command,
  environment,
  operator = {},
}: TranscribeCommandSettings): Transcribe {
  const [program, ...start] = command
  if (program === undefined) throw new Error('The command that makes transcripts is empty')

  return async (folder, { provider, apiKey, customParams }, signal) => {
    const variable = KEY_VARIABLES[provider]
    const key = variable === undefined ? null : (apiKey ?? operator[variable] ?? null)
    const params = customParams === null ? [] : ['--params-file', await writeParams(folder, customParams)]
    const env = { ...environment, ...(variable !== undefined && key !== null && { [variable]: key }) }
    const options = [...start, folder, '--provider', provider, ...params]
    await new Promise<void>((resolve, reject) => {
      const limits = { env, signal, timeout: MAX_MS, maxBuffer: MAX_OUTPUT_BYTES }
      execFile(program, options, limits, (error, _output, errors) => {
        if (error === null) return resolve()
        if (error.killed) return reject(error)
        const said = sentenceOf(withoutKey(errors, key))
        const isSentence = error.code === NO_TRANSCRIPT || error.code === WRONG_SETTINGS
        if (isSentence && said !== '') return reject(new NoTranscript(said))
        reject(new Error(`"standin transcribe" ended with ${error.signal ?? error.code}. ${said}`.trim()))
      })
    })
  }
}

/** The last thing that the program said, without its own beginning, in one line. What it said before is for the operator. */
function sentenceOf(errors: string): string {
  const [text = ''] = /(?:There is no transcript:|The job is not valid:)[\s\S]*$/.exec(errors) ?? [errors]
  const sentence = text.replace('There is no transcript:', '').replace('The job is not valid:', 'It cannot be made:')
  return sentence.replace(/\s+/g, ' ').trim().slice(0, 1000)
}

/** A provider may repeat the key in its refusal. */
function withoutKey(text: string, apiKey: string | null): string {
  return apiKey === null ? text : text.replaceAll(apiKey, '…')
}
