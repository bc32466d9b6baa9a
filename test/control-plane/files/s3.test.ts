import { text } from 'node:stream/consumers'
import { CreateMultipartUploadCommand, UploadPartCommand } from '@aws-sdk/client-s3'
import { storageSchema } from '@standin/wire/job.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openFileStore, parseStorage } from '../../../control-plane/files/open-file-store.ts'
import { createS3Store, type S3Settings } from '../../../control-plane/files/s3-store.ts'
import type { FileRequest } from '../../../control-plane/platform/ports.ts'
import { type S3Server, s3ClientOf, startS3Server, storeSettingsOf } from '../../servers/s3-server.ts'
import { storeSuite } from './suite.ts'

let server: S3Server
let store: ReturnType<typeof createS3Store>
let settings: S3Settings
beforeAll(async () => {
  server = await startS3Server()
  settings = storeSettingsOf(server)
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

describe('a link to the service', () => {
  const links = { secret: Buffer.alloc(32, 1), publicUrl: 'https://api.test', now: Date.now }
  const open = async (changes: Partial<S3Settings> = {}) => {
    const files = await openFileStore({ ...settings, isServed: true, ...changes }, links)
    onTestFinished(() => files.close())
    return files
  }
  const requestOf = (link: string, changes: Partial<FileRequest> = {}): FileRequest => {
    const { pathname, searchParams } = new URL(link)
    const key = decodeURIComponent(pathname.slice('/files/'.length))
    return { method: 'GET', key, query: Object.fromEntries(searchParams), ...changes }
  }
  const key = 'served/1/video ä.mp4'
  const content = '0123456789'

  test('streams the object, whole or in part, with its type', async () => {
    const { store, handler } = await open()
    await store.write(key, new Uint8Array(Buffer.from(content)), 'video/mp4')
    const link = await store.sign(key, 60)
    expect(link).toMatch(/^https:\/\/api\.test\/files\/served\/1\/video%20%C3%A4\.mp4\?/)
    const whole = await handler(requestOf(link))
    expect([whole.status, await text(whole.stream!)]).toEqual([200, content])
    const headers = { 'content-type': 'video/mp4', 'content-length': '10', 'accept-ranges': 'bytes' }
    expect(whole.headers).toMatchObject(headers)
    const part = await handler(requestOf(link, { range: 'bytes=2-4', ifRange: whole.headers.etag }))
    expect([part.status, part.headers['content-range'], await text(part.stream!)]).toEqual([206, 'bytes 2-4/10', '234'])
    const end = await handler(requestOf(link, { range: 'bytes=-3' }))
    expect([end.status, await text(end.stream!)]).toEqual([206, '789'])
    expect((await handler(requestOf(link, { range: 'bytes=10-' }))).status).toBe(416)
    expect(await handler(requestOf(link, { method: 'HEAD' }))).toMatchObject({ status: 200, stream: null })
  })

  test('is refused without its signature, and 404 if there is no object', async () => {
    const { store, handler } = await open()
    const request = requestOf(await store.sign('served/1/nothing', 60))
    expect((await handler(request)).status).toBe(404)
    expect((await handler({ ...request, key })).status).toBe(403)
    await expect(store.sign('../other', 60)).rejects.toThrow('not the key')
  })

  test('is answered also by a process whose own links lead to the storage', async () => {
    const { store } = await open()
    await store.write(key, new Uint8Array(Buffer.from(content)), 'video/mp4')
    const { isServed: _, ...plain } = { ...settings, isServed: true }
    const other = await openFileStore(plain, links)
    onTestFinished(() => other.close())
    expect(new URL(await other.store.sign(key, 60)).host).toBe(new URL(server.endpoint).host)
    const { status, stream } = await other.handler(requestOf(await store.sign(key, 60)))
    expect([status, await text(stream!)]).toEqual([200, content])
  })

  test('that many callers read slowly leaves connections for the work of the service', async () => {
    const { store, handler, check } = await open()
    await store.write(key, new Uint8Array(8 * 1024 * 1024), 'video/mp4')
    const request = requestOf(await store.sign(key, 60))
    const slow = await Promise.all(Array.from({ length: 60 }, () => handler(request)))
    try {
      await check()
    } finally {
      for (const { stream } of slow) stream!.destroy()
    }
  })
})

test('deletion also ends unfinished uploads, whose parts no listing of objects shows', async () => {
  const client = s3ClientOf({ endpoint: server.endpoint, ...server.keys })
  const at = { Bucket: server.bucket, Key: 'all/of it/late/1/video.mp4' }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(at))
  await client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 1, Body: 'part' }))
  expect(await store.list('late')).toEqual([])
  expect(await store.bytesOf('late')).toBe(4)
  await store.deletePrefix('late')
  const late = client.send(new UploadPartCommand({ ...at, UploadId, PartNumber: 2, Body: 'part' }))
  await expect(late).rejects.toMatchObject({ name: 'NoSuchUpload' })
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
    const [endpoint, region] = ['http://s3.test:9000', 'eu-west-1']
    const keys = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' }
    expect(parseStorage('s3://bucket', { AWS_ENDPOINT_URL_S3: endpoint, AWS_REGION: region, ...keys })).toEqual({
      ...{ type: 's3', bucket: 'bucket', prefix: '', endpoint, region },
      ...{ accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' },
    })
  })

  test.each(['', 'folder:', '/data', 's3://', 'https://bucket'])('%j is refused', (text) => {
    expect(() => parseStorage(text, {})).toThrow('neither')
  })
})
