/** The composition root: takes a checked configuration, makes the real parts, runs one life and says how it ended. */
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { NumberedEvent, Transcript } from '@standin/wire/events.ts'
import { imagesOf, type Job } from '@standin/wire/job.ts'
import { hasSoundInTracks, openDriver, recognizeMeeting } from '../platforms/index.ts'
import { createRecorder, indexBody } from '../recorder/index.ts'
import { createVoiceTracks } from '../recorder/voice-tracks.ts'
import { writeReport } from '../report/index.ts'
import {
  type Abandoned,
  type BucketRecovery,
  listAbandoned,
  openStorage,
  parseS3Address,
  type Recovered,
  readS3Object,
  recoverBucket,
  recoverSpool,
  type StorageConfig,
} from '../storage/index.ts'
import { createStreaming, type HearingStreaming, hearStage } from '../streaming/index.ts'
import {
  createAssemblyAi,
  createDeepgram,
  createOpenAiCompatible,
  finishTranscript,
  LiveTranscription,
  readSpoken,
  type SpeechProvider,
  transcribe,
  writeLiveTranscript,
} from '../transcription/index.ts'
import { lookupFor } from './address-policy.ts'
import { loadBotImage } from './bot-image.ts'
import { openSessionOnce, type SessionOnce } from './browser/session.ts'
import type { ReadObject } from './browser/state.ts'
import { openView } from './cli/open-view.ts'
import { systemClock } from './clock.ts'
import { confCredentialsOf } from './conf-credentials.ts'
import { type BotConfig, InvalidJob } from './config.ts'
import { openControlLink } from './control-link/client.ts'
import { type CommandedControlPlane, createLocalControlPlane } from './control-link/local.ts'
import { freshTokensOf, withFreshTokens } from './fresh-tokens.ts'
import { registerSecrets } from './known-secrets.ts'
import { LastResort } from './last-resort.ts'
import { LOG_NAME, setAsideEarlier } from './life/artifacts.ts'
import { runBot } from './life/bot.ts'
import { type LeftBehind, storeLeftBehind } from './life/left-behind.ts'
import { offsetAt } from './life/recording-clock.ts'
import { createLogger, type Logger, logFile } from './logger.ts'
import { makeBotFolder } from './make-folder.ts'
import type { ControlPlane, Ears, LiveTranscript, OpenMeeting, Transcribe, VoiceTracks } from './ports.ts'
import { fetchPublic } from './safe-fetch.ts'
import type { SpeechAccess } from './speech-access.ts'
import { StopRequests } from './stop-requests.ts'

export { recognizeMeeting }

/** What is finished for a dead bot of the same id holds up the new one for no longer, where a server is asked. */
const EARLIER_MS = 60_000
/** Of this, to make an index again, which means reading what is stored; without it the file plays by its fragments. */
const EARLIER_INDEX_MS = 15_000

/** Speech services know speech by it; more costs and brings nothing. */
const LIVE_SAMPLE_RATE = 16_000

/** The process's edges, so that a demo or a test can run a life in another process's skin. */
export interface Io {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WritableStream
  environment: Readonly<Record<string, string | undefined>>
}

/** Resolves with the exit code. Throws InvalidJob where the job's place for files cannot be used. */
export async function runConfig(config: BotConfig, io: Io, asJson: boolean): Promise<number> {
  const stops = new StopRequests()
  const unhear = stops.hear()
  try {
    return await runHeard(config, io, asJson, stops)
  } finally {
    unhear()
  }
}

/** So that the lines of a bot are found from its trace. */
function traceOf({ traceparent }: Job): { traceId?: string } {
  return traceparent ? { traceId: traceparent.split('-')[1]! } : {}
}

/** The same, while stop requests are heard. */
async function runHeard(config: BotConfig, io: Io, asJson: boolean, stops: StopRequests): Promise<number> {
  const { job, workFolder } = config
  await asJobProblem(makeBotFolder(workFolder))
  registerSecrets(job, { url: config.target.url }, config.transcription)
  const log = await asJobProblem(Promise.try(() => logFile(join(workFolder, LOG_NAME))))
  const logger = createLogger(log, config.logLevel).child({ botId: job.bot_id, ...traceOf(job) })
  // Before the control link: its journal is in the same folder, and an earlier bot that still runs writes to it.
  const earlierNotices = await asJobProblem(finishEarlier(config, logger, stops.signal))
  const earlier = await asJobProblem(setAsideEarlier(workFolder))
  if (earlier !== null) logger.warn('A bot of this id was here before; its files were set aside', { folder: earlier })
  const lastResort = new LastResort()
  const onRetry = (notice: object) => logger.warn('Storing is tried again', { ...notice })
  const storage = await asJobProblem(
    Promise.try(() =>
      openStorage(
        job.storage,
        { botId: job.bot_id, workFolder },
        { onRetry, ...lookupFor(config, 'storage.endpoint') },
      ),
    ),
  )
  const control = openControl(config, logger, {
    onEvent: (event) => view.take(event),
    onPartial: (partial) => view.show(partial),
  })
  const view = openView(io, asJson, {
    command: (command) => control.submit(command),
    interrupt: () => stops.interrupt(),
  })
  for (const message of earlierNotices) control.report({ type: 'notice', level: 'warning', message })
  const session = storedSession(config)
  try {
    const recorder = createRecorder({
      mode: job.recording_mode,
      framesPerSecond: job.frame_rate,
      folder: workFolder,
      grow: (file) => storage.grow(file, new AbortController().signal),
      longestSeconds: job.timeout_config.recording_timeout,
      logger: logger.child({ part: 'recorder' }),
      clock: systemClock,
      withVoice: streams(job),
      isHeardLive: Boolean(job.streaming?.output) || job.separate_tracks,
    })
    const streaming = openStreaming(config, control, logger)
    recorder.watch((event) => {
      if (event.type === 'sound') streaming?.noteStage(event.isAudible, event.at)
    })
    const voiceTracks = job.separate_tracks
      ? createVoiceTracks({
          folder: workFolder,
          offsetAt: (at) => offsetAt(recorder.spans(), at),
          logger: logger.child({ part: 'voice-tracks' }),
        })
      : null
    const ears = earsOf(streaming, voiceTracks, config)
    const { report, exitCode } = await runBot(job, config.target, {
      clock: systemClock,
      logger,
      workFolder,
      storage,
      streaming,
      voiceTracks,
      ...openTranscription(config, control, logger),
      writeReport,
      control,
      recorder,
      openMeeting: meetingOpener(config, control, logger, session, ears),
      onStopRequest: (listener) => stops.listen(listener),
      onDefect: (listener) => lastResort.listen(listener),
    })
    view.close()
    // What could not be stored elsewhere is still here.
    const place = existsSync(workFolder) ? workFolder : storage.location()
    view.note(`${report.duration_seconds === null ? 'What happened' : 'The recording'} is in ${place}`)
    return exitCode
  } finally {
    view.close()
    lastResort.stop()
    await session.dispose()
  }
}

/**
 * A bot of this id that died here is finished before anything of its name is begun. Resolves with what the control plane
 * should know of it. Rejects where that bot may still live.
 */
async function finishEarlier(config: BotConfig, logger: Logger, stopped: AbortSignal): Promise<string[]> {
  const { job, workFolder } = config
  const inBucket = job.storage.type === 's3' ? job.storage : null
  const { files, problems } = await recoverFolder(workFolder, {
    credentials: {
      access_key_id: inBucket?.access_key_id,
      secret_access_key: inBucket?.secret_access_key,
      session_token: inBucket?.session_token,
    },
    // In a folder the files are set aside with all others of the earlier life.
    asEarlier: inBucket !== null,
    indexLimitMs: EARLIER_INDEX_MS,
    endpoint: inBucket?.endpoint ?? null,
    tuning: lookupFor(config, 'storage.endpoint'),
    signal: inBucket === null ? stopped : AbortSignal.any([stopped, AbortSignal.timeout(EARLIER_MS)]),
  })
  for (const { name, error } of problems)
    logger.error('What an earlier bot of this id left is not finished', { name, error })
  return [
    ...files.map(
      ({ location, bytes }) => `What an earlier bot of this id left was finished: ${location}, ${bytes} bytes.`,
    ),
    ...problems.map(
      ({ name }) => `What an earlier bot of this id left is not finished: ${name}. "standin recover" may do it.`,
    ),
  ]
}

type FolderOptions = Omit<Parameters<typeof recoverSpool>[1], 'format'>

/** Finishes what a dead bot left in its folder. Rejects where it may still be alive. */
export function recoverFolder(folder: string, options: FolderOptions): Promise<Recovered> {
  return recoverSpool(folder, { ...options, format: { indexBody } })
}

/** The same for a bot that does not come back: what lies beside a recording in S3 is stored with it. */
export async function recoverForGood(folder: string, options: FolderOptions): Promise<Recovered & LeftBehind> {
  const recovered = await recoverFolder(folder, options)
  if (recovered.bucket === undefined) return { ...recovered, beside: [] }
  const storage = openStorage({ ...recovered.bucket, ...options.credentials }, { botId: basename(folder) })
  // An older recording than the one of that name lies in a folder of its own.
  const under = dirname(recovered.files[0]?.name ?? '')
  const { beside, problems } = await storeLeftBehind(folder, storage, under === '.' ? '' : `${under}/`, options.signal)
  return { ...recovered, beside, problems: [...recovered.problems, ...problems] }
}

type BucketOptions = Omit<BucketRecovery, 'format'>
type BucketPlace = Extract<StorageConfig, { type: 's3' }>

/** Recordings in a bucket whose bots gave no sign of life for long. */
export function listAbandonedIn(place: BucketPlace, options: BucketOptions): Promise<Abandoned[]> {
  return listAbandoned(place, options)
}

/** Finishes them. */
export function recoverIn(place: BucketPlace, options: BucketOptions): Promise<Recovered> {
  return recoverBucket(place, { ...options, format: { indexBody } })
}

/** A place that cannot be used is a mistake of the job, told before anything starts. */
async function asJobProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new InvalidJob([{ path: 'storage', message: error instanceof Error ? error.message : String(error) }])
  }
}

const TOKEN_FIELDS = [
  'conf_config.obf_token_url',
  'conf_config.zak_token_url',
  'conf_obf_token_url',
  'conf_access_token_url',
] as const

function streams(job: Job): job is Job & { streaming: NonNullable<Job['streaming']> } {
  return Boolean(job.streaming?.input || job.streaming?.output)
}

/** Who hears what the meeting's page hears; null where nobody does. */
function earsOf(
  streaming: HearingStreaming | null,
  voiceTracks: VoiceTracks | null,
  { job, target }: BotConfig,
): Ears | null {
  const mixRate =
    streaming && job.streaming?.output && hasSoundInTracks(target.platform) ? job.streaming.audio_frequency : null
  if (mixRate === null && voiceTracks === null) return null
  return {
    mixRate,
    wantsVoices: voiceTracks !== null,
    takeMix: (sound) => streaming?.hear(sound),
    takeVoice: (voice) => voiceTracks?.take(voice),
  }
}

function openStreaming(config: BotConfig, control: ControlPlane, logger: Logger): HearingStreaming | null {
  const { job, target, workFolder } = config
  if (!streams(job)) return null
  const { input, output, audio_frequency: sampleRate, set_up_timeout: setUpSeconds } = job.streaming
  return createStreaming({
    input: input ?? null,
    output: output ?? null,
    sampleRate,
    hearsPage: hasSoundInTracks(target.platform),
    setUpMs: setUpSeconds * 1000,
    isRequired: job.streaming.is_required,
    botId: job.bot_id,
    folder: workFolder,
    clock: systemClock,
    logger: logger.child({ part: 'streaming' }),
    dialing: lookupFor(config, 'streaming.input', 'streaming.output'),
    notice: (message) => control.report({ type: 'notice', level: 'warning', message }),
  })
}

function openTranscription(
  { job, transcription: plan, workFolder }: BotConfig,
  control: ControlPlane,
  logger: Logger,
): { liveTranscript: LiveTranscript | null; transcribe: Transcribe | null } {
  if (plan === null) return { liveTranscript: null, transcribe: null }
  const { access, isLive, isAfterwards } = plan
  const provider = speechProvider(access, job.transcription?.custom_params ?? {})
  const notice = (message: string) => control.report({ type: 'notice', level: 'warning', message })
  const live = isLive
    ? new LiveTranscription({
        recognition: provider.live,
        hear: hearStage,
        sampleRate: LIVE_SAMPLE_RATE,
        folder: workFolder,
        clock: systemClock,
        logger: logger.child({ part: 'transcription' }),
        notice,
        tell: (words) => (words.is_final ? control.report({ ...words, is_final: true }) : control.show(words)),
      })
    : null
  return {
    liveTranscript: live,
    async transcribe(folder, signal) {
      const heard = live?.result() ?? null
      const { key } = access
      await finishTranscript(folder, { botId: job.bot_id, provider, key, live: heard, isAfterwards, notice, signal })
    },
  }
}

function speechProvider(access: SpeechAccess, customParams: Readonly<Record<string, unknown>>): SpeechProvider {
  switch (access.provider) {
    case 'Default':
      return createOpenAiCompatible({ ...access, customParams })
    case 'deepgram':
      return createDeepgram({ ...access, customParams })
    case 'assemblyai':
      return createAssemblyAi({ ...access, customParams })
    case 'captions':
      return { name: 'captions', afterwards: null, live: null }
  }
}

/** Makes the transcript of a recording's folder; resolves with the number of utterances. */
export async function transcribeFolder(
  folder: string,
  options: { botId: string; access: SpeechAccess; customParams: Record<string, unknown>; signal: AbortSignal },
): Promise<number> {
  const { botId, access, customParams, signal } = options
  const { key } = access
  const provider = speechProvider(access, customParams)
  if (provider.afterwards !== null) return transcribe(folder, { botId, provider, key, signal })
  const live = await readSpoken(folder)
  return writeLiveTranscript(folder, { botId, provider: provider.name, key, live, signal })
}

function openControl(
  config: BotConfig,
  logger: Logger,
  watchers: { onEvent(event: NumberedEvent): void; onPartial(partial: Transcript): void },
): CommandedControlPlane {
  const { job, workFolder } = config
  const part = logger.child({ part: 'control-link' })
  const common = { botId: job.bot_id, folder: workFolder, logger: part, ...watchers }
  if (!job.control_plane) return createLocalControlPlane(common)
  const { url, token } = job.control_plane
  return openControlLink({ ...common, ...lookupFor(config, 'control_plane.url'), url, token })
}

/** The stored session that the job names. It is read by the first attempt to join, when stop requests and the control link work. */
function storedSession(config: BotConfig): SessionOnce {
  const { job } = config
  /** An object is read with the rights that the job's own storage has, or those of the environment. */
  const readObject: ReadObject = (address, maxBytes, signal) => {
    const { bucket, prefix: key } = parseS3Address(address)
    const place = job.storage.type === 's3' ? job.storage : { type: 's3' as const }
    return readS3Object({ ...place, bucket }, key, maxBytes, signal, lookupFor(config, 'storage.endpoint'))
  }
  return openSessionOnce(job.browser_state ?? null, readObject)
}

function meetingOpener(
  config: BotConfig,
  control: CommandedControlPlane,
  logger: Logger,
  session: SessionOnce,
  ears: Ears | null,
): OpenMeeting {
  const { job } = config
  const freshTokens = freshTokensOf(job, () => control.askForToken())
  let botImages: Promise<(string | null)[]> | null = null
  return async (target, stage, signal) => {
    const browserState = await session.load(signal)
    botImages ??= shownImages(config, control)
    const open = openDriver({
      botName: job.bot_name,
      botImages: await botImages,
      recordingMode: job.recording_mode,
      playout: job.streaming?.output ? 'live' : 'even',
      ears,
      captions: config.transcription?.access.provider === 'captions',
      recordingConsent: job.recording_consent,
      hostMap: config.hostMap,
      chromium: config.chromium,
      browserPlugins: config.browserPlugins,
      browserState,
      conf: withFreshTokens(confCredentialsOf(job), freshTokens),
      fetchToken: (address, limits) =>
        fetchPublic(
          address,
          limits,
          TOKEN_FIELDS.some((field) => config.permitted.has(field)),
        ),
      logger: logger.child({ part: 'driver' }),
    })
    return open(target, stage, signal)
  }
}

/** In place of a picture that cannot be loaded stands null: the bot joins without it. */
function shownImages({ job, permitted }: BotConfig, control: ControlPlane): Promise<(string | null)[]> {
  return Promise.all(
    imagesOf(job).map((image) =>
      loadBotImage(image, permitted.has('bot_image')).catch((error) => {
        const reason = error instanceof Error ? error.message : String(error)
        control.report({ type: 'notice', level: 'warning', message: `bot_image is not shown: ${reason}` })
        return null
      }),
    ),
  )
}
