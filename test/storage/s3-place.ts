/** An S3 bucket as a place for the contract suites: through a proxy that lets tests step in. */
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { S3Storage } from '../../storage/s3.ts'
import type { S3Config, S3Tuning } from '../../storage/s3-session.ts'
import { type S3Proxy, startS3Proxy } from '../servers/s3-proxy.ts'
import type { Place } from './place.ts'

export interface S3Access {
  endpoint: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

/** Impatient where waiting proves nothing; S3's smallest part, so that a few MiB are several parts. */
export const TEST_TUNING: Partial<S3Tuning> = {
  partBytes: 5 * 1024 * 1024,
  patience: { firstDelayMs: 10, maxDelayMs: 200, totalMs: 60_000 },
  preparePatience: { firstDelayMs: 10, maxDelayMs: 50, totalMs: 300 },
}

export interface S3Place extends Place {
  bucket: string
  proxy: S3Proxy
  /** Straight to the server, past the proxy. */
  client: S3Client
  access: S3Access
  config(overrides?: Partial<S3Config>): S3Config
  openWith(botId: string, overrides?: Partial<S3Config>, tuning?: Partial<S3Tuning>): S3Storage
  /** Kills the server and starts it again, memory intact. */
  crash(): Promise<void>
  restart(): Promise<void>
  close(): Promise<void>
}

/** `createsBucket` where the server starts without one. */
export async function openS3Place(
  access: S3Access,
  bucket: string,
  server: { createsBucket: boolean; crash(): Promise<void>; restart(): Promise<void> },
): Promise<S3Place> {
  const proxy = await startS3Proxy(access.endpoint)
  const client = new S3Client({
    endpoint: access.endpoint,
    region: access.region,
    credentials: { accessKeyId: access.accessKeyId, secretAccessKey: access.secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
  if (server.createsBucket) await client.send(new CreateBucketCommand({ Bucket: bucket }))

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
    ...overrides,
  })
  const openWith: S3Place['openWith'] = (botId, overrides = {}, tuning = {}) =>
    new S3Storage(config(overrides), { botId }, { ...TEST_TUNING, ...tuning })

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
    bucket,
    proxy,
    client,
    access,
    config,
    openWith,
    addressOf: (botId, name) => `s3://${bucket}/${keyOf(botId, name)}`,
    open: (botId) => openWith(botId),
    read,
    leftovers: async () => {
      const list = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))
      return (list.Uploads ?? []).map((upload) => upload.Key ?? '')
    },
    inTheMiddle: (callback) => {
      proxy.onRequest = async ({ operation, partNumber }) => {
        if (operation !== 'UploadPart' || partNumber !== 2) return undefined
        proxy.onRequest = null
        callback()
        return undefined
      }
    },
    damageNext: (botId, name) => {
      proxy.onRequest = async ({ operation }) => {
        if (operation !== 'HeadObject') return undefined
        proxy.onRequest = null
        const content = await read(botId, name)
        content![content!.length >> 1]! ^= 1
        await client.send(new PutObjectCommand({ Bucket: bucket, Key: keyOf(botId, name), Body: content! }))
        return undefined
      }
    },
    crash: server.crash,
    restart: server.restart,
    close: async () => {
      client.destroy()
      await proxy.close()
    },
  }
}
