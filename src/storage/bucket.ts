/** The functions that need AWS's library, in one module, which `src/storage/index.ts` loads when a bucket is used. */
export { listAbandoned, recoverBucket } from './recovery/recover-bucket.ts'
export { readS3Object } from './s3/object.ts'
export { S3Storage } from './s3/storage.ts'
