/** The service's settings for a bot in a container of any engine: labels, variables, and keys inside its job. */
import { operatorKeyOf } from '@standin/wire/agent.ts'
import type { Job } from '@standin/wire/job.ts'
import { containerEnvironment, permittedAddresses } from './bot-environment.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The worker's work folder in its image. */
export const WORK_FOLDER = '/recordings'

export const LABELS = {
  bot: 'standin.bot',
  attempt: 'standin.attempt',
  installation: 'standin.installation',
  mode: 'standin.mode',
} as const

/** Where a container fetches its job, and the token that serves once. */
export interface JobAddress {
  url: string
  token: string
}

/** Nothing secret but the token, which is worth nothing once the bot has its job. */
export function containerVariables(job: Job, address: JobAddress, environment: Environment): Record<string, string> {
  return {
    ...containerEnvironment(environment),
    STANDIN_PRIVATE_ADDRESSES: permittedAddresses(environment, job),
    STANDIN_WORK_FOLDER: WORK_FOLDER,
    STANDIN_JOB_URL: address.url,
    STANDIN_JOB_TOKEN: address.token,
  }
}

/**
 * The operator's keys as parts of the job: the variables of a container, and of a process, can be read by others.
 */
export function withOperatorKeys(given: Job, environment: Environment): Job {
  const voiceKey = environment.STANDIN_VOICE_URL && environment.STANDIN_VOICE_KEY
  const { agent } = given
  const agentKey = agent && !agent.api_key ? operatorKeyOf(agent, environment) : null
  const job: Job = {
    ...given,
    ...(voiceKey && { voice_api_key: voiceKey }),
    ...(agent && agentKey && { agent: { ...agent, api_key: agentKey } }),
  }
  const { transcription } = job
  if (!transcription || transcription.api_key) return job
  const names = {
    Default: 'STANDIN_TRANSCRIPTION_KEY',
    local: null,
    deepgram: 'STANDIN_DEEPGRAM_KEY',
    assemblyai: 'STANDIN_ASSEMBLYAI_KEY',
    captions: null,
  } as const
  const name = names[transcription.provider]
  const key = name === null ? undefined : environment[name]
  return key ? { ...job, transcription: { ...transcription, api_key: key } } : job
}
