import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { createFolderStore } from '../../../control-plane/files/folder-store.ts'
import { createFileHandler } from '../../../control-plane/files/serve-file.ts'
import { createLinkSigner } from '../../../control-plane/files/signed-links.ts'
import type { FileRequest } from '../../../control-plane/platform/ports.ts'
import { storeSuite } from './suite.ts'

const base = mkdtempSync(join(tmpdir(), 'standin-files-'))
const root = join(base, 'recordings')
mkdirSync(root)
afterAll(() => rmSync(base, { recursive: true }))

let now = Date.parse('2026-11-25T12:00:00Z')
const signer = (secret = Buffer.alloc(32, 1)) =>
  createLinkSigner({ secret, publicUrl: 'https://api.test/base/', now: () => now })
const store = createFolderStore(root, signer())
const serve = createFileHandler(store, signer())

describe('the store', () => storeSuite(() => store))

test('the job of each attempt stores into a separate folder', () => {
  expect(store.jobStorage('bot', 2)).toEqual({ type: 'folder', path: join(root, 'bot/2') })
})

test('a file that cannot be stored leaves no part of it', async () => {
  mkdirSync(join(root, 'taken/file'), { recursive: true })
  await expect(store.write('taken/file', new Uint8Array(1), 'text/plain')).rejects.toThrow('EISDIR')
  expect(readdirSync(join(root, 'taken'))).toEqual(['file'])
})

/** The request that a browser makes of a link. */
function requestOf(link: string, changes: Partial<FileRequest> = {}): FileRequest {
  const url = new URL(link)
  return {
    method: 'GET',
    key: decodeURIComponent(url.pathname.slice('/base/files/'.length)),
    query: Object.fromEntries(url.searchParams),
    ...changes,
  }
}

describe('a link', () => {
  const key = 'bot/1/bot/chat ä&.json'
  const content = '0123456789'
  mkdirSync(join(root, 'bot/1/bot'), { recursive: true })
  writeFileSync(join(root, key), content)

  test('serves the file with its type and name', async () => {
    const link = await store.sign(key, 60)
    expect(link).toMatch(/^https:\/\/api\.test\/base\/files\/bot\/1\/bot\/chat%20%C3%A4%26\.json\?/)
    const { status, headers, stream } = await serve(requestOf(link))
    expect(status).toBe(200)
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-length': '10',
      'content-disposition': `inline; filename="chat _&.json"; filename*=UTF-8''chat%20%C3%A4%26.json`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
    })
    expect(await text(stream!)).toBe(content)
  })

  test('names the download, and a changed name is refused', async () => {
    const link = await store.sign(key, 60, { downloadName: 'x".json' })
    const { headers, stream } = await serve(requestOf(link))
    expect(headers['content-disposition']).toBe(`attachment; filename="x_.json"; filename*=UTF-8''x%22.json`)
    stream!.destroy()
    const request = requestOf(link)
    expect((await serve({ ...request, query: { ...request.query, name: 'other.exe' } })).status).toBe(403)
  })

  test('works until it expires', async () => {
    const request = requestOf(await store.sign(key, 60))
    now += 59_000
    const answer = await serve(request)
    expect(answer.status).toBe(200)
    answer.stream!.destroy()
    now += 1_000
    expect((await serve(request)).status).toBe(410)
    expect((await serve({ ...request, query: { ...request.query, expires: '99999999999' } })).status).toBe(403)
  })

  test.each<[string, (request: FileRequest) => FileRequest]>([
    ['without a signature', ({ query: { signature, ...query }, ...rest }) => ({ ...rest, query })],
    ['with a wrong signature', (request) => ({ ...request, query: { ...request.query, signature: 'AAAA' } })],
    ['with two signatures', (request) => ({ ...request, query: { ...request.query, signature: ['a', 'b'] } })],
    ['for another file', (request) => ({ ...request, key: 'bot/1/bot/other.json' })],
    ['for the folder', (request) => ({ ...request, key: 'bot/1/bot' })],
  ])('%s is refused', async (_name, change) => {
    expect((await serve(change(requestOf(await store.sign(key, 60))))).status).toBe(403)
  })

  test('of another installation is refused', async () => {
    const link = signer(Buffer.alloc(32, 2)).sign(key, 60)
    expect((await serve(requestOf(link))).status).toBe(403)
  })

  test.each(['../secret', 'bot/../../secret', '/etc/passwd', 'bot/./1', 'bot//1', '.', ''])(
    'for %j is never made, and refused where it is forged with the right secret',
    async (key) => {
      await expect(store.sign(key, 60)).rejects.toThrow('not the key')
      const request = requestOf(signer().sign(key, 60), { key })
      expect((await serve(request)).status).toBe(403)
    },
  )

  test('to a folder, to nothing, or through a symbolic link serves nothing', async () => {
    writeFileSync(join(base, 'secret'), 'secret')
    symlinkSync(join(base, 'secret'), join(root, 'bot/1/link'))
    symlinkSync(base, join(root, 'bot/1/way'))
    for (const key of ['bot/1', 'bot/1/nothing', 'bot/1/link', 'bot/1/way/secret']) {
      const { status, stream } = await serve(requestOf(await store.sign(key, 60)))
      expect([key, status]).toEqual([key, 404])
      expect(await text(stream!)).not.toContain('secret')
    }
    await expect(store.write('bot/1/way/new', new Uint8Array(1), 'text/plain')).rejects.toThrow('symbolic link')
    await store.deletePrefix('bot/1/way')
    expect((await store.list('bot/1')).map(({ key }) => key)).toContain('bot/1/link')
  })

  test.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-100', 206, content, 'bytes 0-9/10'],
    ['bytes=8-1000', 206, '89', 'bytes 8-9/10'],
    ['bytes=10-', 416, null, 'bytes */10'],
    ['bytes=-0', 416, null, 'bytes */10'],
    ['bytes=5-2', 200, content, undefined],
    ['bytes=0-1,3-4', 200, content, undefined],
    ['lines=0-1', 200, content, undefined],
    ['bytes=-', 200, content, undefined],
  ] as const)('with the range %s answers %d', async (range, status, body, contentRange) => {
    const answer = await serve(requestOf(await store.sign(key, 60), { range }))
    expect(answer.status).toBe(status)
    expect(answer.headers['content-range']).toBe(contentRange)
    expect(answer.stream === null ? null : await text(answer.stream)).toBe(body)
    if (body !== null) expect(answer.headers['content-length']).toBe(String(body.length))
  })

  test('with a range of another version of the file is served whole', async () => {
    const request = requestOf(await store.sign(key, 60), { range: 'bytes=0-3' })
    const { headers, stream } = await serve(request)
    stream!.destroy()
    const same = await serve({ ...request, ifRange: headers.etag })
    expect(same.status).toBe(206)
    same.stream!.destroy()
    const other = await serve({ ...request, ifRange: '"another"' })
    expect(other.status).toBe(200)
    other.stream!.destroy()
  })

  test('asked for its head carries no body, and neither does an empty file', async () => {
    const head = await serve(requestOf(await store.sign(key, 60), { method: 'HEAD' }))
    expect(head).toMatchObject({ status: 200, headers: { 'content-length': '10' }, stream: null })
    await store.write('bot/1/empty.json', new Uint8Array(0), 'application/json')
    const empty = await serve(requestOf(await store.sign('bot/1/empty.json', 60)))
    expect(empty).toMatchObject({ status: 200, headers: { 'content-length': '0' }, stream: null })
  })
})
