/** An S3 bucket as a place for the contract suites: through a proxy that lets tests step in. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import type { S3Config, S3Tuning } from '../../../src/storage/s3/session.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { type S3Proxy, startS3Proxy } from '../../servers/s3-proxy.ts'
import { type S3Access, s3ClientOf } from '../../servers/s3-server.ts'
import type { GrowingPlace } from './place.ts'

/** Impatient where waiting proves nothing; S3's smallest part, so that a few MiB are several parts. */
export const TEST_TUNING: Partial<S3Tuning> = {
  partBytes: 5 * 1024 * 1024,
  patience: { firstDelayMs: 10, maxDelayMs: 200, totalMs: 60_000 },
  preparePatience: { firstDelayMs: 10, maxDelayMs: 50, totalMs: 300 },
}

export interface S3Place extends GrowingPlace {
  bucket: string
  proxy: S3Proxy
  /** Straight to the server, past the proxy. */
  client: S3Client
  access: S3Access
  config(overrides?: Partial<S3Config>): S3Config
  openWith(botId: string, overrides?: Partial<S3Config>, tuning?: Partial<S3Tuning>): S3Storage
  close(): Promise<void>
}

export async function openS3Place(access: S3Access, bucket: string): Promise<S3Place> {
  const proxy = await startS3Proxy(access.endpoint)
  const client = s3ClientOf(access)

  const prefix = 'team one/meetings'
  const keyOf = (botId: string, name: string) => `${prefix}/${botId}/${name}`
  const config = (overrides: Partial<S3Config> = {}): S3Config => ({
    type: 's3',
    bucket,
    prefix: `/${prefix}/`,
    endpoint: proxy.endpoint,
    region: access.region,
    access_key_id: access.accessKeyId,
    secret_access_key: access.secretAccessKey,
    // Else there would be more in the bucket than a test expects, or not, as time will have it.
    tail_seconds: 0,
    ...overrides,
  })
  const work = await mkdtemp(path.join(tmpdir(), 'standin-work-'))
  const workFolder = (botId: string) => path.join(work, botId)
  const openWith: S3Place['openWith'] = (botId, overrides = {}, tuning = {}) => {
    const recording = { botId, workFolder: /[/\0]/.test(botId) ? work : workFolder(botId) }
    return new S3Storage(config(overrides), recording, { ...TEST_TUNING, ...tuning })
  }

  async function read(botId: string, name: string): Promise<Buffer | null> {
    try {
      const answer = await client.send(new GetObjectCommand({ Bucket: bucket, Key: keyOf(botId, name) }))
      return Buffer.from(await answer.Body!.transformToByteArray())
    } catch (error) {
      if ((error as Error).name === 'NoSuchKey') return null
      throw error
    }
  }

  return {
    stepBytes: TEST_TUNING.partBytes!,
    longBytes: 3 * TEST_TUNING.partBytes! + 1,
    workFolder,
    bucket,
    proxy,
    client,
    access,
    config,
    openWith,
    addressOf: (botId, name) => `s3://${bucket}/${keyOf(botId, name)}`,
    open: (botId) => openWith(botId),
    read,
    leftovers: async (botId) => {
      const place = { Bucket: bucket, Prefix: keyOf(botId, '') }
      const [uploads, objects, spooled] = await Promise.all([
        client.send(new ListMultipartUploadsCommand(place)),
        client.send(new ListObjectsV2Command(place)),
        readdir(workFolder(botId), { recursive: true }).catch(() => []),
      ])
      const keys = (objects.Contents ?? []).map(({ Key = '' }) => Key).filter((key) => key.endsWith('.recovery'))
      return [...(uploads.Uploads ?? []).map(({ Key = '' }) => Key), ...keys, ...spooled]
    },
    inTheMiddle: (callback) => {
      proxy.onRequest = async ({ operation, partNumber }) => {
        if (operation !== 'UploadPart' || partNumber !== 2) return
        proxy.onRequest = null
        callback()
      }
    },
    damageNext: (botId, name) => {
      proxy.onRequest = async ({ operation }) => {
        if (operation !== 'HeadObject') return
        proxy.onRequest = null
        const content = await read(botId, name)
        content![content!.length >> 1]! ^= 1
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(botId, name), Body: content! }))
      }
    },
    close: async () => {
      await rm(work, { recursive: true, force: true })
      client.destroy()
      await proxy.close()
    },
  }
}
