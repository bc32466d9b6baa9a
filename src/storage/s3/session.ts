import type { LookupFunction } from 'node:net'
import {
  type $Command,
  S3Client,
  type S3ClientResolvedConfig,
  type ServiceInputTypes,
  type ServiceOutputTypes,
} from '@aws-sdk/client-s3'
import type { StorageKeys, storageSchema } from '@standin/wire/job.ts'
import { systemClock } from '@standin/wire/time/deadline.ts'
import type { z } from 'zod'
import type { Clock } from '../../../packages/core/ports.ts'
import { StorageError } from '../error.ts'
import { normalizePrefix } from '../names.ts'
import { GaveUp, type Patience, withRetries } from '../retry.ts'
import { explainS3Error, isCredentialTrouble, isTransientS3Error } from './errors.ts'
import { RenewedKeys } from './renewed-keys.ts'

/** The job's `storage` object, before or after its defaults were filled in. */
export type StorageConfig = z.input<typeof storageSchema>
export type S3Config = Extract<StorageConfig, { type: 's3' }>

/** Settings for tests and measurements; users never need them. */
export interface S3Tuning {
  /** Bytes of a part, and the largest file that goes up in one request. S3 wants 5 MiB at least. */
  partBytes: number
  /** Parts on their way at once; memory is this times `partBytes`. */
  partsInFlight: number
  /** For files: a server may be away for this long. */
  patience: Patience
  /** For the look before the recording, which is to fail early. */
  preparePatience: Patience
  connectMs: number
  /** Without a byte in either direction for this long, a request has failed. */
  idleMs: number
  /** The longest time of a single request. */
  requestMs: number
  /** For what has to happen after a stop: finishing the start of an upload, and aborting it. */
  cleanupMs: number
  clock: Clock
  /** Resolves the name of the endpoint; the system's own if it is left out. */
  lookup?: LookupFunction
  /** Asks for new keys if those of the job end. */
  freshKeys?: () => Promise<StorageKeys>
  /** Called at each retry; the texts contain no secrets. */
  onRetry: (notice: { step: string; key: string; attempt: number; delayMs: number; error: string }) => void
}

const MIB = 1024 * 1024
/** The provider of credentials is not asked as often as requests are retried. */
const ASK_ANEW_EVERY_MS = 5_000

const DEFAULT_TUNING: S3Tuning = {
  // 3 x 8 MiB is little beside a browser, and enough to fill 100 Mbit/s at 100 ms round trip.
  partBytes: 8 * MIB,
  partsInFlight: 3,
  patience: { firstDelayMs: 300, maxDelayMs: 15_000, totalMs: 180_000 },
  preparePatience: { firstDelayMs: 300, maxDelayMs: 3_000, totalMs: 15_000 },
  connectMs: 10_000,
  idleMs: 30_000,
  requestMs: 600_000,
  cleanupMs: 5_000,
  clock: systemClock,
  onRetry: () => {},
}

/** One request's circumstances: what it is for, on which key, and how long to insist. */
export interface Circumstances {
  /** As in "cannot <step>". */
  step: string
  key: string
  signal: AbortSignal
  patience?: Patience
  /** Further reasons to give up at once. */
  isHopeless?: (error: unknown) => boolean
  /** Further reasons to try again. */
  isPassing?: (error: unknown) => boolean
  /** Ends the pause before the next attempt. */
  hurry?: AbortSignal
  onRetry?: (error: StorageError) => void
}

type CommandOf<Input extends ServiceInputTypes, Output extends ServiceOutputTypes> = new (
  input: Input,
) => $Command<Input, Output, S3ClientResolvedConfig, ServiceInputTypes, ServiceOutputTypes>

/** One bucket with its client. Every request of storage goes through `request`. */
export class S3Session {
  #client: S3Client
  readonly #createClient: (() => S3Client) | null
  readonly #keys: RenewedKeys | null
  #askedAnewAt = 0
  readonly bucket: string
  readonly prefix: string
  readonly tuning: S3Tuning
  /** Whether to send and ask for `x-amz-checksum-*`, which some S3-compatible servers refuse. */
  readonly withChecksums: boolean
  /** Address and region for messages. */
  readonly #place: { bucket: string; endpoint: string | null; region: string | null; secrets: string[] }

  constructor(config: S3Config, tuning: Partial<S3Tuning> = {}) {
    this.tuning = { ...DEFAULT_TUNING, ...tuning }
    this.bucket = config.bucket
    this.prefix = normalizePrefix(config.prefix ?? '')
    this.withChecksums = config.checksums === 'when_supported'
    const secrets = [config.secret_access_key, config.session_token].filter((secret) => secret !== undefined)
    const endpoint = config.endpoint === undefined ? null : checkedEndpoint(config.endpoint)
    this.#place = { bucket: config.bucket, endpoint, region: config.region ?? null, secrets }
    this.#keys = this.#renewedKeys(config)
    const create = () => createClient(config, this.tuning, this.#keys)
    this.#client = create()
    // Credentials of a job stay as they are if they do not end; those of the environment are renewed there.
    this.#createClient = config.access_key_id === undefined || this.#keys !== null ? create : null
  }

  get client(): S3Client {
    return this.#client
  }

  /** Sends one request about the object at `circumstances.key`. The SDK wants a new command for each attempt. */
  send<Input extends ServiceInputTypes, Output extends ServiceOutputTypes>(
    circumstances: Circumstances,
    Command: CommandOf<Input, Output>,
    input: Omit<Input, 'Bucket' | 'Key'> & { Key?: string },
  ): Promise<Output> {
    const whole = { Bucket: this.bucket, Key: circumstances.key, ...input } as unknown as Input
    return this.request(circumstances, (options) => this.client.send(new Command(whole), options))
  }

  /**
   * Sends one request, again and again while the trouble is passing. Rejects with the signal's reason or a StorageError.
   * An attempt ends on time even if the SDK would wait on.
   */
  async request<T>(
    circumstances: Circumstances,
    send: (options: { abortSignal: AbortSignal }) => Promise<T>,
  ): Promise<T> {
    const { step, key, signal } = circumstances
    try {
      return await withRetries(() => this.#attempt(signal, send), {
        patience: circumstances.patience ?? this.tuning.patience,
        clock: this.tuning.clock,
        signal,
        hurry: circumstances.hurry,
        isTransient: (error) =>
          circumstances.isHopeless?.(error) !== true &&
          (isTransientS3Error(error) ||
            circumstances.isPassing?.(error) === true ||
            (this.#keys?.mayChange === true && isCredentialTrouble(error))),
        onRetry: (error, attempt, delayMs) => {
          const explained = this.explain(error, step, key)
          circumstances.onRetry?.(explained)
          if (isCredentialTrouble(error)) this.#askForCredentialsAnew()
          this.tuning.onRetry({ step, key, attempt, delayMs, error: explained.message })
        },
      })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      throw this.explain(error, step, key)
    }
  }

  /**
   * The SDK renews credentials before they end, by its own clock. Those that the server refuses all the same are asked
   * for again by a client that has never seen them.
   */
  #askForCredentialsAnew(): void {
    const now = this.tuning.clock.now()
    if (this.#createClient === null || now - this.#askedAnewAt < ASK_ANEW_EVERY_MS) return
    this.#askedAnewAt = now
    this.#keys?.refused()
    // The old one is not destroyed: other requests may be on their way with it.
    this.#client = this.#createClient()
  }

  #renewedKeys({ access_key_id, secret_access_key, session_token, keys_end_at }: S3Config): RenewedKeys | null {
    const { freshKeys, clock } = this.tuning
    if (!freshKeys || !access_key_id || !secret_access_key || !session_token || !keys_end_at) return null
    const renew = async () => {
      const keys = await freshKeys()
      this.#place.secrets.push(keys.secret_access_key, keys.session_token)
      return keys
    }
    return new RenewedKeys({ access_key_id, secret_access_key, session_token, keys_end_at }, renew, clock)
  }

  explain(error: unknown, step: string, key: string): StorageError {
    if (error instanceof StorageError) return error
    const gaveUp = error instanceof GaveUp ? { attempts: error.attempts, elapsedMs: error.elapsedMs } : null
    return explainS3Error(error instanceof GaveUp ? error.cause : error, { ...this.#place, step, key, gaveUp })
  }

  async #attempt<T>(signal: AbortSignal, send: (options: { abortSignal: AbortSignal }) => Promise<T>): Promise<T> {
    const limit = new AbortController()
    const timer = setTimeout(() => {
      limit.abort(Object.assign(new Error(`No answer within ${this.tuning.requestMs} ms`), { name: 'TimeoutError' }))
    }, this.tuning.requestMs)
    const either = AbortSignal.any([signal, limit.signal])
    let onAbort = () => {}
    const stopped = new Promise<never>((_, reject) => {
      onAbort = () => reject(either.reason)
      either.addEventListener('abort', onAbort)
    })
    try {
      const sent = send({ abortSignal: either })
      // The SDK's own rejection may come after the race was lost.
      sent.catch(() => {})
      return await Promise.race([sent, stopped])
    } finally {
      clearTimeout(timer)
      either.removeEventListener('abort', onAbort)
    }
  }
}

function checkedEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : null
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new StorageError('invalid', 'storage.endpoint has to be an http:// or https:// address')
  }
  if (url.username !== '' || url.password !== '') {
    throw new StorageError(
      'invalid',
      'storage.endpoint holds a user or password; use access_key_id and secret_access_key',
    )
  }
  return url.origin + url.pathname.replace(/\/$/, '')
}

/** Agents hand it to each connection. */
function agentOptions(lookup: LookupFunction) {
  return { keepAlive: true, lookup }
}

function createClient(config: S3Config, tuning: S3Tuning, keys: RenewedKeys | null): S3Client {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken } = config
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined)) {
    throw new StorageError('invalid', 'storage.access_key_id and storage.secret_access_key go together')
  }
  const checksums = config.checksums === 'when_supported' ? 'WHEN_SUPPORTED' : 'WHEN_REQUIRED'
  return new S3Client({
    endpoint: config.endpoint,
    // Servers other than AWS usually take any region; AWS's own is then read from environment and profile.
    region: config.region ?? (config.endpoint === undefined ? undefined : 'us-east-1'),
    // Hosts such as bucket.127.0.0.1 rarely exist away from AWS.
    forcePathStyle: config.force_path_style ?? config.endpoint !== undefined,
    requestChecksumCalculation: checksums,
    responseChecksumValidation: checksums,
    // Retries have one owner, and that is retry.ts.
    maxAttempts: 1,
    requestHandler: {
      ...(tuning.lookup && { httpAgent: agentOptions(tuning.lookup), httpsAgent: agentOptions(tuning.lookup) }),
      connectionTimeout: tuning.connectMs,
      socketTimeout: tuning.idleMs,
      requestTimeout: tuning.requestMs,
      throwOnRequestTimeout: true,
    },
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: keys === null ? { accessKeyId, secretAccessKey, sessionToken } : () => keys.identity(),
      }),
  })
}
