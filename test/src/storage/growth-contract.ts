/** The contract of every storage for a file that is stored while it grows. Called by one test file for each place. */

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { type GrowingPlace, growthOf, head, never, pieces, RECOVERY_HEAD, rejectionOf } from './place.ts'

export function growthContract(name: string, getPlace: () => GrowingPlace): void {
  describe(`growing files in ${name}`, () => {
    let place: GrowingPlace
    let botId: string
    beforeEach(() => {
      place = getPlace()
      botId = crypto.randomUUID()
    })

    test('a short one gets a head of just the needed size, and no other file stays', async () => {
      const storage = place.open(botId)
      const file = await storage.grow(growthOf('video.mp4'), never)
      const body = pieces(20, 1000)
      for (const piece of body) await file.append(piece)
      const rooms: (number | null)[] = []
      const stored = await file.finish((room) => {
        rooms.push(room)
        return Buffer.from('the head')
      }, never)
      const whole = Buffer.concat([Buffer.from('the head'), ...body])
      expect(rooms).toEqual([null])
      expect(stored).toEqual({
        name: 'video.mp4',
        location: place.addressOf(botId, 'video.mp4'),
        bytes: whole.length,
        sha256: null,
        crc32: crc32(whole).toString(16).padStart(8, '0'),
      })
      expect((await place.read(botId, 'video.mp4'))?.equals(whole)).toBe(true)
      expect(file.storedBytes()).toBe(20_000)
      expect(await place.leftovers(botId)).toEqual([])
    })

    test('a long one fills the room with its head, and its body has gone before', async () => {
      const file = await place.open(botId).grow(growthOf('video.mp4', 100_000), never)
      const body = pieces(50, Math.ceil(place.longBytes / 50) + 1)
      // Not waited for one by one: the order is that of the calls.
      await Promise.all(body.map((piece) => file.append(piece)))
      await expect.poll(() => file.storedBytes()).toBeGreaterThan(place.longBytes * 0.6)
      let given = head(0)
      const stored = await file.finish((room) => {
        given = head(room!)
        return given
      }, never)
      expect(given.length).toBeGreaterThanOrEqual(100_000)
      const whole = Buffer.concat([given, ...body])
      expect(stored).toMatchObject({ bytes: whole.length, crc32: crc32(whole).toString(16).padStart(8, '0') })
      expect((await place.read(botId, 'video.mp4'))?.equals(whole)).toBe(true)
      expect(await place.leftovers(botId)).toEqual([])
      // Asked again, as after a lost answer.
      expect(await file.finish(() => head(1), never)).toEqual(stored)
      await file.close()
    })

    test('one of nothing but a head is a file too', async () => {
      const file = await place.open(botId).grow(growthOf('audio.m4a'), never)
      expect(await file.finish(() => Buffer.from('head'), never)).toMatchObject({ bytes: 4 })
      expect(await place.read(botId, 'audio.m4a')).toEqual(Buffer.from('head'))
      expect(await place.leftovers(botId)).toEqual([])
    })

    test('two at once, and others stored beside them, do not disturb each other', async () => {
      const storage = place.open(botId)
      const files = await Promise.all(['video.mp4', 'audio.m4a'].map((each) => storage.grow(growthOf(each), never)))
      const size = Math.ceil(place.stepBytes / 20)
      const bodies = files.map(() => pieces(30, size))
      await Promise.all(files.flatMap((file, index) => bodies[index]!.map((piece) => file.append(piece))))
      await Promise.all(files.map((file) => file.finish((room) => head(room ?? 100), never)))
      for (const [index, each] of ['video.mp4', 'audio.m4a'].entries()) {
        const found = await place.read(botId, each)
        expect(found?.subarray(-30 * size).equals(Buffer.concat(bodies[index]!))).toBe(true)
      }
      expect(await place.leftovers(botId)).toEqual([])
    })

    test('the older file of the name stays until the new one is whole', async () => {
      const storage = place.open(botId)
      const first = await storage.grow(growthOf('video.mp4'), never)
      await first.finish(() => Buffer.from('older'), never)
      const second = await storage.grow(growthOf('video.mp4'), never)
      await second.append(randomBytes(500))
      expect(await place.read(botId, 'video.mp4')).toEqual(Buffer.from('older'))
      await second.finish(() => Buffer.from('newer'), never)
      expect((await place.read(botId, 'video.mp4'))?.subarray(0, 5)).toEqual(Buffer.from('newer'))
    })

    test('a finish that was stopped may be tried again', async () => {
      const file = await place.open(botId).grow(growthOf('video.mp4'), never)
      const body = pieces(40, Math.ceil(place.longBytes / 40))
      await Promise.all(body.map((piece) => file.append(piece)))
      const reason = new Error('asked to stop')
      expect(await rejectionOf(file.finish((room) => head(room!), AbortSignal.abort(reason)))).toBe(reason)
      expect(await place.read(botId, 'video.mp4')).toBeNull()
      const stored = await file.finish((room) => head(room!), never)
      const found = await place.read(botId, 'video.mp4')
      expect(found?.length).toBe(stored.bytes)
      expect(found?.subarray(-Buffer.concat(body).length).equals(Buffer.concat(body))).toBe(true)
    })

    test('a head of the wrong size is refused, since every place behind it would be wrong', async () => {
      const file = await place.open(botId).grow(growthOf('video.mp4'), never)
      await file.append(randomBytes(place.longBytes))
      await expect(file.finish((room) => head(room! - 1), never)).rejects.toThrow('The head has')
      await file.finish((room) => head(room!), never)
    })

    test('a closed one takes no more, and what it holds stays in the spool', async () => {
      const file = await place.open(botId).grow(growthOf('video.mp4'), never)
      await file.append(randomBytes(700))
      await file.close()
      await file.close()
      expect(await rejectionOf(file.append(randomBytes(1)))).toMatchObject({ trouble: 'invalid' })
      expect(await rejectionOf(file.finish(() => head(1), never))).toMatchObject({ trouble: 'invalid' })
      expect(await place.read(botId, 'video.mp4')).toBeNull()
      expect(await place.leftovers(botId)).not.toEqual([])
    })

    test('a name that could leave its folder is refused', async () => {
      const error = await rejectionOf(place.open(botId).grow(growthOf('../video.mp4'), never))
      expect(error).toMatchObject({ trouble: 'invalid' })
    })

    test('a stored file is read back', async () => {
      const storage = place.open(botId)
      const file = await storage.grow(growthOf('audio.m4a'), never)
      const body = randomBytes(200_000)
      await file.append(body)
      await file.finish(() => Buffer.from(RECOVERY_HEAD), never)
      const local = path.join(temporaryFolder(), 'audio.m4a')
      await storage.fetch('audio.m4a', local, never)
      expect((await readFile(local)).equals(Buffer.concat([RECOVERY_HEAD, body]))).toBe(true)
      expect(await rejectionOf(storage.fetch('missing.m4a', local, never))).toMatchObject({ trouble: 'missing' })
    })
  })
}
