/** Whose spool it is: a living bot's is left alone, also if its process cannot be seen from here. */

import { type FileHandle, mkdir, open, readdir, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { GrowthJournal, readGrowth } from '../../../src/storage/growth-journal.ts'
import { own, Spool } from '../../../src/storage/spool.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { rejectionOf } from './place.ts'

/** Of a machine that is not this one. */
async function foreignSpool(beatSecondsAgo: number): Promise<{ spool: string; owner: string }> {
  const spool = path.join(temporaryFolder(), 'spool')
  await mkdir(spool)
  const owner = path.join(spool, 'owner.json')
  await writeFile(owner, JSON.stringify({ process: 'another-boot/pid:[1]/1/1' }))
  const at = new Date(Date.now() - beatSecondsAgo * 1000)
  await utimes(owner, at, at)
  return { spool, owner }
}

test('an owner on another machine that has been silent is dead', async () => {
  const { spool } = await foreignSpool(3600)
  const ownership = await own(spool)
  await ownership.release()
  await expect(readdir(spool)).rejects.toThrow('ENOENT')
})

test('an owner on another machine that is heard is alive', async () => {
  const { spool, owner } = await foreignSpool(1)
  const beat = setInterval(() => void utimes(owner, new Date(), new Date()), 50)
  onTestFinished(() => clearInterval(beat))
  const error = await rejectionOf(own(spool))
  expect(error.message).toContain('belongs to a bot that is still running')
})

test('an owner that is torn is none', async () => {
  const { spool, owner } = await foreignSpool(0)
  await writeFile(owner, '{"proc')
  const ownership = await own(spool)
  await ownership.release()
})

test('of one process it may be owned again, and goes with the last file', async () => {
  const recording = temporaryFolder()
  const spool = new Spool(recording)
  const first = await spool.open('video.mp4')
  const second = await spool.open('audio/../m4a')
  expect(path.dirname(second)).toBe(path.dirname(first))
  await spool.close()
  expect(await readdir(path.join(recording, 'spool'))).toContain('owner.json')
  await spool.close()
  expect(await readdir(path.dirname(first))).not.toContain('owner.json')
})

test('a line of the journal that a full disk cut spoils no other', async () => {
  const folder = temporaryFolder()
  const start = { name: 'video.mp4', contentType: 'video/mp4', room: 0, recoveryHead: '', startedAt: 0 }
  const journal = await GrowthJournal.begin(folder, start)
  onTestFinished(() => journal.close())
  const another = await open(path.join(folder, 'another'), 'w')
  const files: FileHandle = Object.getPrototypeOf(another)
  await another.close()
  const write = files.write as (this: FileHandle, text: string) => Promise<{ bytesWritten: number; buffer: string }>
  vi.spyOn(files as { write: typeof write }, 'write').mockImplementationOnce(function (this: FileHandle, text) {
    return write.call(this, text.slice(0, 6))
  })
  expect(await rejectionOf(journal.write({ to: 1000 }))).toMatchObject({ code: 'ENOSPC' })
  await journal.write({ to: 2000 })
  expect(await readGrowth(folder)).toMatchObject({ wholeBytes: 2000 })
})
