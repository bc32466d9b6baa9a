/** A server of ours for one test, with the storage that is to cope with it. */
import { onTestFinished } from 'vitest'
import type { StoredFile } from '../../core/recording.ts'
import type { S3Config, S3Tuning } from '../../storage/s3/session.ts'
import { S3Storage } from '../../storage/s3/storage.ts'
import { type S3Server, type S3ServerOptions, startS3Server } from '../servers/s3-server.ts'
import { never, video } from './place.ts'
import { TEST_TUNING } from './s3-place.ts'

/** The smallest part of these servers; S3's own 5 MiB would only make the suite slow. */
export const STEP = 256 * 1024
/** For stalls: nothing on loopback takes this long unless it never comes. */
export const IMPATIENT: Partial<S3Tuning> = { idleMs: 400, requestMs: 3_000 }

export async function serve(options: S3ServerOptions = {}): Promise<S3Server> {
  const server = await startS3Server({ smallestPart: STEP, ...options })
  onTestFinished(() => server.close())
  return server
}

export function open(server: S3Server, overrides: Partial<S3Config> = {}, tuning: Partial<S3Tuning> = {}): S3Storage {
  const config: S3Config = {
    type: 's3',
    bucket: server.bucket,
    endpoint: server.endpoint,
    region: server.region,
    access_key_id: server.keys.accessKeyId,
    secret_access_key: server.keys.secretAccessKey,
    ...(server.keys.sessionToken === undefined ? {} : { session_token: server.keys.sessionToken }),
    ...overrides,
  }
  return new S3Storage(config, { botId: 'bot' }, { ...TEST_TUNING, partBytes: STEP, ...tuning })
}

export const bodyOf = (server: S3Server) => server.state.objects.get('bot/video.mp4')?.body
export const store = async (storage: S3Storage, path: string, signal = never): Promise<StoredFile> =>
  storage.store({ name: 'video.mp4', path, ...video }, signal)
export const count = (server: S3Server, operation: string) =>
  server.requests.filter((request) => request.operation === operation).length
