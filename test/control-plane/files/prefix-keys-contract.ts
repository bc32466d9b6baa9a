/** Keys for one prefix open the files of one attempt and no others, on every server with STS. */

import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { storageSchema } from '@standin/wire/job.ts'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openFileStore } from '../../../control-plane/files/open-file-store.ts'
import type { S3Settings } from '../../../control-plane/files/s3-store.ts'
import { recoverBucket } from '../../../src/storage/bucket.ts'
import type { S3Config } from '../../../src/storage/s3/session.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { s3ClientOf } from '../../servers/s3-server.ts'
import { NUMBERED, numberedPiece } from '../../src/storage/numbered-pieces.ts'
import { growthOf, head, localFile, never, video } from '../../src/storage/place.ts'
import { TEST_TUNING } from '../../src/storage/s3-place.ts'

const STEP = TEST_TUNING.partBytes!
const PIECE = 700_001

export type WithRole = S3Settings & { roleArn: string; endpoint: string; accessKeyId: string; secretAccessKey: string }

export async function openKeys(settings: S3Settings) {
  const links = { secret: Buffer.alloc(32), publicUrl: 'http://127.0.0.1', now: Date.now }
  const files = await openFileStore(settings, links)
  onTestFinished(() => files.close())
  return files
}

function clientOf({
  endpoint,
  access_key_id: accessKeyId,
  secret_access_key: secretAccessKey,
  session_token,
}: S3Config) {
  const keys = { accessKeyId: accessKeyId!, secretAccessKey: secretAccessKey!, sessionToken: session_token! }
  const client = s3ClientOf({ endpoint: endpoint!, ...keys })
  onTestFinished(() => client.destroy())
  return client
}

/** The storage of the job of one attempt. */
async function jobOf(settings: WithRole, botId: string, attempt = 1): Promise<S3Config> {
  const { store } = await openKeys(settings)
  const job = { ...store.jobStorage(botId, attempt), ...(await store.prefixKeys!(botId, attempt)) }
  return storageSchema.parse(job) as S3Config
}

/** `work` is the bot's folder on its machine. */
async function open(job: S3Config, botId: string) {
  const work = temporaryFolder()
  return { work, storage: new S3Storage({ ...job, tail_seconds: 1 }, { botId, workFolder: work }, TEST_TUNING) }
}

export function prefixKeysContract(name: string, settingsOf: () => WithRole): void {
  describe(`keys of one prefix on ${name}`, () => {
    let settings: WithRole
    let botId: string
    let operator: S3Config
    beforeEach(() => {
      settings = settingsOf()
      botId = randomUUID()
      const { endpoint, accessKeyId, secretAccessKey, bucket } = settings
      operator = { type: 's3', bucket, endpoint, access_key_id: accessKeyId, secret_access_key: secretAccessKey }
    })

    /** Objects that were begun and not ended. */
    async function unfinished(part: string) {
      const { Uploads = [] } = await clientOf(operator).send(
        new ListMultipartUploadsCommand({ Bucket: settings.bucket }),
      )
      return Uploads.filter(({ Key }) => Key!.includes(part))
    }
    const growing = async (storage: S3Storage) => {
      const file = await storage.grow(growthOf('video.mp4'), never)
      for (let number = 0; number < 20; number++) await file.append(numberedPiece(number, PIECE))
      return file
    }
    async function keysIn(place: string): Promise<string[]> {
      const { store } = await openKeys(settings)
      return (await store.list(place)).map(({ key }) => key.slice(place.length + 1)).sort()
    }

    test('the check at the start passes, and leaves nothing', async () => {
      await (await openKeys(settings)).checkKeys!()
      expect(await unfinished('.standin-check')).toEqual([])
    })

    test('a bot stores, grows, reads and aborts its own files', async () => {
      const { storage, work } = await open(await jobOf(settings, botId), botId)
      await storage.prepare(never)
      for (const bytes of [1000, 2 * STEP + 5]) {
        const local = await localFile(bytes)
        const stored = await storage.store({ name: `${bytes}.mp4`, path: local.path, ...video }, never)
        expect(stored).toMatchObject({ bytes, sha256: local.sha256 })
        await storage.fetch(`${bytes}.mp4`, `${work}/back`, never)
        expect((await readFile(`${work}/back`)).equals(local.content)).toBe(true)
      }
      const file = await growing(storage)
      // The note for recovery and the bytes behind the last part, which go with the end.
      const isTail = expect.stringMatching(/video\.mp4\.\w{8}\.recovery\/\d+$/)
      await expect.poll(() => keysIn(`${botId}/1`)).toContainEqual(isTail)
      await file.finish((room) => head(room!), never)
      const names = ['1000.mp4', `${2 * STEP + 5}.mp4`, 'video.mp4'].sort()
      expect(await keysIn(`${botId}/1`)).toEqual(names.map((each) => `${botId}/${each}`))

      const failing = storage.store({ name: 'gone', path: `${work}/none`, ...video }, never)
      await expect(failing).rejects.toThrow('Cannot')
      expect(await unfinished(botId)).toEqual([])
    })

    test('the operator finishes what a bot left behind', async () => {
      const job = await jobOf(settings, botId)
      const { storage } = await open(job, botId)
      const file = await growing(storage)
      await expect.poll(() => file.storedBytes()).toBe(2 * STEP)
      await expect.poll(() => keysIn(`${botId}/1`)).toContainEqual(expect.stringMatching(/\.recovery$/))
      await file.close()
      const options = { botId, olderThanMs: 0, tuning: TEST_TUNING, signal: never, format: NUMBERED }
      const { files, problems } = await recoverBucket({ ...operator, prefix: job.prefix! }, options)
      expect(problems).toEqual([])
      expect(files).toMatchObject([{ botId, index: 'whole' }])
      expect(await keysIn(`${botId}/1`)).toEqual([`${botId}/video.mp4`])
    })

    test('files of another bot, or of another attempt, cannot be read, listed, changed or deleted', async () => {
      const mine = await jobOf(settings, botId)
      const thief = clientOf(mine)
      const owner = clientOf(operator)
      const Bucket = settings.bucket
      const root = mine.prefix!.replace(`${botId}/1`, '')
      const own = `${mine.prefix}/${botId}/video.mp4`
      await thief.send(new PutObjectCommand({ Bucket, Key: own, Body: 'mine' }))
      // The last three begin or end as the bot's own do.
      const places = [`${randomUUID()}/1`, `${botId}/2`, `${botId}/11`, `${botId}/1.recovery`, `x/${botId}/1`]
      const others = places.map((place) => `${root}${place}/${botId}/video.mp4`)
      for (const Key of [...others, `${root}video.mp4.recovery`]) {
        await owner.send(new PutObjectCommand({ Bucket, Key, Body: 'theirs' }))
        const { UploadId } = await owner.send(new CreateMultipartUploadCommand({ Bucket, Key }))
        const at = { Bucket, Key }
        const part = { ...at, UploadId, PartNumber: 1 }
        const { ETag } = await owner.send(new UploadPartCommand({ ...part, Body: 'part' }))
        const whole = { Parts: [{ PartNumber: 1, ETag }] }
        const attempts = [
          new GetObjectCommand(at),
          new HeadObjectCommand(at),
          new PutObjectCommand({ ...at, Body: 'stolen' }),
          new DeleteObjectCommand(at),
          new CopyObjectCommand({ Bucket, Key: own, CopySource: encodeURI(`${Bucket}/${Key}`) }),
          new CopyObjectCommand({ ...at, CopySource: encodeURI(`${Bucket}/${own}`) }),
          new CreateMultipartUploadCommand(at),
          new UploadPartCommand({ ...part, Body: 'stolen' }),
          new ListPartsCommand({ ...at, UploadId }),
          new AbortMultipartUploadCommand({ ...at, UploadId }),
          new CompleteMultipartUploadCommand({ ...at, UploadId, MultipartUpload: whole }),
        ]
        for (const attempt of attempts) {
          const outcome = await thief.send(attempt as GetObjectCommand).then(
            () => 'done',
            (error) => error.$metadata.httpStatusCode,
          )
          expect(outcome, `${attempt.constructor.name} of ${Key}`).toBe(403)
        }
        expect(await (await owner.send(new GetObjectCommand(at))).Body!.transformToString()).toBe('theirs')
        expect((await owner.send(new ListPartsCommand({ ...at, UploadId }))).Parts).toMatchObject([{ ETag }])
        await owner.send(new AbortMultipartUploadCommand({ ...at, UploadId }))
      }
      for (const Prefix of ['', root, `${mine.prefix}/`]) {
        await expect(thief.send(new ListObjectsV2Command({ Bucket, Prefix }))).rejects.toThrow()
        await expect(thief.send(new ListMultipartUploadsCommand({ Bucket, Prefix }))).rejects.toThrow()
      }
    })
  })
}
