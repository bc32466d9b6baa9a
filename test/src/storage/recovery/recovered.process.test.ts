/** The recording of a dead bot is finished: from its folder, and from the bucket alone. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as files from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { GrowingFile } from '../../../../packages/core/recording.ts'
import { FolderStorage } from '../../../../src/storage/folder/storage.ts'
import { readGrowth } from '../../../../src/storage/growth-journal.ts'
import { listAbandoned, recoverBucket } from '../../../../src/storage/recovery/recover-bucket.ts'
import { recoverSpool } from '../../../../src/storage/recovery/recover-spool.ts'
import { earlierName } from '../../../../src/storage/recovery/recovered.ts'
import type { S3Config } from '../../../../src/storage/s3/session.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'
import type { S3Server } from '../../../servers/s3-server.ts'
import { configOf, open, STEP, serve } from '../faulty-server.ts'
import type { ChildOrder } from '../growing-child.ts'
import { NUMBERED, numberedBody, numberedHead, numberedPiece, UNREADABLE } from '../numbered-pieces.ts'
import { growthOf, never, RECOVERY_HEAD, rejectionOf } from '../place.ts'
import { TEST_TUNING } from '../s3-place.ts'

const BOT = 'bot'
const KEY = `calls/${BOT}/video.mp4`
const options = { format: NUMBERED, tuning: TEST_TUNING, signal: never }
const fromBucket = { ...options, olderThanMs: 0 }
const inCalls = (server: S3Server) => configOf(server, { prefix: 'calls' })
const recoverUpload = (server: S3Server, recording: string, more: object = {}) =>
  recoverSpool(recording, { ...options, credentials: configOf(server), ...more })
/** Those of a recovery. */
const OPERATIONS = [
  ...['HeadObject', 'GetObject', 'CopyObject', 'DeleteObject', 'ListParts', 'ListObjectsV2'],
  ...['CreateMultipartUpload', 'UploadPart', 'UploadPartCopy', 'CompleteMultipartUpload'],
]
const keysIn = (server: S3Server) => [...server.state.objects.keys()]
const bodyIn = (server: S3Server, key = KEY) => server.state.objects.get(key)!.body
const crcOf = (whole: Buffer) => crc32(whole).toString(16).padStart(8, '0')

/** A file that a bot begins in the bucket. */
async function growInBucket(server: S3Server, overrides: Partial<S3Config> = {}) {
  const recording = temporaryFolder()
  const storage = open(server, { prefix: 'calls', ...overrides }, {}, recording)
  const file = await storage.grow(growthOf('video.mp4'), never)
  onTestFinished(() => file.close())
  return { file, recording }
}

/** Appends pieces and goes away without finishing, as far as the spool can tell. */
async function abandon(file: GrowingFile, pieces: number, bytes: number): Promise<void> {
  for (let number = 0; number < pieces; number++) await file.append(numberedPiece(number, bytes))
  await file.close()
}

/** Goes away with nine pieces of half a part, eight of which the server has. Resolves with the work folder. */
async function abandonStored(server: S3Server, overrides: Partial<S3Config> = {}): Promise<string> {
  const { file, recording } = await growInBucket(server, overrides)
  for (let number = 0; number < 9; number++) await file.append(numberedPiece(number, STEP / 2))
  await expect.poll(() => file.storedBytes()).toBe(4 * STEP)
  // The note for recovery.
  await expect.poll(() => keysIn(server)).not.toEqual([])
  await file.close()
  return recording
}

async function growInFolder(pieces: number, bytes: number): Promise<{ root: string; recording: string }> {
  const root = temporaryFolder()
  const storage = new FolderStorage({ path: root }, { botId: BOT })
  await abandon(await storage.grow(growthOf('video.mp4'), never), pieces, bytes)
  return { root, recording: path.join(root, BOT) }
}

/** The one folder in the spool. */
async function spooled(recording: string): Promise<string> {
  const [name] = await files.readdir(path.join(recording, 'spool'))
  return path.join(recording, 'spool', name!)
}

describe('recovery from a folder', () => {
  test('links in place of the spool or of a growing file are not followed', async () => {
    const { root, recording } = await growInFolder(2, 1000)
    const growing = path.join(await spooled(recording), 'growing')
    await files.rename(growing, path.join(root, 'target'))
    await files.symlink(path.join(root, 'target'), growing)
    const before = await files.readFile(path.join(root, 'target'))
    expect((await recoverSpool(recording, options)).problems).toMatchObject([{ name: 'video.mp4' }])
    expect(await files.readFile(path.join(root, 'target'))).toEqual(before)
    await files.rename(path.join(recording, 'spool'), path.join(root, 'spool'))
    await files.symlink(path.join(root, 'spool'), path.join(recording, 'spool'))
    expect(await rejectionOf(recoverSpool(recording, options))).toMatchObject({
      message: expect.stringContaining('is a symbolic link'),
    })
  })

  test('a link in place of the folder of an earlier recording is not followed', async () => {
    const { root, recording } = await growInFolder(2, 1000)
    const outside = path.join(root, 'outside')
    await files.mkdir(outside)
    const { start } = (await readGrowth(await spooled(recording)))!
    await files.symlink(outside, path.join(recording, path.dirname(earlierName('video.mp4', start.startedAt))))
    const { problems } = await recoverSpool(recording, { ...options, asEarlier: true })
    expect(problems).toMatchObject([{ error: { message: expect.stringContaining('is a symbolic link') } }])
    expect(await files.readdir(outside)).toEqual([])
  })

  test('a short recording gets its whole index, and the spool goes', async () => {
    const { recording } = await growInFolder(10, 1000)
    const { files: recovered, problems } = await recoverSpool(recording, options)
    const whole = Buffer.concat([numberedHead(10_000, null), numberedBody(10, 1000)])
    expect(problems).toEqual([])
    const facts = { name: 'video.mp4', bytes: whole.length, seconds: 5, index: 'whole', crc32: crcOf(whole) }
    expect(recovered).toMatchObject([facts])
    expect(await files.readFile(path.join(recording, 'video.mp4'))).toEqual(whole)
    expect(await files.readdir(recording)).toEqual(['video.mp4'])
    expect(await recoverSpool(recording, options)).toEqual({ files: [], problems: [] })
  })

  test('a long one gets it in the room that was kept', async () => {
    const { recording } = await growInFolder(33, 1024 * 1024)
    await recoverSpool(recording, options)
    const found = await files.readFile(path.join(recording, 'video.mp4'))
    expect(found.subarray(0, 5000)).toEqual(numberedHead(33 * 1024 * 1024, 5000))
    expect(found.subarray(5000).equals(numberedBody(33, 1024 * 1024))).toBe(true)
  })

  test('a piece that was torn, and a torn line of the journal, cost that piece only', async () => {
    const { recording } = await growInFolder(10, 1000)
    const folder = await spooled(recording)
    await files.appendFile(path.join(folder, 'growing'), numberedPiece(10, 1000).subarray(0, 700))
    await files.appendFile(path.join(folder, 'journal.jsonl'), '{"to":11')
    await recoverSpool(recording, options)
    const found = await files.readFile(path.join(recording, 'video.mp4'))
    expect(found.subarray(16)).toEqual(numberedBody(10, 1000))
  })

  test('a journal that is ahead of the data, as after a power cut, gives what the data hold', async () => {
    const { recording } = await growInFolder(10, 1000)
    await files.truncate(path.join(await spooled(recording), 'growing'), 5000 + 7_300)
    await recoverSpool(recording, options)
    const found = await files.readFile(path.join(recording, 'video.mp4'))
    expect(found.subarray(16)).toEqual(numberedBody(7, 1000))
  })

  test('what cannot be indexed keeps the head that was meant for this', async () => {
    const { recording } = await growInFolder(10, 1000)
    const { files: recovered } = await recoverSpool(recording, { ...options, format: UNREADABLE })
    expect(recovered).toMatchObject([{ index: 'fragments', seconds: null }])
    const found = await files.readFile(path.join(recording, 'video.mp4'))
    expect(found).toEqual(Buffer.concat([RECOVERY_HEAD, numberedBody(10, 1000)]))
  })

  test('a file that is there already is never replaced', async () => {
    const { recording } = await growInFolder(10, 1000)
    await files.writeFile(path.join(recording, 'video.mp4'), 'a good recording')
    const { files: recovered } = await recoverSpool(recording, options)
    expect(await files.readFile(path.join(recording, 'video.mp4'), 'utf8')).toBe('a good recording')
    expect(recovered[0]!.name).toMatch(/^earlier-.*Z\/video\.mp4$/)
    expect((await files.readFile(recovered[0]!.location)).subarray(16)).toEqual(numberedBody(10, 1000))
  })

  test.each(['', 'null\n5\n', '{"begin":{"name":"video.mp4"}}\n{"to":1000}\n'])(
    'a journal without entries (%j) does not affect the files beside it',
    async (text) => {
      const { recording } = await growInFolder(10, 1000)
      const folder = await spooled(recording)
      await files.writeFile(path.join(folder, 'journal.jsonl'), text)
      const { files: recovered, problems } = await recoverSpool(recording, options)
      expect(recovered).toEqual([])
      expect(problems).toMatchObject([{ name: path.basename(folder) }])
      expect(problems[0]!.error.message).toContain('journal.jsonl cannot be read')
      expect((await files.stat(path.join(folder, 'growing'))).size).toBeGreaterThan(10_000)
    },
  )

  test('a file that was begun and got nothing leaves nothing', async () => {
    const { recording } = await growInFolder(0, 1)
    expect(await recoverSpool(recording, options)).toEqual({ files: [], problems: [] })
    expect(await files.readdir(recording)).toEqual([])
  })

  test('a bot that is alive is left alone', async () => {
    const root = temporaryFolder()
    const recording = path.join(root, BOT)
    const child = await startChild({ config: { type: 'folder', path: root }, workFolder: recording }, 3)
    const error = await rejectionOf(recoverSpool(recording, options))
    expect(error.message).toContain('belongs to a bot that is still running')
    await child.kill()
    expect((await recoverSpool(recording, options)).files).toHaveLength(1)
  })
})

describe('recovery of an upload from its spool', () => {
  const cases: [string, number, number][] = [
    ['a short one', 10, 1000],
    ['one of several parts, the last of them unfinished', 33, 26_225],
    ['one that ends with a part', 8, STEP / 2],
  ]
  test.for(cases)('%s', async ([_, pieces, bytes]) => {
    const server = await serve()
    const { file, recording } = await growInBucket(server)
    await abandon(file, pieces, bytes)
    expect(await recoverUpload(server, recording)).toMatchObject({
      files: [{ name: 'video.mp4', index: 'whole', seconds: pieces / 2, botId: BOT }],
      problems: [],
    })
    const body = bodyIn(server)
    expect(body.subarray(0, 10)).toEqual(numberedHead(pieces * bytes, 16).subarray(0, 10))
    expect([16 + pieces * bytes, STEP + pieces * bytes]).toContain(body.length)
    expect(body.subarray(-pieces * bytes).equals(numberedBody(pieces, bytes))).toBe(true)
    expect(keysIn(server)).toEqual([KEY])
    expect(server.state.uploads.size).toBe(0)
    expect(await files.readdir(recording)).toEqual([])
  })

  test('while the server is away nothing is lost, and it may be tried again', async () => {
    const server = await serve()
    await server.goDown()
    const { file, recording } = await growInBucket(server)
    await abandon(file, 20, STEP / 4)
    const impatient = { ...TEST_TUNING, patience: { firstDelayMs: 1, maxDelayMs: 5, totalMs: 50 } }
    const failed = await recoverUpload(server, recording, { tuning: impatient })
    expect(failed.files).toEqual([])
    expect(failed.problems[0]!.error.message).toContain('ECONNREFUSED')
    await server.comeBack()
    const { files: recovered } = await recoverUpload(server, recording)
    expect(recovered).toMatchObject([{ index: 'whole', bytes: STEP + 5 * STEP }])
  })

  test.for(['spool', 'bucket'])('parts that were sent with checksums are completed with them (%s)', async (where) => {
    const server = await serve({ checksums: true })
    const recording = await abandonStored(server, { checksums: 'when_supported' })
    const { files: recovered, problems } =
      where === 'spool' ? await recoverUpload(server, recording) : await recoverBucket(inCalls(server), fromBucket)
    expect(problems).toEqual([])
    const body = bodyIn(server)
    expect(body.length).toBe(STEP + ((where === 'spool' ? 9 : 8) * STEP) / 2)
    expect(recovered).toMatchObject([{ index: 'whole', bytes: body.length, crc32: crcOf(body) }])
  })

  async function losePart(recording: string, number: number) {
    const journal = path.join(await spooled(recording), 'journal.jsonl')
    const lines = (await files.readFile(journal, 'utf8')).split('\n')
    await files.writeFile(journal, lines.filter((line) => !line.startsWith(`{"part":{"number":${number},`)).join('\n'))
  }

  test('a first part that the journal lost is a problem, and everything stays', async () => {
    const server = await serve()
    const recording = await abandonStored(server)
    await losePart(recording, 2)
    const { problems } = await recoverUpload(server, recording)
    expect(problems.map(({ error }) => error.message)).toEqual(['The journal of video.mp4 lacks its first part'])
    expect(server.state.uploads.size).toBe(1)
    expect(await spooled(recording)).toBeTruthy()
  })

  test('a part that the journal lost ends the recording', async () => {
    const server = await serve()
    const recording = await abandonStored(server)
    await losePart(recording, 3)
    expect(await recoverUpload(server, recording, { format: UNREADABLE })).toMatchObject({ problems: [] })
    expect(
      bodyIn(server)
        .subarray(STEP)
        .equals(numberedBody(2, STEP / 2)),
    ).toBe(true)
  })

  test('before a new bot of the same id begins, its names are left free', async () => {
    const server = await serve()
    const { file, recording } = await growInBucket(server)
    await abandon(file, 9, STEP / 2)
    await recoverUpload(server, recording, { asEarlier: true })
    expect(keysIn(server)).toEqual([expect.stringMatching(/^calls\/bot\/earlier-.*Z\/video\.mp4$/)])
  })

  // After the signal the bot ends; after the limit it records under that name.
  test.for([
    { aborted: 'signal', isFree: true },
    { aborted: 'signal', isFree: false },
    { aborted: 'limit', isFree: true },
  ])('ended anywhere, it may be repeated: $aborted, $isFree', { timeout: 120_000 }, async ({ aborted, isFree }) => {
    const server = await serve()
    let onRequest = () => {}
    for (const operation of OPERATIONS) server.before(operation, () => onRequest())
    for (let last = 1, isOver = false; !isOver; last++) {
      server.state.objects.clear()
      const recording = await abandonStored(server)
      const putNewer = () => server.state.put(KEY, Buffer.from('a newer recording'), 'video/mp4', false)
      if (!isFree) putNewer()
      const end = new AbortController()
      let requests = 0
      onRequest = () => void (++requests === last && end.abort(new Error('ended')))
      const recover = (more: object = {}) => recoverUpload(server, recording, { asEarlier: isFree, ...more })
      await recover({ [aborted]: end.signal })
      isOver = requests < last
      if (aborted === 'limit') putNewer()
      expect((await recover()).problems).toEqual([])
      const names = keysIn(server).filter((key) => key !== KEY)
      expect(names).toEqual([expect.stringMatching(/\/earlier-.*Z\/video\.mp4$/)])
      const body = bodyIn(server, names[0]).subarray(STEP)
      expect(body.equals(numberedBody(9, STEP / 2))).toBe(true)
      const isNewer = !isFree || aborted === 'limit'
      expect(server.state.objects.get(KEY)?.body.toString()).toBe(isNewer ? 'a newer recording' : undefined)
    }
  })
})

describe('recovery from the bucket alone', () => {
  /** The machine is gone; its upload of twenty pieces is not. */
  async function lostMachine(): Promise<S3Server> {
    const server = await serve()
    const { file, recording } = await growInBucket(server)
    for (let number = 0; number < 20; number++) await file.append(numberedPiece(number, STEP / 4))
    await expect.poll(() => file.storedBytes()).toBe(5 * STEP)
    await expect.poll(() => keysIn(server).filter((key) => key.endsWith('.recovery'))).toHaveLength(1)
    await file.close()
    await files.rm(recording, { recursive: true })
    return server
  }

  test('only what was silent for long enough is listed, and only of the wanted bot', async () => {
    const server = await lostMachine()
    for (const look of [{ olderThanMs: 3_600_000 }, { botId: 'another' }])
      expect(await listAbandoned(inCalls(server), { ...fromBucket, ...look })).toEqual([])
    expect(await listAbandoned(inCalls(server), fromBucket)).toMatchObject([{ bot_id: BOT, key: KEY }])
  })

  test('a newer recording of the same name stays, and the old one is laid beside it', async () => {
    const server = await lostMachine()
    server.state.put(KEY, Buffer.from('a newer recording'), 'video/mp4', false)
    const { files: recovered } = await recoverBucket(inCalls(server), fromBucket)
    expect(recovered[0]!.name).toMatch(/^earlier-.*Z\/video\.mp4$/)
    expect(bodyIn(server).toString()).toBe('a newer recording')
    expect(bodyIn(server, `calls/${BOT}/${recovered[0]!.name}`).length).toBe(6 * STEP)
    expect(server.state.objects.size).toBe(2)
  })

  test('where the server cannot copy, the file plays by its fragments', async () => {
    const server = await lostMachine()
    const effect = { kind: 'refuse', status: 501, code: 'NotImplemented' } as const
    server.fail({ operation: 'UploadPartCopy', times: 99, effect })
    expect(await recoverBucket(inCalls(server), fromBucket)).toMatchObject({
      files: [{ index: 'fragments', name: 'video.mp4' }],
      problems: [],
    })
    const whole = bodyIn(server)
    expect(whole.subarray(0, RECOVERY_HEAD.length)).toEqual(RECOVERY_HEAD)
    expect(whole.subarray(STEP).equals(numberedBody(20, STEP / 4))).toBe(true)
  })
})

describe('tails', () => {
  const tailsOf = (server: S3Server) => keysIn(server).filter((key) => /\.recovery\/\d{15}$/.test(key))
  const placeOf = (tail: string) => Number(tail.slice(-15))
  const grow = (server: S3Server) => growInBucket(server, { tail_seconds: 0.02 })

  /** Up to where the bucket holds the body. */
  function safeTo(server: S3Server, file: GrowingFile): number {
    const ends = tailsOf(server).map((key) => placeOf(key) + bodyIn(server, key).length)
    return Math.max(file.storedBytes(), ...ends)
  }

  test.for([3, 35])('of %d pieces nothing is lost with the machine', async (pieces) => {
    const server = await serve()
    const { file, recording } = await grow(server)
    for (let number = 0; number < pieces; number++) {
      await file.append(numberedPiece(number, 26_221))
      await delay(3)
    }
    await expect.poll(() => safeTo(server, file)).toBe(pieces * 26_221)
    await file.close()
    await files.rm(recording, { recursive: true })
    const recovered = await recoverBucket(inCalls(server), fromBucket)
    expect(recovered).toMatchObject({ files: [{ seconds: pieces / 2, index: 'whole' }], problems: [] })
    expect(
      bodyIn(server)
        .subarray(-pieces * 26_221)
        .equals(numberedBody(pieces, 26_221)),
    ).toBe(true)
    expect(keysIn(server)).toEqual([KEY])
    expect(server.state.uploads.size).toBe(0)
  })

  test('go as parts take their place, and all of them with the finish', async () => {
    const server = await serve()
    const { file } = await grow(server)
    await file.append(numberedPiece(0, 26_221))
    await expect.poll(() => tailsOf(server)).toHaveLength(1)
    for (let number = 1; number < 21; number++) await file.append(numberedPiece(number, 26_221))
    await expect.poll(() => safeTo(server, file)).toBe(21 * 26_221)
    // 21 pieces are two parts and the beginning of a third.
    await expect.poll(() => tailsOf(server).every((key) => placeOf(key) >= STEP)).toBe(true)
    await file.finish((room) => numberedHead(0, room), never)
    expect(keysIn(server)).toEqual([KEY])
  })

  test('go with the finish too where the answer to their upload was lost', async () => {
    const server = await serve()
    const { file } = await grow(server)
    await file.append(numberedPiece(0, 26_221))
    await expect.poll(() => tailsOf(server)).toHaveLength(1)
    server.fail({ operation: 'PutObject', times: 1000, effect: { kind: 'lose_answer' } })
    for (let number = 1; number < 21; number++) await file.append(numberedPiece(number, 26_221))
    await expect.poll(() => tailsOf(server).some((key) => placeOf(key) >= STEP)).toBe(true)
    await file.finish((room) => numberedHead(0, room), never)
    expect(keysIn(server)).toEqual([KEY])
  })

  test('are left out where the bot may not delete', async () => {
    const server = await serve()
    const effect = { kind: 'refuse', status: 403, code: 'AccessDenied' } as const
    server.fail({ operation: 'DeleteObject', times: 1000, effect })
    const { file } = await grow(server)
    let number = 0
    const appendMore = () => file.append(numberedPiece(number++, 1000)).then(() => tailsOf(server).length)
    await expect.poll(appendMore).toBe(3)
    for (let more = 0; more < 10; more++) {
      await appendMore()
      await delay(20)
    }
    expect(tailsOf(server)).toHaveLength(3)
    await file.finish((room) => numberedHead(0, room), never)
    expect(server.state.objects.has(KEY)).toBe(true)
  })
})

describe('a bot that is killed at any moment', () => {
  // Each round starts a separate process, which takes seconds on a busy machine.
  test.for(['folder', 'S3'])('loses nothing that it had kept (%s)', { timeout: 120_000 }, async (where) => {
    const server = await serve()
    for (let round = 0; round < 3; round++) {
      const root = temporaryFolder()
      const recording = where === 'folder' ? path.join(root, BOT) : root
      const config = where === 'folder' ? { type: 'folder' as const, path: root } : inCalls(server)
      server.state.objects.clear()
      const pieceBytes = 20_000 + round * 7_001
      const child = await startChild({ config, workFolder: recording, pieceBytes, pauseMs: 1 }, 1 + round * 30)
      await delay(Math.random() * 30)
      const kept = await child.kill()
      const { files: recovered, problems } = await recoverUpload(server, recording)
      expect(problems).toEqual([])
      expect(recovered).toMatchObject([{ name: 'video.mp4', index: 'whole' }])
      const whole = where === 'folder' ? await files.readFile(path.join(recording, 'video.mp4')) : bodyIn(server)
      const found = recovered[0]!.seconds! * 2
      expect(found).toBeGreaterThanOrEqual(kept)
      expect(found).toBeLessThanOrEqual(kept + 1)
      expect(whole.subarray(-found * pieceBytes).equals(numberedBody(found, pieceBytes))).toBe(true)
      expect(server.state.uploads.size).toBe(0)
    }
  })
})

/** Starts a process that records, and resolves when it has kept so many pieces. */
async function startChild(order: Partial<ChildOrder> & Pick<ChildOrder, 'config'>, pieces: number) {
  const whole: ChildOrder = {
    ...{ botId: BOT, workFolder: '', partBytes: STEP, pieceBytes: 1000 },
    ...{ headBytes: 5000, pieces: 10_000, pauseMs: 20 },
    ...order,
  }
  const script = fileURLToPath(new URL('../growing-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, JSON.stringify(whole)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  let kept = 0
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      kept = Number(line)
      if (kept >= pieces) resolve()
    })
    child.once('exit', () => reject(new Error('The child ended too early')))
  })
  /** Resolves with the number of pieces that it said it had kept. */
  const kill = async () => {
    const gone = once(child, 'close')
    child.kill('SIGKILL')
    await gone
    return kept
  }
  return { kill }
}
