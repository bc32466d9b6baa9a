/** `standin service doctor`: tries each part that the service needs, and says what to do about those that fail. */
import { execFile } from 'node:child_process'
import { createServer } from 'node:net'
import type { Io } from '@standin/wire/process/command-io.ts'
import { speechAccessOf, speechProblemsOf } from '@standin/wire/speech-access.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { type Finding, fine, printFindings, unfit, warning } from '@standin/wire/text/findings.ts'
import { openFileStore } from '../../files/open-file-store.ts'
import { checkRecordings, storageProblemOf } from '../../files/storage-check.ts'
import type { Log } from '../../platform/ports.ts'
import { databaseTime } from '../../store/drain.ts'
import { type ServiceConfig, unknownSettings } from '../config/config.ts'
import { openBotUser } from '../wiring/bot-user.ts'
import { httpAddress } from '../wiring/http-address.ts'
import { type Installation, openInstallation } from '../wiring/installation.ts'
import { standinCommand } from '../wiring/installed-file.ts'
import { openLauncher } from '../wiring/launcher.ts'
import { haveModel } from '../wiring/speech.ts'
import { readWords } from '../wiring/words.ts'

export interface DoctorParts {
  config: ServiceConfig
  io: Pick<Io, 'environment' | 'output'>
  log: Log
}

const ANSWER_MS = 10_000
/** The doctor of bots starts every program that a bot needs. */
const BOT_DOCTOR_MS = 300_000
/** Leases and schedules of several processes compare their times. */
const MAX_CLOCK_DIFFERENCE_MS = 2_000

/** Resolves with the exit code: 0 if the service can run, even with warnings. */
export async function doctorCommand(parts: DoctorParts, json: boolean | undefined): Promise<number> {
  const ends = ['The service can run here.', 'The service cannot run here yet'] as const
  return (await printFindings({ findings: examine(parts), output: parts.io.output, json, ends })) ? 0 : 1
}

async function checkWords(file: string): Promise<Finding> {
  try {
    return fine('Words', `${file} has ${(await readWords(file)).version}`)
  } catch (error) {
    return warning('Words', `${file} is not used: ${messageOf(error)}`, 'Correct the file, or leave out STANDIN_WORDS.')
  }
}

async function* examine(parts: DoctorParts): AsyncGenerator<Finding> {
  const { config, log } = parts
  const { environment } = parts.io
  for (const sentence of unknownSettings(environment))
    yield warning('Settings', sentence, 'Correct the name, or remove it.')
  let installation: Installation | null = null
  try {
    // As every command: starts the database of the data folder if no service runs, and migrates it.
    installation = await openInstallation(config, 'command', log)
    const place = config.databaseUrl === null ? `its own, in ${config.dataFolder}` : 'that of DATABASE_URL'
    yield fine('Database', `${place}; its tables are those of this version`)
    yield checkClock(Date.now() - (await databaseTime(installation.database)))
    if (installation.callers.problem !== null)
      yield warning('Row security', installation.callers.problem, 'See docs/operating.md.')
  } catch (error) {
    yield unfit('Database', messageOf(error), 'Check DATABASE_URL, or the data folder that --data names.')
  }
  try {
    yield* checkStorage(config, installation)
    yield await checkSpeech(config, environment)
    if (config.words !== null) yield await checkWords(config.words)
    if (config.launcher === 'process') yield* checkProcesses(parts)
    else if (installation !== null) yield await checkLauncher(parts, installation)
    yield await checkPort(config)
  } finally {
    await installation?.close()
  }
}

function checkClock(difference: number): Finding {
  const seconds = `${(Math.abs(difference) / 1000).toFixed(1)} s`
  if (Math.abs(difference) <= MAX_CLOCK_DIFFERENCE_MS)
    return fine('Clock', `as that of the database, within ${seconds}`)
  return warning(
    'Clock',
    `differs from that of the database by ${seconds}`,
    'Let both machines set their clocks (NTP).',
  )
}

async function* checkStorage({ storage }: ServiceConfig, installation: Installation | null): AsyncGenerator<Finding> {
  const place = storage.type === 'folder' ? storage.path : `s3://${storage.bucket}/${storage.prefix}`
  let part = 'Storage'
  try {
    const files = await openFileStore(storage, { secret: Buffer.alloc(32), publicUrl: '', now: Date.now })
    try {
      await files.check()
      await files.checkKeys?.()
      yield fine(part, `${place}: written, read and deleted`)
      part = 'Recordings'
      if (installation === null) return
      const found = await checkRecordings(installation.database, files.store, storage)
      yield fine(part, found === 0 ? 'there are none yet' : `the newest ${found} are where the database says`)
    } finally {
      files.close()
    }
  } catch (error) {
    const { kind, fault, cure } = storageProblemOf(storage, error)
    const isWarning = part === 'Recordings' || kind === 'keeps_everything'
    yield (isWarning ? warning : unfit)(part, fault, `${cure}.`)
  }
}

/** Transcripts by captions need no service, so a missing one is a warning only. */
async function checkSpeech(config: ServiceConfig, environment: Io['environment']): Promise<Finding> {
  const part = 'Speech service'
  const { languages: _, ...providers } = speechProblemsOf(environment, { hasModel: haveModel(config, environment) })
  const usable = Object.entries(providers).filter(([, { withoutKey }]) => withoutKey === null)
  const names = usable.map(([name]) => name.toLowerCase()).join(', ')
  const cure =
    'Run standin speech install, or set STANDIN_TRANSCRIPTION_URL, STANDIN_DEEPGRAM_KEY or STANDIN_ASSEMBLYAI_KEY (docs/transcription.md).'
  if (names === '') return warning(part, 'none: transcripts come from the captions of meetings only', cure)
  const access = speechAccessOf('Default', null, environment, [])
  if (access?.provider !== 'Default') return fine(part, `${names} (keys and the model of this machine are not tried)`)
  const headers: Record<string, string> = access.key === null ? {} : { authorization: `Bearer ${access.key}` }
  try {
    const models = `${access.url.replace(/\/+$/, '')}/models`
    const { status } = await fetch(models, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    if (status === 401 || status === 403)
      return warning(part, `refuses the key (${status})`, 'Correct STANDIN_TRANSCRIPTION_KEY.')
    return fine(part, `${names}; STANDIN_TRANSCRIPTION_URL answers`)
  } catch (error) {
    const cause = messageOf((error as Error).cause ?? error)
    return warning(part, `STANDIN_TRANSCRIPTION_URL does not answer: ${cause}`, 'Check that it runs, and its address.')
  }
}

async function* checkProcesses({ config, io: { environment } }: DoctorParts): AsyncGenerator<Finding> {
  yield await checkBots()
  const part = 'User of bots'
  try {
    const { user, weakness } = await openBotUser(config, environment)
    if (weakness === null) yield fine(part, `${user?.name ?? 'that of the service'}; Chromium runs in its own sandbox`)
    else yield warning(part, weakness.fault, `${weakness.cure}.`)
  } catch (error) {
    yield unfit(part, messageOf(error), 'Correct STANDIN_BOT_USER.')
  }
}

/** Browser, encoder, display and sound of bots: what `standin doctor` finds. */
function checkBots(): Promise<Finding> {
  const [program, ...args] = standinCommand('doctor')
  const cure = 'Run: standin doctor'
  return new Promise((resolve) => {
    execFile(program!, [...args, '--json'], { timeout: BOT_DOCTOR_MS }, (error, text) => {
      try {
        const { findings } = JSON.parse(text) as { findings: Finding[] }
        const unfitParts = findings.filter(({ verdict }) => verdict === 'unfit')
        const faults = unfitParts.map((finding) => `${finding.part}: ${finding.found}`)
        if (faults.length > 0) resolve(unfit('Bots', faults.join('; '), cure))
        else resolve(fine('Bots', `${findings.find(({ part }) => part === 'Chromium')?.part} and the rest start here`))
      } catch {
        resolve(unfit('Bots', `standin doctor gave no answer: ${messageOf(error)}`, cure))
      }
    })
  })
}

async function checkLauncher({ config, io: { environment }, log }: DoctorParts, { database, seals }: Installation) {
  try {
    const linkUrl = config.linkUrl ?? 'ws://127.0.0.1/link'
    const launcher = await openLauncher({ config, environment, database, seals, botUser: null, linkUrl, log })
    launcher.close?.()
    return fine('Bots', `${config.launcher} can start them`)
  } catch (error) {
    return unfit('Bots', messageOf(error), 'docs/docker.md and docs/kubernetes.md say what the launcher needs.')
  }
}

/** Free, or taken by a service that answers. */
async function checkPort({ host, port }: ServiceConfig): Promise<Finding> {
  const code = await new Promise<string | null>((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(port, host, () => server.close(() => resolve(null)))
  })
  if (code === null) return fine('Port', `${host}:${port} is free`)
  const cure = 'Choose another one with --port or --host.'
  if (code !== 'EADDRINUSE') return unfit('Port', `the service may not listen on ${host}:${port} (${code})`, cure)
  const url = httpAddress(host, port).href
  try {
    const answer = await fetch(`${url}readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    const { checks } = (await answer.json()) as { checks?: object }
    if (checks === undefined) throw new Error('another program')
    return answer.ok
      ? fine('Port', `a service answers at ${url} and is ready`)
      : warning('Port', `a service answers at ${url} and is not ready: ${JSON.stringify(checks)}`, `See ${url}readyz`)
  } catch {
    return unfit('Port', `${host}:${port} is taken by another program`, cure)
  }
}
