/**
 * Keys of S3 for the files of one attempt. The service assumes a role whose rights a session policy narrows to the prefix of
 * the attempt, so a bot that was taken over reaches no file of another bot.
 */
import { AbortMultipartUploadCommand, CreateMultipartUploadCommand } from '@aws-sdk/client-s3'
import type { StorageKeys } from '@standin/wire/job.ts'
import type { PrefixKeys } from '../platform/ports.ts'
import { createClient, type S3Settings } from './s3-store.ts'

/** The limit of a role that assumes another one, and of each role whose limit was not raised. */
const SECONDS = 3600
/** A bot that asks on and on costs one request a minute. */
const SAME_KEYS_MS = 60_000
const SETTING = 'STANDIN_STORAGE_ROLE'
/** No bot has this id. */
const NOBODY = '.standin-check'

export interface OpenedPrefixKeys {
  give: PrefixKeys
  /** Rejects with a sentence if the provider gives no keys, or keys that open too little or too much. */
  check(): Promise<void>
  close(): void
}

export async function openPrefixKeys(settings: S3Settings & { roleArn: string }): Promise<OpenedPrefixKeys> {
  const { roleArn, bucket, endpoint, stsEndpoint = endpoint, accessKeyId, secretAccessKey, sessionToken } = settings
  const root = settings.prefix === '' ? '' : `${settings.prefix}/`
  if (/[*?$]/.test(root))
    throw new Error(`The prefix of STANDIN_STORAGE holds *, ? or $, so no policy of ${SETTING} can name it`)
  // Loaded only with the setting.
  const { AssumeRoleCommand, STSClient } = await import('@aws-sdk/client-sts')
  const client = new STSClient({
    endpoint: stsEndpoint,
    region: settings.region ?? (stsEndpoint === undefined ? undefined : 'us-east-1'),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && { credentials: { accessKeyId, secretAccessKey, sessionToken } }),
  })
  const given = new Map<string, Promise<StorageKeys>>()

  async function assume(botId: string, attempt: number): Promise<StorageKeys> {
    const Policy = sessionPolicy(roleArn, bucket, `${root}${botId}/${attempt}`)
    const session = { RoleArn: roleArn, RoleSessionName: `${botId}-${attempt}`, DurationSeconds: SECONDS, Policy }
    const { Credentials: keys } = await client.send(new AssumeRoleCommand(session)).catch((cause: Error) => {
      throw new Error(sentenceOf(cause), { cause })
    })
    if (!keys?.AccessKeyId || !keys.SecretAccessKey || !keys.SessionToken || !keys.Expiration)
      throw new Error(`The answer of STS holds no keys. ${NO_STS}`)
    return {
      access_key_id: keys.AccessKeyId,
      secret_access_key: keys.SecretAccessKey,
      session_token: keys.SessionToken,
      keys_end_at: keys.Expiration.toISOString(),
    }
  }

  function give(botId: string, attempt: number): Promise<StorageKeys> {
    const place = `${botId}/${attempt}`
    const known = given.get(place)
    if (known !== undefined) return known
    const keys = assume(botId, attempt)
    given.set(place, keys)
    const forget = () => given.delete(place)
    setTimeout(forget, SAME_KEYS_MS).unref()
    keys.catch(forget)
    return keys
  }

  /** Whether an upload can be begun with these keys; null, or why not. Leaves nothing. */
  async function refusalOf(keys: StorageKeys, attempt: number): Promise<string | null> {
    const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = keys
    const narrow = createClient({ ...settings, accessKeyId, secretAccessKey, sessionToken })
    const at = { Bucket: bucket, Key: `${root}${NOBODY}/${attempt}/upload` }
    try {
      const { UploadId } = await narrow.send(new CreateMultipartUploadCommand(at))
      await narrow.send(new AbortMultipartUploadCommand({ ...at, UploadId }))
      return null
    } catch (error) {
      return (error as Error).name
    } finally {
      narrow.destroy()
    }
  }

  return {
    give,
    async check() {
      const keys = await assume(NOBODY, 1)
      const refusal = await refusalOf(keys, 1)
      if (refusal !== null)
        throw new Error(
          `The role of ${SETTING} cannot write below s3://${bucket}/${root} (${refusal}): its policy has to allow it`,
        )
      if ((await refusalOf(keys, 2)) === null)
        throw new Error(
          `The provider gives keys that open more than one bot's files: it ignores session policies. Unset ${SETTING}`,
        )
    },
    close: () => client.destroy(),
  }
}

/**
 * The rights that the worker uses below its prefix (docs/storage.md); it deletes only small objects beside a recording that
 * grows, but radosgw does not match a pattern such as `*.recovery*`.
 */
function sessionPolicy(roleArn: string, bucket: string, prefix: string): string {
  const actions = ['GetObject', 'PutObject', 'DeleteObject', 'AbortMultipartUpload', 'ListMultipartUploadParts']
  const Resource = `arn:${roleArn.split(':')[1]}:s3:::${bucket}/${prefix}/*`
  const statement = { Effect: 'Allow', Action: actions.map((action) => `s3:${action}`), Resource }
  return JSON.stringify({ Version: '2012-10-17', Statement: [statement] })
}

const NO_STS = `The role may not exist, or the provider has no STS (then unset ${SETTING}) or has it elsewhere (AWS_ENDPOINT_URL_STS)`

/** The provider's own words may name accounts, and callers see this sentence. */
function sentenceOf({ name, $response }: Error & { $response?: { statusCode?: number } }): string {
  const status = $response?.statusCode
  const said = [name, status].filter(Boolean).join(' ')
  return status === 401 || status === 403
    ? `STS refuses the role of ${SETTING} (${said}): its trust policy has to name the identity of the service, which needs the right sts:AssumeRole`
    : `STS gives no keys for the role of ${SETTING} (${said}). ${NO_STS}`
}
