import { CreateMultipartUploadCommand, S3Client, UploadPartCommand } from '@aws-sdk/client-s3'
import { storageSchema } from '@standin/wire/job.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseStorage } from '../../../control-plane/files/open-file-store.ts'
import { createS3Store, type S3Settings } from '../../../control-plane/files/s3-store.ts'
import { type S3Server, startS3Server } from '../../servers/s3-server.ts'
import { storeSuite } from './suite.ts'

let server: S3Server
let store: ReturnType<typeof createS3Store>
let settings: S3Settings
beforeAll(async () => {
  server = await startS3Server()
  settings = {
    type: 's3',
    bucket: server.bucket,
    prefix: 'all/of it',
    endpoint: server.endpoint,
    accessKeyId: server.keys.accessKeyId,
    secretAccessKey: server.keys.secretAccessKey,
  }
  store = createS3Store(settings)
})
afterAll(async () => {
  store.close()
  await server.close()
})

describe('the store', () => storeSuite(() => store))

test('a link works without keys, and not after a change', async () => {
  await store.write('bot/1/video.mp4', new Uint8Array(Buffer.from('0123456789')), 'video/mp4')
  const link = await store.sign('bot/1/video.mp4', 60)
  const answer = await fetch(link)
  expect([answer.status, await answer.text()]).toEqual([200, '0123456789'])
  const part = await fetch(link, { headers: { range: 'bytes=2-4' } })
  expect([part.status, await part.text()]).toEqual([206, '234'])
  expect((await fetch(link.replace('video.mp4', 'audio.m4a'))).status).toBe(403)
  const named = new URL(await store.sign('bot/1/video.mp4', 60, { downloadName: 'my video.mp4' }))
  expect(named.searchParams.get('response-content-disposition')).toBe('attachment; filename="my video.mp4"')
})

test('deletion also ends unfinished uploads, whose parts no listing of objects shows', async () => {
  const client = new S3Client({
    endpoint: server.endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: server.keys,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })
  const at = { Bucket: server.bucket, Key: 'all/of it/late/1/video.mp4' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at))
  await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'part' }))
  expect(await store.list('late')).toEqual([])
  expect(await store.bytesOf('late')).toBe(4)
  await store.deletePrefix('late')
  await expect(
    client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 2, Body: 'part' })),
  ).rejects.toMatchObject({ name: 'NoSuchUpload' })
  client.destroy()
})

test('a refused deletion is an error', async () => {
  await store.write('kept/1/a', new Uint8Array(1), 'text/plain')
  server.fail({ operation: 'DeleteObject', times: 1, effect: { kind: 'refuse', status: 403, code: 'AccessDenied' } })
  await expect(store.deletePrefix('kept')).rejects.toMatchObject({ name: 'AccessDenied' })
  expect((await store.list('kept')).length).toBe(1)
})

test('the job of an attempt is one that the worker accepts', () => {
  const job = store.jobStorage('bot', 2)
  expect(storageSchema.parse(job)).toEqual(job)
  expect(job).toMatchObject({ bucket: server.bucket, prefix: 'all/of it/bot/2', endpoint: server.endpoint })
})

describe('STANDIN_STORAGE', () => {
  test.each([
    ['folder:/data/recordings', { type: 'folder', path: '/data/recordings' }],
    ['s3://bucket', { type: 's3', bucket: 'bucket', prefix: '' }],
    ['s3://bucket/a/b/', { type: 's3', bucket: 'bucket', prefix: 'a/b' }],
  ])('%s', (text, expected) => {
    expect(parseStorage(text, {})).toEqual(expected)
  })

  test('takes endpoint, region and keys from the environment', () => {
    const environment = {
      AWS_ENDPOINT_URL_S3: 'http://s3.test:9000',
      AWS_REGION: 'eu-west-1',
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_SESSION_TOKEN: 'c',
    }
    expect(parseStorage('s3://bucket', environment)).toEqual({
      type: 's3',
      bucket: 'bucket',
      prefix: '',
      endpoint: 'http://s3.test:9000',
      region: 'eu-west-1',
      accessKeyId: 'a',
      secretAccessKey: 'b',
      sessionToken: 'c',
    })
  })

  test.each(['', 'folder:', '/data', 's3://', 'https://bucket'])('%j is refused', (text) => {
    expect(() => parseStorage(text, {})).toThrow('neither')
  })
})
