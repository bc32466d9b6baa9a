/** Recordings in a bucket of S3 or of a server that speaks its protocol. */
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import type { FileStore } from '../platform/ports.ts'
import { dispositionOf } from './content.ts'
import { checkedParts, folderPrefix, keyParts } from './keys.ts'
import type { ServedFiles } from './serve-file.ts'

export interface S3Settings {
  type: 's3'
  bucket: string
  /** Without slashes at its ends. */
  prefix: string
  /** Of servers other than AWS. */
  endpoint?: string
  region?: string
  accessKeyId?: string
  secretAccessKey?: string
  sessionToken?: string
  forcePathStyle?: boolean
  /** Bots get keys of this role for their own files, in place of those above. */
  roleArn?: string
  /** Where the role is asked for, if not at `endpoint`. */
  stsEndpoint?: string
  /** Links lead to the service, which streams the files. */
  isServed?: true
}

const DELETES_AT_ONCE = 8
/** Downloads under way in a process. A player that pauses keeps its connection. */
const MAX_DOWNLOADS = 1000

export function createS3Store(settings: S3Settings): FileStore & ServedFiles & { close(): void } {
  const client = createClient(settings)
  /** Callers who read slowly take no connections from the work of the service. */
  const downloads = createClient(settings, MAX_DOWNLOADS)
  const root = settings.prefix === '' ? '' : `${settings.prefix}/`
  const Bucket = settings.bucket
  const Key = (key: string) => root + checkedParts(key).join('/')

  async function list(prefix: string) {
    const Prefix = root + folderPrefix(prefix)
    const found: { key: string; bytes: number }[] = []
    let ContinuationToken: string | undefined
    do {
      const page = await client.send(new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken }))
      for (const { Key: key, Size } of page.Contents ?? []) {
        if (key !== undefined) found.push({ key: key.slice(root.length), bytes: Size ?? 0 })
      }
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken !== undefined)
    return found
  }

  /** Parts of unfinished uploads are in no listing of objects. */
  async function* unfinishedUploads(prefix: string) {
    const Prefix = root + folderPrefix(prefix)
    let KeyMarker: string | undefined
    let UploadIdMarker: string | undefined
    do {
      const page = await client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, KeyMarker, UploadIdMarker }))
      for (const { Key: key, UploadId } of page.Uploads ?? []) yield { Bucket, Key: key, UploadId }
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined
      UploadIdMarker = page.IsTruncated ? page.NextUploadIdMarker : undefined
    } while (KeyMarker !== undefined)
  }

  return {
    list,
    async bytesOf(prefix) {
      let sum = (await list(prefix)).reduce((before, { bytes }) => before + bytes, 0)
      for await (const upload of unfinishedUploads(prefix)) {
        let PartNumberMarker: string | undefined
        do {
          const page = await client.send(new ListPartsCommand({ ...upload, PartNumberMarker })).catch(ignoreEnded)
          for (const { Size } of page?.Parts ?? []) sum += Size ?? 0
          PartNumberMarker = page?.IsTruncated ? page.NextPartNumberMarker : undefined
        } while (PartNumberMarker !== undefined)
      }
      return sum
    },
    async open(key) {
      if (keyParts(key) === null) return null
      const at = { Bucket, Key: Key(key) }
      const head = await downloads.send(new HeadObjectCommand(at)).catch((error: Error) => {
        if (error.name === 'NotFound') return null
        throw error
      })
      if (head === null) return null
      return {
        bytes: head.ContentLength ?? 0,
        changedAt: head.LastModified ?? new Date(0),
        // Of the same version as the head.
        async read({ start, end }) {
          const Range = `bytes=${start}-${end}`
          const { Body } = await downloads.send(new GetObjectCommand({ ...at, Range, IfMatch: head.ETag }))
          return Body as Readable
        },
        close: async () => {},
      }
    },
    jobStorage: (botId, attempt) => jobStorage(settings, root + checkedParts(`${botId}/${attempt}`).join('/')),
    sign: (key, seconds, options) =>
      getSignedUrl(
        client,
        new GetObjectCommand({
          Bucket,
          Key: Key(key),
          ...(options?.downloadName && {
            ResponseContentDisposition: dispositionOf(options.downloadName, 'attachment'),
          }),
        }),
        { expiresIn: Math.floor(seconds) },
      ),
    async read(key, maxBytes) {
      try {
        const { Body, ContentLength } = await client.send(new GetObjectCommand({ Bucket, Key: Key(key) }))
        if (Body === undefined) return null
        if ((ContentLength ?? 0) > maxBytes) {
          ;(Body as { destroy?: () => void }).destroy?.()
          throw new Error(`${key} has ${ContentLength} bytes, more than ${maxBytes}`)
        }
        return await Body.transformToByteArray()
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return null
        throw error
      }
    },
    async write(key, bytes, contentType) {
      await client.send(new PutObjectCommand({ Bucket, Key: Key(key), Body: bytes, ContentType: contentType }))
    },
    async deletePrefix(prefix) {
      for await (const upload of unfinishedUploads(prefix))
        await client.send(new AbortMultipartUploadCommand(upload)).catch(ignoreEnded)
      const files = await list(prefix)
      // One by one: some servers refuse the common deletion of several without special checksums.
      for (let first = 0; first < files.length; first += DELETES_AT_ONCE) {
        const some = files.slice(first, first + DELETES_AT_ONCE)
        await Promise.all(some.map(({ key }) => client.send(new DeleteObjectCommand({ Bucket, Key: root + key }))))
      }
      return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
    },
    async copy(key, target, signal) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: Key(key) }), { abortSignal: signal })
        await pipeline(Body as Readable, createWriteStream(target, { mode: 0o600 }), { signal })
        return true
      } catch (error) {
        if ((error as Error).name === 'NoSuchKey') return false
        throw error
      }
    },
    close() {
      client.destroy()
      downloads.destroy()
    },
  }
}

/** An upload that was completed or aborted meanwhile. */
function ignoreEnded(error: Error): undefined {
  if (error.name !== 'NoSuchUpload') throw error
}

export function createClient(settings: S3Settings, maxSockets = 50): S3Client {
  const { endpoint, accessKeyId, secretAccessKey, sessionToken } = settings
  return new S3Client({
    endpoint,
    region: settings.region ?? (endpoint === undefined ? undefined : 'us-east-1'),
    forcePathStyle: settings.forcePathStyle ?? endpoint !== undefined,
    // Some servers refuse the newer checksum headers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: 4,
    requestHandler: {
      ...{ connectionTimeout: 5_000, requestTimeout: 60_000, throwOnRequestTimeout: true },
      ...{ httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
    },
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      }),
  })
}

/** Keys go into the job only if they were given: the worker finds roles by itself. */
function jobStorage(settings: S3Settings, prefix: string): ReturnType<FileStore['jobStorage']> {
  const { bucket, endpoint, region, accessKeyId, secretAccessKey, sessionToken, forcePathStyle } = settings
  return {
    type: 's3',
    bucket,
    prefix,
    checksums: 'when_required',
    spool_limit_mb: 2048,
    tail_seconds: 2,
    ...(endpoint !== undefined && { endpoint }),
    ...(region !== undefined && { region }),
    ...(accessKeyId !== undefined && { access_key_id: accessKeyId }),
    ...(secretAccessKey !== undefined && { secret_access_key: secretAccessKey }),
    ...(sessionToken !== undefined && { session_token: sessionToken }),
    ...(forcePathStyle !== undefined && { force_path_style: forcePathStyle }),
  }
}
