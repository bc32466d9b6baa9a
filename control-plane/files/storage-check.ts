/** Whether the storage of recordings works: a small object is written, read back and deleted, as the files of bots are. */
import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { type Clock, systemClock, within } from '@standin/wire/time/deadline.ts'
import type { FileStore } from '../platform/ports.ts'
import { newestArtifacts } from '../store/bots/artifacts.ts'
import type { Database } from '../store/database.ts'
import type { StorageSettings } from './open-file-store.ts'

/** A poll of `/readyz` starts the next check after this time: a good result, and a bad one. */
const GOOD_MS = 60_000
const BAD_MS = 5_000
const CHECK_MS = 10_000
/** A wrong root misses all of them; a single lost file may be among older ones. */
const SAMPLED_RECORDINGS = 10
const BYTES = new TextEncoder().encode('Standin tries its storage.\n')

type Kind =
  /** Only a change of the settings or of the storage helps. */
  | 'mistake'
  /** It may work later. */
  | 'away'
  /** Recordings are kept, but cannot be deleted. */
  | 'keeps_everything'

export class StorageProblem extends Error {
  readonly kind: Kind
  /** The message without the name of the setting. */
  readonly fault: string
  /** How the operator solves it. */
  readonly cure: string

  constructor(kind: Kind, fault: string, cure: string, cause?: unknown) {
    super(`STANDIN_STORAGE: ${fault}`, { cause })
    this.name = 'StorageProblem'
    this.kind = kind
    this.fault = fault
    this.cure = cure
  }
}

/** Rejects with `StorageProblem`, after ten seconds at the latest. */
export async function checkStorage(
  store: Pick<FileStore, 'write' | 'read' | 'deletePrefix'>,
  settings: StorageSettings,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<void> {
  // Of each check a separate one: several processes check at the same time.
  const folder = `.standin-check-${randomUUID()}`
  const key = `${folder}/object`
  const writeAndRead = async () => {
    await checkFolder(settings)
    await store.write(key, BYTES, 'text/plain')
    const found = await store.read(key, BYTES.length)
    if (found === null || !BYTES.every((byte, index) => byte === found[index]))
      throw new Error('an object that was written cannot be read back')
  }
  const work = writeAndRead()
    .catch(async (error: unknown) => {
      // Another check follows in seconds, with an object of its own.
      await store.deletePrefix(folder).catch(() => {})
      throw storageProblemOf(settings, error)
    })
    .then(() => store.deletePrefix(folder))
    .catch((error: unknown) => {
      if (error instanceof StorageProblem) throw error
      const { fault, cure } = storageProblemOf(settings, error)
      throw new StorageProblem('keeps_everything', `what is stored cannot be deleted: ${fault}`, cure, error)
    })
  await within(clock, CHECK_MS, work, () => {
    const fault = `${placeOf(settings)} does not answer within ${CHECK_MS / 1000} s`
    return new StorageProblem('away', fault, 'Check that it runs')
  })
}

/**
 * Looks for the newest recordings that the database knows. A folder or a prefix that was changed without its files works well
 * for new recordings, and nothing else tells before someone plays an old one. Resolves with how many are there. Rejects with
 * `StorageProblem` if some are not, after ten seconds at the latest.
 */
export async function checkRecordings(
  database: Database,
  store: Pick<FileStore, 'list'>,
  settings: StorageSettings,
  clock: Pick<Clock, 'sleep'> = systemClock,
): Promise<number> {
  const look = async () => {
    const recordings = await newestArtifacts(database, SAMPLED_RECORDINGS)
    const missing: string[] = []
    for (const files of recordings) {
      const [botId] = files[0]?.key.split('/') ?? []
      if (botId === undefined) continue
      const found = new Set((await store.list(botId)).map(({ key }) => key))
      const absent = files.find(({ key }) => !found.has(key))
      if (absent !== undefined) missing.push(absent.key)
    }
    if (missing.length === 0) return recordings.length
    const some = `${missing.length} of the ${recordings.length} newest recordings ${missing.length === 1 ? 'is' : 'are'}`
    throw new StorageProblem(
      'away',
      `${some} not where the database says: ${placeOf(settings)} has no ${missing[0]}`,
      'Name the folder or the bucket with its prefix in which they were stored, or move the files there',
    )
  }
  return within(clock, CHECK_MS, look(), () => {
    const fault = `${placeOf(settings)} did not show the newest recordings within ${CHECK_MS / 1000} s`
    return new StorageProblem('away', fault, 'Check that it runs')
  })
}

/** Cheap enough for each poll of `/readyz`. Does nothing for S3. */
async function checkFolder(settings: StorageSettings): Promise<void> {
  if (settings.type !== 'folder') return
  // Writing would make a missing folder, also below the mount point of a disk that is away.
  await access(settings.path, constants.R_OK | constants.W_OK | constants.X_OK).catch((error: unknown) => {
    throw storageProblemOf(settings, error)
  })
}

const placeOf = (settings: StorageSettings) =>
  settings.type === 's3' ? `bucket ${settings.bucket}` : `folder ${settings.path}`

/** Full, or a network folder that does not answer now; every other error of a folder stays until someone changes it. */
const PASSING = /^(?:ENOSPC|EDQUOT|EIO|ESTALE|ETIMEDOUT|EAGAIN|EMFILE|ENFILE|EBUSY)$/

interface Thrown {
  name?: string
  code?: string
  message?: string
  $metadata?: { httpStatusCode?: number }
}

/** The problem of the operator behind an error of the storage. */
export function storageProblemOf(settings: StorageSettings, error: unknown): StorageProblem {
  if (error instanceof StorageProblem) return error
  const { name = '', code, message = '', $metadata } = (error ?? {}) as Thrown
  const place = placeOf(settings)
  const problem = (kind: Kind, fault: string, cure: string) => new StorageProblem(kind, fault, cure, error)
  if (settings.type === 'folder')
    return problem(
      code === undefined || PASSING.test(code) ? 'away' : 'mistake',
      `The folder of recordings cannot be used (${code ?? message}): ${settings.path}`,
      'Name a folder on a disk with room to which the user of the service may write',
    )
  if (name === 'NoSuchBucket') return problem('mistake', `${place} does not exist`, 'Make the bucket, or name another')
  if (name === 'CredentialsProviderError')
    return problem(
      'mistake',
      `there are no keys for ${place}`,
      'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role',
    )
  if (message === 'Region is missing')
    return problem('mistake', `the region of ${place} is not named`, 'Set AWS_REGION, or AWS_ENDPOINT_URL_S3')
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 301 || name === 'AuthorizationHeaderMalformed')
    return problem('mistake', `${place} is in another region (${name})`, 'Set AWS_REGION to the region of the bucket')
  if (status === 401 || status === 403)
    return problem(
      'mistake',
      `access to ${place} is refused (${name})`,
      'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the rights of the role',
    )
  return problem(
    'away',
    `${place} cannot be used (${code ?? (name === 'Error' ? message : name)})`,
    'Check that it runs',
  )
}

export interface StorageWatch {
  /** Rejects as long as the process should get no work. Waits for no check. */
  readiness(): Promise<void>
  /** A fault with which the process can work. */
  warning(): string | null
}

export interface WatchedStorage {
  settings: StorageSettings
  check(): Promise<void>
  /** Null: works. */
  first: StorageProblem | null
  now: () => number
  onChange: (problem: StorageProblem | null) => void
}

/**
 * Remembers the result between the polls of `/readyz`; a poll starts the next check and answers with the last result. S3 that
 * fails after it has worked is away for all processes at once, so they stay ready: the API needs no storage, and bots keep
 * their recordings until it is back.
 */
export function watchStorage({ settings, check, first, now, onChange }: WatchedStorage): StorageWatch {
  let problem = first
  let checkedAt = now()
  let isChecking = false
  const works = () => problem === null || problem.kind === 'keeps_everything'
  let hasWorked = works()

  async function refresh(): Promise<void> {
    isChecking = true
    const before = problem?.message
    problem = await check().then(
      () => null,
      (error: unknown) => storageProblemOf(settings, error),
    )
    hasWorked ||= works()
    checkedAt = now()
    isChecking = false
    if (problem?.message !== before) onChange(problem)
  }

  return {
    async readiness() {
      await checkFolder(settings)
      if (!isChecking && now() - checkedAt >= (problem === null ? GOOD_MS : BAD_MS)) void refresh()
      if (!works() && !(settings.type === 's3' && hasWorked)) throw problem
    },
    warning: () => problem?.message ?? null,
  }
}
