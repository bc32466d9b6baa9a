/**
 * Command line options as fields of the job. A complete job comes from one source; options override its
 * fields.
 */
import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { MAX_JOB_BYTES, type Problem } from '@standin/wire/job.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { ADDRESS_FIELDS, type AddressField, isPermittedAddress } from '../../packages/core/network/address-policy.ts'
import { pictureDataUrl } from '../job/bot-image.ts'
import { InvalidJob } from '../job/config.ts'
import { downloadJob } from './job-address.ts'
import { takeJobFile } from './job-file.ts'
import { FIELD_OPTIONS, type JoinOptions } from './join-options.ts'
import { s3AddressOf } from './s3-address.ts'
import { fileProblem } from './shown-text.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PLACE_OPTIONS = ['--job', '--job-url'] as const
const PLACE_VARIABLES = ['STANDIN_JOB', 'STANDIN_JOB_FILE', 'STANDIN_JOB_URL'] as const

/** The one place that a whole job is taken from. */
interface JobPlace {
  from: (typeof PLACE_OPTIONS)[number] | (typeof PLACE_VARIABLES)[number]
  value: string
}

/**
 * An option goes before the variables of the environment. Null if options alone describe the job. Throws InvalidJob where
 * two places are named.
 */
export function jobPlaceOf(
  { job, jobUrl }: { job?: string; jobUrl?: string },
  environment: Environment,
): JobPlace | null {
  const given: Partial<Record<JobPlace['from'], string | undefined>> = { '--job': job, '--job-url': jobUrl }
  const options = PLACE_OPTIONS.flatMap((from) => placeOf(from, given[from]))
  const variables = PLACE_VARIABLES.flatMap((from) => placeOf(from, environment[from] || undefined))
  const named = options.length > 0 ? options : variables
  const [first, second] = named
  if (first && second)
    throw new InvalidJob([{ path: second.from, message: `excludes ${first.from}; give one of them` }])
  return first ?? null
}

function placeOf(from: JobPlace['from'], value: string | undefined): JobPlace[] {
  return value === undefined ? [] : [{ from, value }]
}

/** Text of the job at an address; null if the job has another source. Throws InvalidJob. */
export async function downloadedJob(options: JoinOptions, environment: Environment): Promise<string | null> {
  const place = jobPlaceOf(options, environment)
  if (place?.from !== '--job-url' && place?.from !== 'STANDIN_JOB_URL') return null
  const trustsPrivate = URL.canParse(place.value) && isPermittedAddress(place.value, environment)
  return downloadJob({ url: place.value, token: environment.STANDIN_JOB_TOKEN, from: place.from, trustsPrivate })
}

/** The job as an unchecked document, to be checked as a whole; throws InvalidJob where a part cannot even be read. */
export function jobFrom(
  meetingUrl: string | undefined,
  options: JoinOptions,
  environment: Environment,
  readInput: () => string = () => readGivenFile('-'),
  downloaded: string | null = null,
): unknown {
  const given = wholeJob(options, environment, readInput, downloaded)
  if (given !== null && (typeof given !== 'object' || Array.isArray(given)))
    throw new InvalidJob([{ path: '', message: 'the job must be a JSON object' }])
  const job: Record<string, unknown> = { bot_id: randomUUID(), ...given }
  for (const { field: path, value } of fieldsOf(options)) {
    const [field, inner] = path.split('.') as [string, string?]
    job[field] = inner === undefined ? value : { ...(job[field] as object | undefined), [inner]: value }
  }
  if (options.account !== undefined) Object.assign(job, { browser_state: options.account, keeps_browser_state: true })
  if (options.image !== undefined) job.bot_image = pictureFrom(options.image)
  if (meetingUrl !== undefined) job.meeting_url = meetingUrl
  const transcription = transcriptionFrom(options, job.transcription)
  if (transcription !== null) job.transcription = transcription
  if (options.out !== undefined && options.s3 !== undefined)
    throw new InvalidJob([{ path: '--out', message: 'excludes --s3; give one of them' }])
  if (options.out !== undefined) job.storage = { type: 'folder', path: options.out }
  if (options.s3 !== undefined) job.storage = s3From(options, options.s3)
  if (options.confSdkId !== undefined) {
    // Secrets stay off the command line, which every user of a machine can read.
    job.conf_sdk_pwd = environment.STANDIN_CONF_SDK_PWD ?? job.conf_sdk_pwd
    job.conf_obf_token = environment.STANDIN_CONF_OBF_TOKEN ?? job.conf_obf_token
  }
  if (options.teamsTokenFile !== undefined) job.teams_token = tokenFrom(options.teamsTokenFile)
  if (options.controlPlane !== undefined)
    job.control_plane = { url: options.controlPlane, token: environment.STANDIN_CONTROL_TOKEN ?? '' }
  return job
}

/** The fields whose addresses come from options, so from the person at the terminal. */
export function typedFields(options: JoinOptions): AddressField[] {
  const given = fieldsOf(options).map(({ field }) => field)
  if (options.controlPlane !== undefined) given.push('control_plane.url')
  if (options.s3 !== undefined && options.s3Endpoint !== undefined) given.push('storage.endpoint')
  return ADDRESS_FIELDS.filter((field) => given.includes(field))
}

/** Problems with fields that came from options carry the names of the options. */
export function inTypedWords(problems: readonly Problem[], options: JoinOptions): Problem[] {
  const typed = FIELD_OPTIONS.filter(
    ({ option }) => (options as Record<string, unknown>)[option.attributeName()] !== undefined,
  )
  return problems.map(({ path, message }) => {
    const option = typed.find(({ field }) => field === path)?.option
    const isOut = path === 'storage' && options.out !== undefined
    return { path: isOut ? '--out' : (option?.long ?? path), message }
  })
}

/** The fields of the job that are set by one option each. */
function fieldsOf(options: Readonly<Record<string, unknown>>): { field: string; value: unknown }[] {
  const all = FIELD_OPTIONS.map(({ field, option }) => ({ field, value: options[option.attributeName()] }))
  return all.filter(({ value }) => value !== undefined)
}

/** Null if no option speaks of transcripts. Who wants to read along without naming a provider gets captions. */
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

/** Each service has its own name for the parameter. */
export function languageParam(provider: unknown, language: string): Record<string, string> {
  return provider === 'assemblyai' ? { language_code: language } : { language }
}

function wholeJob(
  options: JoinOptions,
  environment: Environment,
  readInput: () => string,
  downloaded: string | null,
): unknown {
  const place = jobPlaceOf(options, environment)
  if (place === null) return null
  const { from, value } = place
  const text =
    downloaded ??
    (from === '--job' ? readJob(value, readInput) : from === 'STANDIN_JOB_FILE' ? takeJobFile(value) : value)
  if (text === '') return null
  try {
    return parseJson(text)
  } catch (error) {
    // The parser quotes the text, which can be a secret; the position is enough to find the place.
    const position = /at position (?<number>\d+)/.exec((error as Error).message)?.groups?.number
    const place = position === undefined ? '' : ` (at character ${position})`
    throw new InvalidJob([{ path: from, message: `not valid JSON${place}` }])
  }
}

function readJob(option: string, readInput: () => string): string {
  try {
    return option === '-' ? readInput() : readGivenFile(option)
  } catch (error) {
    throw new InvalidJob([{ path: '--job', message: fileProblem(error, option) }])
  }
}

/** The text of a file that the command line names; `-` is standard input. */
export function readGivenFile(path: string): string {
  const file = path === '-' ? 0 : openSync(path, 'r')
  try {
    return readBounded(file)
  } finally {
    if (file !== 0) closeSync(file)
  }
}

/** Reads a job to its end, from a file or a pipe; throws if it is longer than a job can be. */
function readBounded(file: number): string {
  const chunks: Buffer[] = []
  for (let bytes = 0; ; ) {
    const chunk = Buffer.allocUnsafe(64 * 1024)
    const read = readSync(file, chunk)
    if (read === 0) return Buffer.concat(chunks).toString('utf8')
    chunks.push(chunk.subarray(0, read))
    bytes += read
    if (bytes > MAX_JOB_BYTES) throw new Error(`the job is larger than ${MAX_JOB_BYTES} bytes`)
  }
}

/** A picture from the terminal may be a file; in a job it is an address or a data: URL. */
function pictureFrom(image: string): string {
  if (/^(https?|data):/i.test(image)) return image
  try {
    return pictureDataUrl(readFileSync(image))
  } catch (error) {
    throw new InvalidJob([{ path: '--image', message: fileProblem(error, image) }])
  }
}

function tokenFrom(file: string): string {
  try {
    return readGivenFile(file).trim()
  } catch (error) {
    throw new InvalidJob([{ path: '--teams-token-file', message: fileProblem(error, file) }])
  }
}

function s3From(options: JoinOptions, address: string): Record<string, unknown> {
  return {
    type: 's3',
    ...s3AddressOf(address, '--s3'),
    ...(options.s3Endpoint === undefined ? {} : { endpoint: options.s3Endpoint }),
    ...(options.s3Region === undefined ? {} : { region: options.s3Region }),
  }
}
