/**
 * Credentials for joining through a platform's SDK, collected from both generations of the interface and checked
 * together. Pure. Source: docs/connections.md#send-a-bot-with-it.
 */

import type { Job, Problem } from '@standin/wire/job.ts'
import type { PlatformName } from '@standin/wire/platforms.ts'

/**
 * A token in the job, an address that returns a new one for each attempt, or a source of tokens (`fresh-tokens.ts`).
 */
export type TokenOrigin = { value: string } | { url: string } | { next(): Promise<string> }

export interface ConfCredentials {
  sdkId: string
  sdkSecret: string
  /**
   * Joins on behalf of a user who has to be in the meeting. Goes before the access key; never both
   * (docs/platform-notes/zoom.md#which-token-a-meeting-needs).
   */
  onBehalfToken: TokenOrigin | null
  /** Joins as that user (ZAK). */
  accessKey: TokenOrigin | null
  /** Sent to the addresses that give tokens. */
  botId: string
  extra: Job['extra']
}

/** Longest query of a token address; servers refuse much longer ones. */
const MAX_EXTRA_IN_ADDRESS = 6000

const OLDER = [
  'conf_sdk_id',
  'conf_sdk_pwd',
  'conf_obf_token',
  'conf_obf_token_url',
  'conf_obf_token_user_id',
  'conf_access_token',
  'conf_access_token_url',
] as const

type ConfFields = Pick<Job, 'conf_config' | (typeof OLDER)[number]>

/** Null if the job names no SDK credentials: the bot is then an ordinary guest. */
export function confCredentialsOf(job: Job): ConfCredentials | null {
  const { conf_sdk_id: sdkId, conf_sdk_pwd: sdkSecret } = job
  if (!sdkId || !sdkSecret) return null
  const value = job.conf_config?.obf_token ?? job.conf_obf_token
  const url = job.conf_config?.obf_token_url ?? job.conf_obf_token_url
  const { conf_access_token: accessKey } = job
  const accessKeyUrl = job.conf_config?.zak_token_url ?? job.conf_access_token_url
  return {
    sdkId,
    sdkSecret,
    onBehalfToken: value ? { value } : url ? { url } : null,
    accessKey: accessKey ? { value: accessKey } : accessKeyUrl ? { url: accessKeyUrl } : null,
    botId: job.bot_id,
    extra: job.extra,
  }
}

/** Problems of the credentials, each with its path; empty if there is none. */
export function confProblems(job: Job, platform: PlatformName): Problem[] {
  const given = givenPaths(job)
  if (job.teams_token && platform !== 'teams')
    return [{ path: 'teams_token', message: 'belongs to Microsoft Teams; this link is of another platform' }]
  if (given.length === 0) return []
  if (platform !== 'zoom')
    return given.map((path) => ({ path, message: 'belongs to Zoom meetings; this link is of another platform' }))
  return [...twice(job), ...unresolved(job), ...withoutKeys(job, given), ...longExtra(job)]
}

function givenPaths(job: ConfFields): string[] {
  const newer = Object.entries(job.conf_config ?? {}).filter(([, value]) => value)
  return [...OLDER.filter((name) => job[name]), ...newer.map(([name]) => `conf_config.${name}`)]
}

/** The same thing by both names would leave open which one counts. */
function twice(job: ConfFields): Problem[] {
  const pairs = [
    ['conf_obf_token', 'obf_token'],
    ['conf_obf_token_url', 'obf_token_url'],
    ['conf_access_token_url', 'zak_token_url'],
  ] as const
  return pairs
    .filter(([older, newer]) => job[older] && job.conf_config?.[newer] && job[older] !== job.conf_config[newer])
    .map(([older, newer]) => ({ path: older, message: `differs from conf_config.${newer}; give one of them` }))
}

/** A worker has no store of credentials: who starts it puts their values into the job. */
function unresolved(job: ConfFields): Problem[] {
  const problems: Problem[] = []
  const byControlPlane = 'names a stored credential, which the control plane resolves; a worker needs'
  for (const name of ['credential_id', 'credential_user_id'] as const)
    if (job.conf_config?.[name] && !job.conf_sdk_id)
      problems.push({ path: `conf_config.${name}`, message: `${byControlPlane} conf_sdk_id and conf_sdk_pwd` })
  const hasToken =
    job.conf_obf_token || job.conf_obf_token_url || job.conf_config?.obf_token || job.conf_config?.obf_token_url
  if (job.conf_obf_token_user_id && !hasToken)
    problems.push({ path: 'conf_obf_token_user_id', message: `${byControlPlane} conf_obf_token or conf_obf_token_url` })
  return problems
}

/** Tokens complete the SDK's own credentials and are worth nothing without them. */
function withoutKeys(job: ConfFields, given: readonly string[]): Problem[] {
  if (job.conf_sdk_id || job.conf_sdk_pwd) return []
  return given
    .filter((path) => /token/.test(path) && !path.endsWith('user_id'))
    .map((path) => ({ path, message: 'needs conf_sdk_id and conf_sdk_pwd' }))
}

function longExtra(job: ConfFields & Pick<Job, 'extra'>): Problem[] {
  const asks = givenPaths(job).some((path) => path.endsWith('_url'))
  const length = job.extra ? encodeURIComponent(JSON.stringify(job.extra)).length : 0
  if (!asks || length <= MAX_EXTRA_IN_ADDRESS) return []
  return [{ path: 'extra', message: `is sent to the token's address and too long for it (${length} characters)` }]
}
