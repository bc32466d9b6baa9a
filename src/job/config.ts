/** Reads the job and the environment once, and reports all problems together. No other module reads the environment. */

import { resolve } from 'node:path'
import { type AgentAccess, agentAccessOf } from '@standin/wire/agent.ts'
import { pagesOf } from '@standin/wire/bot-fields.ts'
import { type Job, jobSchema, type Problem, problemsOf } from '@standin/wire/job.ts'
import { readMeeting } from '@standin/wire/meeting-links/index.ts'
import { type HostMapping, readHostMapping } from '@standin/wire/network/host-mapping.ts'
import { chromiumOf } from '@standin/wire/process/chromium.ts'
import { type TranscriptionPlan, transcriptionPlanOf } from '@standin/wire/speech-access.ts'
import { type VoiceAccess, voiceAccessOf } from '@standin/wire/voice-access.ts'
import { z } from 'zod'
import { confProblems } from '../../packages/core/conf-credentials.ts'
import type { LogLevel } from '../../packages/core/logger.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'
import {
  type AddressField,
  addressProblems,
  credentialProblems,
  isPermittedAddress,
  permittedFields,
} from '../../packages/core/network/address-policy.ts'
import { userWorkFolder } from '../../packages/core/process/mkdirs.ts'

export interface BotConfig {
  job: Job
  target: MeetingTarget
  /** Absolute; holds the recording while it is made, and for good where storage is a folder. */
  workFolder: string
  hostMap: readonly HostMapping[]
  /** The browser's binary; null for Debian's own. */
  chromium: string | null
  browserPlugins: readonly string[]
  /** Fields whose addresses may be private and without TLS. */
  permitted: ReadonlySet<AddressField>
  /** Whether the page of the meeting may reach private addresses, too. */
  mayReachPrivate: boolean
  /** Whether a page that the bot shows may reach the host of this address even if it is private or without TLS. */
  mayShow: (address: string) => boolean
  /** Null if the job asks for no transcript. */
  transcription: TranscriptionPlan | null
  voice: VoiceAccess
  /** The folder of a model that tells people of one microphone apart; null: they are one. */
  speakers: string | null
  /** Null if the job asks for no agent. */
  agent: AgentAccess | null
  /** A file, used if the job holds no words. */
  words: string | null
  logLevel: LogLevel
}

/** A bot is started minutes before its meeting; an instant further ahead is a mistake of the job. */
const MAX_AHEAD_MS = 24 * 3_600_000

export interface Settings {
  /** The job as it came: parsed JSON and options laid over it. */
  job: unknown
  /** As typed: `host=ip:port`. */
  hostMap: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
  /** UTC milliseconds; absent: the system's clock. */
  now?: number
  /** Fields whose addresses a person typed at the terminal of this machine. */
  typed?: readonly AddressField[]
  /** A file of words, as typed; overrides STANDIN_WORDS. */
  words?: string
  /** Hosts that run Jitsi Meet, as typed; those of STANDIN_JITSI_HOSTS are added. */
  jitsiHosts?: readonly string[]
}

/** Jobs that cannot be run; exit code 2. */
export class InvalidJob extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join('\n'))
    this.name = 'InvalidJob'
    this.problems = problems
  }
}

/** Throws InvalidJob with all problems. */
export function readConfig(settings: Settings): BotConfig {
  const problems: Problem[] = []
  const { environment } = settings
  const hostMap = settings.hostMap.flatMap((text) => {
    const mapping = readHostMapping(text)
    if (mapping === null) problems.push({ path: '--map-host', message: `"${text}" is not host=ip:port` })
    return mapping ?? []
  })
  const jitsiHosts = [...(settings.jitsiHosts ?? []), ...wordsOf(environment.STANDIN_JITSI_HOSTS)]
  const logLevel = oneOf(environment.STANDIN_LOG_LEVEL ?? 'info', ['debug', 'info', 'warn', 'error'] as const)
  if (logLevel === null) problems.push({ path: 'STANDIN_LOG_LEVEL', message: 'must be debug, info, warn or error' })

  const words = settings.words ?? (environment.STANDIN_WORDS || null)

  const typed = settings.typed ?? []
  const parsed = jobSchema.safeParse(settings.job)
  if (!parsed.success) problems.push(...problemsOf(parsed.error))
  else problems.push(...tooFarAhead(parsed.data, settings.now ?? Date.now()))
  const permitted = parsed.success ? permittedFields(parsed.data, environment, typed) : new Set<AddressField>()
  if (parsed.success) problems.push(...addressProblems(parsed.data, permitted))
  if (parsed.success) problems.push(...credentialProblems(parsed.data, environment, typed))
  const transcription = parsed.success ? transcriptionPlanOf(parsed.data, environment, problems) : null
  const voice = voiceAccessOf(parsed.success ? parsed.data : {}, environment, problems)
  const agent = parsed.success && parsed.data.agent ? agentAccessOf(parsed.data.agent, environment, problems) : null
  const meetingUrl = parsed.success ? parsed.data.meeting_url : meetingUrlOf(settings.job)
  const target = meetingUrl === null ? null : readMeeting(meetingUrl, { jitsiHosts })
  if (target !== null && 'problem' in target) problems.push({ path: 'meeting_url', message: target.problem })
  if (parsed.success && target !== null && 'platform' in target)
    problems.push(...confProblems(parsed.data, target.platform))

  if (!parsed.success || target === null || 'problem' in target || logLevel === null || problems.length > 0)
    throw new InvalidJob(problems)
  return Object.freeze({
    job: withBotNames(parsed.data, wordsOf(environment.STANDIN_BOT_NAMES)),
    target,
    workFolder: workFolderOf(parsed.data, environment),
    hostMap,
    chromium: chromiumOf(environment),
    browserPlugins: wordsOf(environment.STANDIN_BROWSER_PLUGINS),
    permitted,
    mayReachPrivate: isPermittedAddress(target.url, environment),
    mayShow: (address: string) => isPermittedAddress(address, environment) || isPageOf(parsed.data, permitted, address),
    transcription,
    voice,
    speakers: environment.STANDIN_SPEAKER_MODEL || null,
    agent,
    words,
    logLevel,
  })
}

/** Whether this is the host of a page of the job, which is permitted. */
function isPageOf({ output_media: media }: Job, permitted: ReadonlySet<AddressField>, address: string): boolean {
  const { host } = new URL(address)
  return pagesOf(media).some(
    ([target, url]) => permitted.has(`output_media.${target}.url`) && new URL(url).host === host,
  )
}

/** The link of a job that has other problems, so that all are reported together; null if the link itself is one. */
function meetingUrlOf(job: unknown): string | null {
  const parsed = z.object({ meeting_url: jobSchema.shape.meeting_url }).safeParse(job)
  return parsed.success ? parsed.data.meeting_url : null
}

function tooFarAhead({ not_before: plannedAt }: Job, now: number): Problem[] {
  if (!plannedAt || Date.parse(plannedAt) - now <= MAX_AHEAD_MS) return []
  return [{ path: 'not_before', message: 'is more than 24 hours ahead; start the bot nearer to its meeting' }]
}

function workFolderOf(job: Job, environment: Settings['environment']): string {
  if (job.storage.type === 'folder') return resolve(job.storage.path, job.bot_id)
  return resolve(environment.STANDIN_WORK_FOLDER ?? userWorkFolder(), job.bot_id)
}

/** Names of bots that the operator knows are added to those of the job. */
function withBotNames(job: Job, names: readonly string[]): Job {
  const { timeout_config: limits } = job
  return { ...job, timeout_config: { ...limits, bot_names: [...limits.bot_names, ...names] } }
}

/** A list in a variable: separated by commas, spaces around them do not matter. */
function wordsOf(list: string | undefined): string[] {
  return (list ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function oneOf<T extends string>(text: string, words: readonly T[]): T | null {
  return words.find((word) => word === text) ?? null
}
