/** Recovery with the real storage: recordings that a bot left unfinished when its process ended. */
import { basename, dirname } from 'node:path'
import type { Logger } from '../../packages/core/logger.ts'
import { lookupFor } from '../../packages/core/network/address-policy.ts'
import { indexBody } from '../../recorder/index.ts'
import type { BotConfig } from '../job/config.ts'
import { type LeftoverArtifacts, storeLeftoverArtifacts } from '../run/leftover-artifacts.ts'
import {
  type BucketRecovery,
  loadBucket,
  openStorage,
  type Recovered,
  recoverSpool,
  type StorageConfig,
} from '../storage/index.ts'

/**
 * So long a new bot waits until a server has completed what an earlier one of its id left. After that the file is brought to its
 * place, however long it takes: the new bot would write over it.
 */
const EARLIER_BOT_MS = 60_000
/** For a new index after that, which reads what is stored. Without an index the file plays fragment by fragment. */
const EARLIER_INDEX_MS = 15_000

type FolderOptions = Omit<Parameters<typeof recoverSpool>[1], 'format'>

/**
 * Recovers the recording of an earlier bot of this id before the new bot writes anything. Resolves with notices for the
 * control plane. Rejects if the earlier bot may still run.
 */
export async function recoverEarlierBot(config: BotConfig, logger: Logger, stopped: AbortSignal): Promise<string[]> {
  const { job, workFolder } = config
  const inBucket = job.storage.type === 's3' ? job.storage : null
  const { files, problems } = await recoverFolder(workFolder, {
    credentials: {
      access_key_id: inBucket?.access_key_id,
      secret_access_key: inBucket?.secret_access_key,
      session_token: inBucket?.session_token,
    },
    // In a folder, the files are set aside with all other files of the earlier bot.
    asEarlier: inBucket !== null,
    indexLimitMs: EARLIER_INDEX_MS,
    endpoint: inBucket?.endpoint ?? null,
    tuning: lookupFor(config, 'storage.endpoint'),
    ...(inBucket !== null && { limit: AbortSignal.timeout(EARLIER_BOT_MS) }),
    signal: stopped,
  })
  for (const { name, error } of problems)
    logger.error('The recording of an earlier bot of this id was not recovered', { name, error })
  return [
    ...files.map(
      ({ location, bytes }) => `The recording of an earlier bot of this id was recovered: ${location}, ${bytes} bytes.`,
    ),
    ...problems.map(
      ({ name }) => `The recording of an earlier bot of this id was not recovered: ${name}. Try "standin recover".`,
    ),
  ]
}

/** Recovers the recording in a bot's folder. Rejects if the bot may still run. */
function recoverFolder(folder: string, options: FolderOptions): Promise<Recovered> {
  return recoverSpool(folder, { ...options, format: { indexBody } })
}

/** The same for a bot that does not return: artifacts beside a recording in S3 are uploaded too. */
export async function recoverFolderAndArtifacts(
  folder: string,
  options: FolderOptions,
): Promise<Recovered & LeftoverArtifacts> {
  const recovered = await recoverFolder(folder, options)
  if (recovered.bucket === undefined) return { ...recovered, beside: [] }
  const storage = await openStorage({ ...recovered.bucket, ...options.credentials }, { botId: basename(folder) })
  // A recording that is older than the one of that name is in its own folder.
  const under = dirname(recovered.files[0]?.name ?? '')
  const { beside, problems } = await storeLeftoverArtifacts(
    folder,
    storage,
    under === '.' ? '' : `${under}/`,
    options.signal,
  )
  return { ...recovered, beside, problems: [...recovered.problems, ...problems] }
}

type BucketPlace = Extract<StorageConfig, { type: 's3' }>

/** The recordings of a bucket whose bots show no sign of life. */
export async function listAbandoned(place: BucketPlace, options: Omit<BucketRecovery, 'format'>) {
  const bucket = await loadBucket()
  return bucket.listAbandoned(place, options)
}

/** Recovers the recordings of a bucket that `listAbandoned` finds. */
export async function recoverAbandoned(
  place: BucketPlace,
  options: Omit<BucketRecovery, 'format'>,
): Promise<Recovered> {
  const { recoverBucket } = await loadBucket()
  return recoverBucket(place, { ...options, format: { indexBody } })
}
