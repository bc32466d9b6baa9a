/** The contract of every storage. Called by one test file for each place. */

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { StorageError } from '../../../src/storage/index.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { localFile, never, type Place, rejectionOf, video } from './place.ts'

const FORBIDDEN_NAMES = [
  ...['', '..', 'a/../../x', '/etc/passwd', 'a//b', './a', 'nul\0.mp4', 'line\nbreak', 'back\\slash'],
  ...['half \ud800 character', 'x'.repeat(256)],
]

const ODD_NAMES = [
  'two words.mp4',
  'Besprechung Zürich – Überblick 会议 🎥.mp4',
  'a+b%20c&d=e?f#g;h.mp4',
  `quotes " ' and <tags>.json`,
  '~tilde (1) [2] {3} $4 @5 !6 *7.txt',
  '...three dots',
  'debug/page.html',
]

export function storageContract(name: string, getPlace: () => Place): void {
  describe(`storage in ${name}`, () => {
    let place: Place
    let botId: string
    beforeEach(() => {
      place = getPlace()
      botId = crypto.randomUUID()
    })

    test('a stored file is whole, and its size and checksum are returned', async () => {
      const local = await localFile(100_000)
      const storage = place.open(botId)
      await storage.prepare(never)
      const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
      const location = place.addressOf(botId, 'video.mp4')
      expect(stored).toEqual({ name: 'video.mp4', location, bytes: 100_000, sha256: local.sha256 })
      expect(await place.read(botId, 'video.mp4')).toEqual(local.content)
      const beginning = `${local.path}.beginning`
      await storage.fetch('video.mp4', beginning, never, 70_000)
      expect(await readFile(beginning)).toEqual(local.content.subarray(0, 70_000))
      expect(await readFile(local.path), 'deleting it is up to the caller').toEqual(local.content)
      expect(location.startsWith(storage.location())).toBe(true)
    })

    test('preparing leaves nothing behind and may be repeated', async () => {
      const storage = place.open(botId)
      await storage.prepare(never)
      await storage.prepare(never)
      expect(await place.leftovers(botId)).toEqual([])
      expect(await place.read(botId, '.standin-write-test')).toBeNull()
    })

    test.for([
      ['an empty file', 0, 0],
      ['a file a byte shorter than a step', 1, -1],
      ['a file of a whole step', 1, 0],
      ['a file a byte longer than a step', 1, 1],
      ['a file of several steps and odd last bytes', 2, 12_345],
    ] as const)('%s is whole', async ([, steps, more]) => {
      const local = await localFile(steps * place.stepBytes + more)
      const stored = await place.open(botId).store({ name: 'video.mp4', path: local.path, ...video }, never)
      expect(stored).toMatchObject({ bytes: local.content.length, sha256: local.sha256 })
      expect((await place.read(botId, 'video.mp4'))?.equals(local.content)).toBe(true)
      expect(await place.leftovers(botId)).toEqual([])
    })

    test.for(ODD_NAMES)('the name %j is kept as it is', async (odd) => {
      const local = await localFile(1000)
      const stored = await place.open(botId).store({ name: odd, path: local.path, ...video }, never)
      expect(stored).toMatchObject({ name: odd, location: place.addressOf(botId, odd) })
      expect(await place.read(botId, odd)).toEqual(local.content)
    })

    test.for(FORBIDDEN_NAMES)('the name %j is refused', async (forbidden) => {
      const local = await localFile(10)
      const error = await rejectionOf(place.open(botId).store({ name: forbidden, path: local.path, ...video }, never))
      expect(error).toBeInstanceOf(StorageError)
      expect(error).toMatchObject({ trouble: 'invalid' })
      expect(error.message).toMatch(/^The file name /)
      expect(error.message).not.toMatch(/[\0\n]/)
    })

    test.for(['', '..', 'a/b', '/x', 'nul\0'])('the bot id %j is refused', (forbidden) => {
      expect(() => place.open(forbidden)).toThrow(/^The bot id /)
    })

    test('sending a name again replaces what was there, also by something shorter', async () => {
      const storage = place.open(botId)
      const [long, short] = [await localFile(place.stepBytes + 777), await localFile(50)]
      for (const local of [short, long, short]) {
        const stored = await storage.store({ name: 'video.mp4', path: local.path, ...video }, never)
        expect(stored.sha256).toBe(local.sha256)
        expect((await place.read(botId, 'video.mp4'))?.equals(local.content)).toBe(true)
      }
      expect(await place.leftovers(botId)).toEqual([])
    })

    test('files sent at the same time do not disturb each other', async () => {
      const storage = place.open(botId)
      const locals = await Promise.all([10, place.stepBytes + 1, 3000, 0].map((bytes) => localFile(bytes)))
      await Promise.all(
        locals.map((local, index) => storage.store({ name: `file ${index}`, path: local.path, ...video }, never)),
      )
      for (const [index, local] of locals.entries()) {
        expect((await place.read(botId, `file ${index}`))?.equals(local.content)).toBe(true)
      }
    })

    test.for(['one step', 'several steps'])('a stored file of %s with a wrong bit is noticed', async (size) => {
      const local = await localFile(size === 'one step' ? 5000 : place.stepBytes + 5000)
      place.damageNext(botId, 'video.mp4')
      const error = await rejectionOf(place.open(botId).store({ name: 'video.mp4', path: local.path, ...video }, never))
      expect(error).toMatchObject({ name: 'StorageError', trouble: 'corrupted' })
      expect(error.message).toContain(local.sha256)
      expect((await readFile(local.path)).equals(local.content)).toBe(true)
      expect(await place.leftovers(botId)).toEqual([])
    })

    test('a stop in the middle ends the storing, leaves nothing half done, and the older file as it was', async () => {
      const storage = place.open(botId)
      const older = await localFile(2000)
      await storage.store({ name: 'video.mp4', path: older.path, ...video }, never)
      const local = await localFile(3 * place.stepBytes)
      const stop = new AbortController()
      const reason = new Error('asked to stop')
      place.inTheMiddle(() => stop.abort(reason))
      expect(await rejectionOf(storage.store({ name: 'video.mp4', path: local.path, ...video }, stop.signal))).toBe(
        reason,
      )
      expect(await place.leftovers(botId)).toEqual([])
      expect(await place.read(botId, 'video.mp4')).toEqual(older.content)
      expect((await readFile(local.path)).equals(local.content)).toBe(true)
    })

    test('a stop before the start stores nothing', async () => {
      const local = await localFile(10)
      const reason = new Error('asked to stop')
      const stopped = AbortSignal.abort(reason)
      const storage = place.open(botId)
      expect(await rejectionOf(storage.prepare(stopped))).toBe(reason)
      expect(await rejectionOf(storage.store({ name: 'a', path: local.path, ...video }, stopped))).toBe(reason)
      expect(await place.read(botId, 'a')).toBeNull()
    })

    test('a local file that is not there, or is a folder, is named', async () => {
      const folder = temporaryFolder()
      const missing = path.join(folder, 'missing.mp4')
      const storage = place.open(botId)
      const first = await rejectionOf(storage.store({ name: 'a', path: missing, ...video }, never))
      expect(first.message).toBe(`Cannot store a: ${missing} does not exist (ENOENT).`)
      const second = await rejectionOf(storage.store({ name: 'a', path: folder, ...video }, never))
      expect(second.message).toBe(`Cannot store a: ${folder} is not a file.`)
    })
  })
}
