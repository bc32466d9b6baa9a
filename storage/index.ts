import type { Storage } from '../core/recording.ts'
import { FolderStorage } from './folder/storage.ts'
import type { S3Tuning, StorageConfig } from './s3/session.ts'
import { S3Storage } from './s3/storage.ts'

export { StorageError } from './error.ts'
export { parseS3Address } from './names.ts'
export { type BucketRecovery, listAbandoned, recoverBucket } from './recovery/recover-bucket.ts'
export { recoverSpool } from './recovery/recover-spool.ts'
export type { Recovered } from './recovery/recovered.ts'
export { readS3Object } from './s3/object.ts'
export type { S3Tuning, StorageConfig } from './s3/session.ts'

/**
 * The place that the job's `storage` object names, for the recording of one bot: a folder, or a prefix of a bucket, that
 * is named by the bot's id. Throws a StorageError for settings that can never work.
 */
export function openStorage(
  config: StorageConfig,
  recording: { botId: string; workFolder?: string },
  tuning: Partial<Pick<S3Tuning, 'clock' | 'freshKeys' | 'lookup' | 'onRetry'>> = {},
): Storage {
  return config.type === 'folder' ? new FolderStorage(config, recording) : new S3Storage(config, recording, tuning)
}
