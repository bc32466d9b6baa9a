import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { Problem, TranscriptionProvider } from '@standin/wire/job.ts'
import { chooseBotUser } from '@standin/wire/process/bot-user.ts'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { speechAccessOf } from '@standin/wire/speech-access.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { InvalidJob } from '../job/config.ts'
import { transcribeFolder } from '../wiring/transcription.ts'
import { languageParam } from './job-options.ts'
import { fileProblem } from './shown-text.ts'

/** Of a person, and of the service. */
const STOPS = ['SIGINT', 'SIGTERM'] as const

/** `standin transcribe`: makes (or makes again) the transcript of a recording's folder. Throws InvalidJob. */
export async function transcribe(
  folder: string,
  { provider, language, paramsFile }: { provider: TranscriptionProvider; language?: string; paramsFile?: string },
  io: Io,
): Promise<number> {
  const place = resolve(folder)
  await readdir(place).catch((error) => {
    throw new CommandMistake(`standin transcribe: ${fileProblem(error, folder)}`)
  })
  const problems: Problem[] = []
  const access = speechAccessOf(provider, null, io.environment, problems)
  if (problems.length > 0 || access === null) throw new InvalidJob(problems)
  const customParams = {
    ...(paramsFile !== undefined && (await readParams(paramsFile))),
    ...(language !== undefined && languageParam(provider, language)),
  }
  const speakers = io.environment.STANDIN_SPEAKER_MODEL || null
  const stop = new AbortController()
  const onStop = () => stop.abort(new Error('It was interrupted.'))
  for (const signal of STOPS) process.once(signal, onStop)
  try {
    if (await isGiven(place, io))
      await io.leaveRoot?.({
        folder: place,
        reads: [access.provider === 'local' ? access.models : null, speakers].filter((place) => place !== null),
      })
    const utterances = await transcribeFolder(place, {
      botId: await botIdOf(place),
      access,
      customParams,
      speakers,
      notice: (message) => io.errors.write(`${message}\n`),
      signal: stop.signal,
    })
    io.output.write(`${utterances} utterances are in ${join(place, 'transcription.json')}\n`)
    return 0
  } catch (error) {
    if (error instanceof InvalidJob) throw error
    io.errors.write(`There is no transcript: ${messageOf(error)}\n`)
    return 4
  } finally {
    for (const signal of STOPS) process.off(signal, onStop)
  }
}

/** It decodes the sound of strangers, as the user of bots if root made the recording or a bot of root did; other people's folders are theirs. */
async function isGiven(folder: string, { environment }: Io): Promise<boolean> {
  const { user } = await chooseBotUser(environment, [], async () => {})
  const uid = await stat(folder).then(
    (found) => found.uid,
    () => null,
  )
  return user !== null && (uid === 0 || uid === user.uid)
}

async function readParams(file: string): Promise<Record<string, unknown>> {
  const refused = (message: string) => new InvalidJob([{ path: '--params-file', message }])
  let params: unknown
  try {
    params = parseJson(await readFile(file, 'utf8'))
  } catch (error) {
    throw refused(fileProblem(error, file))
  }
  if (typeof params !== 'object' || params === null || Array.isArray(params)) throw refused('must hold an object')
  return params as Record<string, unknown>
}

/** Of the manifest; a recording's folder is named by it too. */
async function botIdOf(folder: string): Promise<string> {
  try {
    const { bot_id: botId } = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as { bot_id?: unknown }
    return typeof botId === 'string' ? botId : basename(folder)
  } catch {
    return basename(folder)
  }
}
