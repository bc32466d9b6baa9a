/** The command line's options as fields of the job. A whole job comes from `--job` or STANDIN_JOB; options go on top. */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { pictureDataUrl } from '../bot-image.ts'
import { InvalidJob } from '../config.ts'
import type { TranscriptionProvider } from '../wire/job.ts'

export interface JoinOptions {
  job?: string
  botId?: string
  name?: string
  mode?: string
  frameRate?: number
  notBefore?: string
  entryMessage?: string
  image?: string
  out?: string
  s3?: string
  s3Endpoint?: string
  s3Region?: string
  waitingRoomTimeout?: number
  noOneJoinedTimeout?: number
  silenceTimeout?: number
  recordingTimeout?: number
  controlPlane?: string
  confSdkId?: string
  confObfTokenUrl?: string
  confAccessTokenUrl?: string
  recordingConsent?: string
  browserState?: string
  streamInput?: string
  streamOutput?: string
  streamRate?: number
  separateTracks?: boolean
  transcribe?: boolean
  captions?: boolean
  transcriptionProvider?: TranscriptionProvider
  transcriptionLanguage?: string
}

/** The job as an unchecked document, to be checked as a whole; throws InvalidJob where a part cannot even be read. */
export function jobFrom(
  meetingUrl: string | undefined,
  options: JoinOptions,
  environment: Readonly<Record<string, string | undefined>>,
  readInput: () => string = () => readFileSync(0, 'utf8'),
): unknown {
  const given = wholeJob(options.job, environment.STANDIN_JOB, readInput)
  if (given !== null && (typeof given !== 'object' || Array.isArray(given)))
    throw new InvalidJob([{ path: '', message: 'the job must be a JSON object' }])
  const job: Record<string, unknown> = { bot_id: randomUUID(), ...given }
  const set = (field: string, value: unknown) => {
    if (value !== undefined) job[field] = value
  }
  set('meeting_url', meetingUrl)
  set('bot_id', options.botId)
  set('bot_name', options.name)
  set('recording_mode', options.mode)
  set('frame_rate', options.frameRate)
  set('not_before', options.notBefore)
  set('entry_message', options.entryMessage)
  set('recording_consent', options.recordingConsent)
  set('browser_state', options.browserState)
  set('separate_tracks', options.separateTracks)
  set('bot_image', options.image === undefined ? undefined : pictureFrom(options.image))
  const transcription = transcriptionFrom(options, job.transcription)
  if (transcription !== null) job.transcription = transcription
  const streaming = Object.entries({
    input: options.streamInput,
    output: options.streamOutput,
    audio_frequency: options.streamRate,
  }).filter(([, value]) => value !== undefined)
  if (streaming.length > 0)
    job.streaming = { ...(job.streaming as object | undefined), ...Object.fromEntries(streaming) }
  const timeouts = Object.entries({
    waiting_room_timeout: options.waitingRoomTimeout,
    no_one_joined_timeout: options.noOneJoinedTimeout,
    silence_timeout: options.silenceTimeout,
    recording_timeout: options.recordingTimeout,
  }).filter(([, value]) => value !== undefined)
  if (timeouts.length > 0)
    job.timeout_config = { ...(job.timeout_config as object | undefined), ...Object.fromEntries(timeouts) }
  if (options.out !== undefined && options.s3 !== undefined)
    throw new InvalidJob([{ path: 'storage', message: '--out and --s3 exclude each other' }])
  if (options.out !== undefined) job.storage = { type: 'folder', path: options.out }
  if (options.s3 !== undefined) job.storage = s3From(options, options.s3)
  set('conf_sdk_id', options.confSdkId)
  set('conf_obf_token_url', options.confObfTokenUrl)
  set('conf_access_token_url', options.confAccessTokenUrl)
  if (options.confSdkId !== undefined) {
    // Secrets stay off the command line, which every user of a machine can read.
    set('conf_sdk_pwd', environment.STANDIN_CONF_SDK_PWD)
    set('conf_obf_token', environment.STANDIN_CONF_OBF_TOKEN)
  }
  if (options.controlPlane !== undefined)
    job.control_plane = { url: options.controlPlane, token: environment.STANDIN_CONTROL_TOKEN ?? '' }
  return job
}

/** Null where no option speaks of transcripts. Who wants to read along without naming a provider gets captions. */
function transcriptionFrom(options: JoinOptions, job: unknown): Record<string, unknown> | null {
  const { transcribe, captions, transcriptionProvider, transcriptionLanguage: language } = options
  if (!transcribe && !captions && transcriptionProvider === undefined && language === undefined) return null
  const given = { ...(job as Record<string, unknown> | null | undefined) }
  const provider = transcriptionProvider ?? given.provider ?? (captions && !transcribe ? 'captions' : undefined)
  if (provider !== undefined) given.provider = provider
  if (captions && given.mode === undefined && provider !== 'captions')
    given.mode = transcribe ? 'live_and_after' : 'live'
  if (language !== undefined)
    given.custom_params = { ...(given.custom_params as object | undefined), ...languageParam(provider, language) }
  return given
}

/** Each service has a name of its own for it. */
export function languageParam(provider: unknown, language: string): Record<string, string> {
  return provider === 'assemblyai' ? { language_code: language } : { language }
}

function wholeJob(option: string | undefined, variable: string | undefined, readInput: () => string): unknown {
  const [source, text] = option === undefined ? ['STANDIN_JOB', variable] : ['--job', readJob(option, readInput)]
  if (text === undefined || text === '') return null
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new InvalidJob([{ path: source, message: `not valid JSON: ${(error as Error).message}` }])
  }
}

function readJob(option: string, readInput: () => string): string {
  try {
    return option === '-' ? readInput() : readFileSync(option, 'utf8')
  } catch (error) {
    throw new InvalidJob([{ path: '--job', message: (error as Error).message }])
  }
}

/** A picture from the terminal may be a file; in a job it is an address or a data: URL. */
function pictureFrom(image: string): string {
  if (/^(https?|data):/i.test(image)) return image
  try {
    return pictureDataUrl(readFileSync(image))
  } catch (error) {
    throw new InvalidJob([{ path: '--image', message: (error as Error).message }])
  }
}

function s3From(options: JoinOptions, address: string): Record<string, unknown> {
  const match = /^s3:\/\/(?<bucket>[^/]+)\/?(?<prefix>.*)$/.exec(address)
  if (match === null) throw new InvalidJob([{ path: '--s3', message: 'must be s3://bucket/prefix' }])
  return {
    type: 's3',
    bucket: match.groups!.bucket,
    prefix: match.groups!.prefix,
    ...(options.s3Endpoint === undefined ? {} : { endpoint: options.s3Endpoint }),
    ...(options.s3Region === undefined ? {} : { region: options.s3Region }),
  }
}
