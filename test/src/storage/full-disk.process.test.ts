/** A disk without room while a file grows: a clear error, and what was kept stays good. */

import { execFile } from 'node:child_process'
import * as files from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, type TestContext, test } from 'vitest'
import type { GrowingFile } from '../../../packages/core/recording.ts'
import { FolderStorage } from '../../../src/storage/folder/storage.ts'
import { recoverSpool } from '../../../src/storage/recovery/recover-spool.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { bodyOf, count, open, STEP, serve } from './faulty-server.ts'
import { NUMBERED, numberedBody, numberedHead, numberedPiece } from './numbered-pieces.ts'
import { growthOf, head, never } from './place.ts'

const run = promisify(execFile)
const PIECE = 200_000

/** A real disk of a few MiB. Only root may mount one. */
async function smallDisk(context: TestContext): Promise<string> {
  const folder = temporaryFolder()
  try {
    await run('mount', ['-t', 'tmpfs', '-o', 'size=6m', 'tmpfs', folder])
  } catch (error) {
    context.skip(`no small disk can be mounted here: ${String((error as { stderr?: unknown }).stderr).trim()}`)
  }
  onTestFinished(async () => void (await run('umount', [folder])))
  return folder
}

/** Resolves with the number of pieces that were kept, and the error that ended it. */
async function fill(file: GrowingFile): Promise<{ pieces: number; error: Error }> {
  for (let pieces = 0; ; pieces++) {
    try {
      await file.append(numberedPiece(pieces, PIECE))
    } catch (error) {
      return { pieces, error: error as Error }
    }
  }
}

describe('a full disk', () => {
  test('under a folder: what was kept is finished in its place', async (context) => {
    const root = await smallDisk(context)
    const storage = new FolderStorage({ path: root }, { botId: 'bot' })
    const file = await storage.grow(growthOf('video.mp4'), never)
    const { pieces, error } = await fill(file)
    expect(pieces).toBeGreaterThan(20)
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'full' })
    expect(error.message).toContain(`Cannot store more of video.mp4: no room left at ${root}`)
    const rooms: (number | null)[] = []
    const stored = await file.finish((room) => {
      rooms.push(room)
      return room === null ? Buffer.from('compact') : head(room)
    }, never)
    // There is no room for a copy with a compact head.
    expect(rooms).toEqual([null, 5000])
    const found = await files.readFile(path.join(root, 'bot', 'video.mp4'))
    expect(found.length).toBe(stored.bytes)
    expect(found.subarray(5000).equals(numberedBody(pieces, PIECE))).toBe(true)
    expect(await files.readdir(path.join(root, 'bot'))).toEqual(['video.mp4'])
  })

  test('under a folder: a bot that crashed because of it is recovered without any more room', async (context) => {
    const root = await smallDisk(context)
    const storage = new FolderStorage({ path: root }, { botId: 'bot' })
    const file = await storage.grow(growthOf('video.mp4'), never)
    const { pieces } = await fill(file)
    await file.close()
    await files.writeFile(path.join(root, 'rest'), Buffer.alloc(PIECE)).catch(() => {})
    const recovered = await recoverSpool(path.join(root, 'bot'), { format: NUMBERED, signal: never })
    expect(recovered).toMatchObject({ files: [{ seconds: pieces / 2, index: 'whole' }], problems: [] })
    const found = await files.readFile(path.join(root, 'bot', 'video.mp4'))
    expect(found.subarray(0, 5000)).toEqual(numberedHead(pieces * PIECE, 5000))
    expect(found.subarray(5000).equals(numberedBody(pieces, PIECE))).toBe(true)
  })

  test('under the spool of S3: what was kept is stored when the server is back', async (context) => {
    const workFolder = await smallDisk(context)
    const server = await serve()
    const storage = open(server, {}, {}, workFolder)
    const file = await storage.grow(growthOf('video.mp4'), never)
    await expect.poll(() => count(server, 'PutObject')).toBe(1)
    await server.goDown()
    const { pieces, error } = await fill(file)
    expect(pieces).toBeGreaterThan(20)
    expect(error).toMatchObject({ name: 'StorageError', trouble: 'full' })
    expect(error.message).toContain('no room left')
    await server.comeBack()
    await file.finish((room) => head(room!), never)
    expect(bodyOf(server)?.subarray(STEP).equals(numberedBody(pieces, PIECE))).toBe(true)
    expect(await files.readdir(workFolder)).toEqual([])
  })
})
