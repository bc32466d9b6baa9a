/**
 * The contract of S3 storage on every S3 server, and of the servers themselves: one suite for the real one and ours.
 */
import { readFile } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { beforeEach, describe, expect, test } from 'vitest'
import { freePort } from '../../servers/free-port.ts'
import { localFile, never, rejectionOf, video } from './place.ts'
import type { S3Place } from './s3-place.ts'

const WRONG_SECRET = 'this-secret-is-wrong-and-stays-secret'

export function s3Contract(name: string, getPlace: () => S3Place): void {
  let place: S3Place
  let botId: string
  beforeEach(() => {
    place = getPlace()
    place.proxy.onRequest = null
    botId = crypto.randomUUID()
  })

  describe(`S3 storage on ${name}`, () => {
    test('says where the recording is, for people', () => {
      expect(place.openWith(botId).location()).toBe(`s3://${place.bucket}/team one/meetings/${botId}/`)
      expect(place.openWith(botId, { prefix: '' }).location()).toBe(`s3://${place.bucket}/${botId}/`)
    })

    test('a small file goes in one request, with its type', async () => {
      const local = await localFile(place.stepBytes)
      const before = place.proxy.seen.length
      await place.open(botId).store({ name: 'video.mp4', path: local.path, ...video }, never)
      expect(place.proxy.seen.slice(before).map(({ operation }) => operation)).toEqual(['PutObject', 'HeadObject'])
      const Key = `team one/meetings/${botId}/video.mp4`
      const head = await place.client.send(new HeadObjectCommand({ Bucket: place.bucket, Key }))
      expect(head.ContentType).toBe('video/mp4')
    })

    test('a large file goes in parts of one size, a bounded number at once, with its type', async () => {
      const local = await localFile(6 * place.stepBytes + 1)
      const before = place.proxy.seen.length
      await place
        .openWith(botId, {}, { partsInFlight: 2 })
        .store({ name: 'video.mp4', path: local.path, ...video }, never)
      const seen = place.proxy.seen.slice(before)
      const parts = seen.filter(({ operation }) => operation === 'UploadPart').map(({ partNumber }) => partNumber)
      expect(parts.sort()).toEqual([1, 2, 3, 4, 5, 6, 7])
      const others = seen.map(({ operation }) => operation).filter((operation) => operation !== 'UploadPart')
      expect(others).toEqual(['CreateMultipartUpload', 'CompleteMultipartUpload', 'HeadObject'])
      expect(place.proxy.mostAtOnce('UploadPart')).toBeLessThanOrEqual(3)
      const Key = `team one/meetings/${botId}/video.mp4`
      const head = await place.client.send(new HeadObjectCommand({ Bucket: place.bucket, Key }))
      expect(head.ContentType).toBe('video/mp4')
      expect((await place.read(botId, 'video.mp4'))?.equals(local.content)).toBe(true)
    })

    test.for(['when_required', 'when_supported'] as const)(
      'checksums %s: files small and large are whole',
      async (checksums) => {
        const storage = place.openWith(botId, { checksums })
        await storage.prepare(never)
        for (const bytes of [0, 1000, 2 * place.stepBytes + 5]) {
          const local = await localFile(bytes)
          const stored = await storage.store({ name: `file of ${bytes}`, path: local.path, ...video }, never)
          expect(stored).toMatchObject({ bytes, sha256: local.sha256 })
          expect((await place.read(botId, `file of ${bytes}`))?.equals(local.content)).toBe(true)
        }
      },
    )

    test('a server that stays away is given up, and the local file stays', async () => {
      const local = await localFile(1000)
      const endpoint = `http://127.0.0.1:${await freePort()}`
      const patience = { firstDelayMs: 5, maxDelayMs: 20, totalMs: 100 }
      const storage = place.openWith(botId, { endpoint }, { patience })
      const error = await rejectionOf(storage.store({ name: 'video.mp4', path: local.path, ...video }, never))
      expect(error).toMatchObject({ name: 'StorageError', trouble: 'unreachable' })
      expect(error.message).toMatch(/after \d+ attempts in \d+ s: ECONNREFUSED/)
      expect(error.message).toContain(`${endpoint} cannot be reached`)
      expect(await readFile(local.path)).toEqual(local.content)
      const early = await rejectionOf(storage.prepare(never))
      expect(early.message).toContain(`${endpoint} cannot be reached`)
    })

    test('a wrong secret is reported before the meeting, without the secret', async () => {
      const error = await rejectionOf(place.openWith(botId, { secret_access_key: WRONG_SECRET }).prepare(never))
      expect(error).toMatchObject({ name: 'StorageError', trouble: 'access', serverCode: 'SignatureDoesNotMatch' })
      expect(error.message).toContain(`s3://${place.bucket}/team one/meetings/${botId}/`)
      expect(error.message).toContain('Check secret_access_key and the region')
      expect(inspectDeeply(error)).not.toContain(WRONG_SECRET)
      expect(inspectDeeply(error)).not.toMatch(/Signature=[0-9a-f]/)
    })

    test('an unknown access key is reported', async () => {
      const error = await rejectionOf(place.openWith(botId, { access_key_id: 'NOBODY' }).prepare(never))
      expect(error).toMatchObject({ trouble: 'access', serverCode: 'InvalidAccessKeyId' })
      expect(error.message).toContain('Check access_key_id')
    })

    test('a bucket that does not exist is named', async () => {
      const error = await rejectionOf(place.openWith(botId, { bucket: 'no-such-bucket' }).prepare(never))
      expect(error).toMatchObject({ trouble: 'missing', serverCode: 'NoSuchBucket' })
      expect(error.message).toContain('s3://no-such-bucket/')
      expect(error.message).toContain('There is no such bucket')
    })

    test('a signed link reads a stored file, and one that was changed does not', async () => {
      const local = await localFile(1000)
      const name = 'Überblick & mehr.json'
      const { location } = await place.open(botId).store({ name, path: local.path, ...video }, never)
      const get = new GetObjectCommand({ Bucket: place.bucket, Key: location.slice(`s3://${place.bucket}/`.length) })
      const link = await getSignedUrl(place.client, get, { expiresIn: 60 })
      const answer = await fetch(link)
      expect(answer.status).toBe(200)
      expect(Buffer.from(await answer.arrayBuffer())).toEqual(local.content)
      const changed = await fetch(link.replace('mehr', 'more'))
      expect(changed.status).toBe(403)
      await changed.arrayBuffer()
    })
  })

  describe(`the S3 server ${name}`, () => {
    const part = Buffer.alloc(5 * 1024 * 1024, 7)
    const target = () => ({ Bucket: place.bucket, Key: `raw/${botId}` })

    async function begin(): Promise<string> {
      const { UploadId } = await place.client.send(new CreateMultipartUploadCommand(target()))
      return UploadId!
    }

    async function codeOf(promise: Promise<unknown>): Promise<string> {
      return (await rejectionOf(promise)).name
    }

    test('takes parts in any order and lists them', async () => {
      const UploadId = await begin()
      const tags: string[] = []
      for (const PartNumber of [2, 1]) {
        const Body = PartNumber === 2 ? Buffer.from('end') : part
        const { ETag } = await place.client.send(new UploadPartCommand({ ...target(), UploadId, PartNumber, Body }))
        tags[PartNumber - 1] = ETag!
      }
      const { Parts } = await place.client.send(new ListPartsCommand({ ...target(), UploadId }))
      expect(Parts?.map(({ PartNumber, Size }) => [PartNumber, Size]).sort()).toEqual([
        [1, part.length],
        [2, 3],
      ])
      const MultipartUpload = { Parts: tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 })) }
      await place.client.send(new CompleteMultipartUploadCommand({ ...target(), UploadId, MultipartUpload }))
      const stored = await place.client.send(new GetObjectCommand({ ...target(), Range: `bytes=${part.length - 1}-` }))
      expect(Buffer.from(await stored.Body!.transformToByteArray()).toString('latin1')).toBe('\u0007end')
    })

    test('refuses wrong ETags and parts that are too small', async () => {
      const UploadId = await begin()
      const send = (PartNumber: number, Body: Buffer) =>
        place.client.send(new UploadPartCommand({ ...target(), UploadId, PartNumber, Body }))
      const [whole, second] = [await send(1, part), await send(2, Buffer.from('end'))]
      const complete = (tags: (string | undefined)[]) => {
        const MultipartUpload = { Parts: tags.map((ETag, index) => ({ ETag, PartNumber: index + 1 })) }
        return place.client.send(new CompleteMultipartUploadCommand({ ...target(), UploadId, MultipartUpload }))
      }
      expect(await codeOf(complete([`"${'0'.repeat(32)}"`, second.ETag]))).toMatch(/InvalidPart|InvalidArgument/)
      expect(whole.ETag).not.toBe(second.ETag)
      const small = await send(1, Buffer.from('small'))
      expect(await codeOf(complete([small.ETag, second.ETag]))).toBe('EntityTooSmall')
      await place.client.send(new AbortMultipartUploadCommand({ ...target(), UploadId }))
    })

    test('does not list an aborted upload', async () => {
      const keysOfUploads = async () => {
        const list = { Bucket: place.bucket, Prefix: target().Key }
        return (await place.client.send(new ListMultipartUploadsCommand(list))).Uploads?.map(({ Key }) => Key) ?? []
      }
      const UploadId = await begin()
      expect(await keysOfUploads()).toEqual([target().Key])
      await place.client.send(new AbortMultipartUploadCommand({ ...target(), UploadId }))
      expect(await keysOfUploads()).toEqual([])
      const late = place.client.send(new UploadPartCommand({ ...target(), UploadId, PartNumber: 1, Body: part }))
      expect(await codeOf(late)).toBe('NoSuchUpload')
    })

    test('refuses a body that does not match its digest', async () => {
      const wrong = new PutObjectCommand({ ...target(), Body: 'content', ContentMD5: 'AAAAAAAAAAAAAAAAAAAAAA==' })
      expect(await codeOf(place.client.send(wrong))).toMatch(/BadDigest|InvalidDigest/)
    })

    test('refuses who does not sign', async () => {
      const answer = await fetch(`${place.access.endpoint}/${place.bucket}/raw/x`)
      expect(answer.status).toBe(403)
      expect(await answer.text()).toContain('AccessDenied')
    })
  })
}

/** All that could reach a log: messages, fields, hidden fields and causes. */
function inspectDeeply(error: unknown, depth = 0): string {
  if (typeof error !== 'object' || error === null || depth > 6) return String(error)
  return Object.getOwnPropertyNames(error)
    .map((name) => `${name}: ${inspectDeeply((error as Record<string, unknown>)[name], depth + 1)}`)
    .join('\n')
}
