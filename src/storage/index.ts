import type { Storage } from '../../packages/core/recording.ts'
import { FolderStorage } from './folder/storage.ts'
import type { S3Tuning, StorageConfig } from './s3/session.ts'

export { StorageError } from './error.ts'
export { parseS3Address } from './names.ts'
export type { BucketRecovery } from './recovery/recover-bucket.ts'
export { recoverSpool } from './recovery/recover-spool.ts'
export type { Recovered } from './recovery/recovered.ts'
export type { S3Tuning, StorageConfig } from './s3/session.ts'

/** Loads what buckets need: AWS's library takes 4 to 7 MB of a bot's memory, and a bot whose storage is a folder needs none of it. */
export const loadBucket = () => import('./bucket.ts')

/**
 * The place that the job's `storage` object names, for the recording of one bot: a folder, or a prefix of a bucket, that
 * is named by the bot's id. Rejects with a StorageError for settings that can never work.
 */
export async function openStorage(
  config: StorageConfig,
  recording: { botId: string; workFolder?: string },
  tuning: Partial<Pick<S3Tuning, 'clock' | 'freshKeys' | 'lookup' | 'onRetry'>> = {},
): Promise<Storage> {
  if (config.type === 'folder') return new FolderStorage(config, recording)
  const { S3Storage } = await loadBucket()
  return new S3Storage(config, recording, tuning)
}
