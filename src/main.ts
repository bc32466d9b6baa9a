/** The composition root: takes a checked configuration, makes the real parts, runs one life and says how it ended. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { destination } from 'pino'
import { openDriver, recognizeMeeting } from '../platforms/index.ts'
import { createRecorder } from '../recorder/index.ts'
import { writeReport } from '../report/index.ts'
import { openStorage, parseS3Address, readS3Object } from '../storage/index.ts'
import { createStreaming } from '../streaming/index.ts'
import { createOpenAiCompatible, transcribe } from '../transcription/index.ts'
import { LOG_NAME, setAsideEarlier } from './artifacts.ts'
import { runBot } from './bot.ts'
import { loadBotImage } from './bot-image.ts'
import { type BrowserState, type LoadedState, loadBrowserState } from './browser-state.ts'
import { openView } from './cli/open-view.ts'
import { systemClock } from './clock.ts'
import { confCredentialsOf } from './conf-credentials.ts'
import { type BotConfig, InvalidJob, type SpeechService } from './config.ts'
import { openControlLink } from './control-link/client.ts'
import { type CommandedControlPlane, createLocalControlPlane } from './control-link/local.ts'
import { createLogger, type Logger } from './logger.ts'
import { makeFolder } from './make-folder.ts'
import type { ControlPlane, OpenMeeting, Streaming, Transcribe } from './ports.ts'
import { publicLookup } from './safe-fetch.ts'
import { StopRequests } from './stop-requests.ts'
import type { NumberedEvent } from './wire/events.ts'
import type { Job } from './wire/job.ts'

export { recognizeMeeting }

/** To read the stored session of an account. */
const BROWSER_STATE_MS = 120_000

/** The process's edges, so that a demo or a test can run a life in another process's skin. */
export interface Io {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WritableStream
  environment: Readonly<Record<string, string | undefined>>
}

/** Resolves with the exit code. Throws InvalidJob where the job's place for files cannot be used. */
export async function runConfig(config: BotConfig, io: Io, asJson: boolean): Promise<number> {
  const { job, workFolder } = config
  await asJobProblem(makeFolder(workFolder))
  const logFile = join(workFolder, LOG_NAME)
  const logger = createLogger(destination({ dest: logFile, sync: true }), config.logLevel).child({ botId: job.bot_id })
  const earlier = await asJobProblem(setAsideEarlier(workFolder))
  if (earlier !== null) logger.warn('A bot of this id was here before; its files were set aside', { folder: earlier })
  const stops = new StopRequests()
  const unhear = stops.hear()
  const onRetry = (notice: object) => logger.warn('Storing is tried again', { ...notice })
  const storage = await asJobProblem(Promise.try(() => openStorage(job.storage, { botId: job.bot_id }, { onRetry })))
  const session = await asJobProblem(openBrowserState(config), 'browser_state')
  const control = openControl(config, logger, (event) => view.take(event))
  const view = openView(io, asJson, {
    command: (command) => control.submit(command),
    interrupt: () => stops.interrupt(),
  })
  try {
    const { report, exitCode } = await runBot(job, config.target, {
      clock: systemClock,
      logger,
      workFolder,
      storage,
      streaming: openStreaming(config, control, logger),
      transcribe: openTranscription(config),
      writeReport,
      control,
      recorder: createRecorder({
        mode: job.recording_mode,
        framesPerSecond: job.frame_rate,
        folder: workFolder,
        logger: logger.child({ part: 'recorder' }),
        clock: systemClock,
        withVoice: streams(job),
      }),
      openMeeting: await meetingOpener(config, control, logger, session?.state ?? null),
      onStopRequest: (listener) => stops.listen(listener),
    })
    view.close()
    // What could not be stored elsewhere is still here.
    const place = existsSync(workFolder) ? workFolder : storage.location()
    view.note(`${report.duration_seconds === null ? 'What happened' : 'The recording'} is in ${place}`)
    return exitCode
  } finally {
    view.close()
    unhear()
    await session?.dispose()
  }
}

/** A place that cannot be used is a mistake of the job, told before anything starts. */
async function asJobProblem<T>(work: Promise<T>, path = 'storage'): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new InvalidJob([{ path, message: error instanceof Error ? error.message : String(error) }])
  }
}

function streams(job: Job): job is Job & { streaming: NonNullable<Job['streaming']> } {
  return Boolean(job.streaming?.input || job.streaming?.output)
}

function openStreaming(config: BotConfig, control: ControlPlane, logger: Logger): Streaming | null {
  const { job, workFolder, trustsStreams } = config
  if (!streams(job)) return null
  const { input, output, audio_frequency: sampleRate, set_up_timeout: setUpSeconds } = job.streaming
  return createStreaming({
    input: input ?? null,
    output: output ?? null,
    sampleRate,
    setUpMs: setUpSeconds * 1000,
    isRequired: job.streaming.is_required,
    botId: job.bot_id,
    folder: workFolder,
    clock: systemClock,
    logger: logger.child({ part: 'streaming' }),
    dialing: trustsStreams ? {} : { lookup: publicLookup },
    notice: (message) => control.report({ type: 'notice', level: 'warning', message }),
  })
}

function openTranscription({ job, speechService }: BotConfig): Transcribe | null {
  if (!job.transcription || speechService === null) return null
  const { api_key: key, custom_params: customParams } = job.transcription
  const service = { ...speechService, key: key ?? speechService.key }
  return async (folder, signal) => {
    await transcribeFolder(folder, { botId: job.bot_id, service, customParams: customParams ?? {}, signal })
  }
}

/** Makes the transcript of a recording's folder; resolves with the number of utterances. */
export function transcribeFolder(
  folder: string,
  options: { botId: string; service: SpeechService; customParams: Record<string, unknown>; signal: AbortSignal },
): Promise<number> {
  const { botId, service, customParams, signal } = options
  return transcribe(folder, { botId, provider: createOpenAiCompatible({ ...service, customParams }), signal })
}

function openControl(
  config: BotConfig,
  logger: Logger,
  onEvent: (event: NumberedEvent) => void,
): CommandedControlPlane {
  const { job, workFolder } = config
  const common = { botId: job.bot_id, folder: workFolder, logger: logger.child({ part: 'control-link' }), onEvent }
  if (!job.control_plane) return createLocalControlPlane(common)
  return openControlLink({ ...common, url: job.control_plane.url, token: job.control_plane.token })
}

/** An object is read with the rights that the job's own storage has, or those of the environment. */
async function openBrowserState({ job }: BotConfig): Promise<LoadedState | null> {
  if (!job.browser_state) return null
  return loadBrowserState(job.browser_state, (address, maxBytes) => {
    const { bucket, prefix: key } = parseS3Address(address)
    const place = job.storage.type === 's3' ? job.storage : { type: 's3' as const }
    return readS3Object({ ...place, bucket }, key, maxBytes, AbortSignal.timeout(BROWSER_STATE_MS))
  })
}

async function meetingOpener(
  config: BotConfig,
  control: ControlPlane,
  logger: Logger,
  browserState: BrowserState | null,
): Promise<OpenMeeting> {
  const { job } = config
  let botImage: string | null = null
  try {
    if (job.bot_image) botImage = await loadBotImage(job.bot_image)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    control.report({ type: 'notice', level: 'warning', message: `bot_image is not shown: ${reason}` })
  }
  return openDriver({
    botName: job.bot_name,
    botImage,
    recordingMode: job.recording_mode,
    playout: job.streaming?.output ? 'live' : 'even',
    recordingConsent: job.recording_consent,
    hostMap: config.hostMap,
    chromium: config.chromium,
    browserPlugins: config.browserPlugins,
    browserState,
    conf: confCredentialsOf(job),
    logger: logger.child({ part: 'driver' }),
  })
}
