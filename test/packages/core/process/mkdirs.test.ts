import { chmod, chown, mkdir, readdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeBotFolder, mkdirs } from '../../../../packages/core/process/mkdirs.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'

test('makes what is missing, and twice is no mistake', async () => {
  const place = join(temporaryFolder(), 'a', 'b c', 'd')
  await mkdirs(place)
  await mkdirs(place)
  expect((await stat(place)).isDirectory()).toBe(true)
  expect((await stat(place)).mode & 0o777).toBe(0o700)
})

test('a place where nothing can be made is an answer, not a wait without end', async () => {
  await expect(mkdirs('/proc/nope/deeper/still')).rejects.toThrow()
})

test('a file on the way is reported', async () => {
  const file = join(temporaryFolder(), 'file')
  await writeFile(file, '')
  await expect(mkdirs(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})

/** Of no user that runs tests. */
const OTHER_USER = 54_321
const isRoot = process.geteuid?.() === 0

test('the folder of a bot is made, and found again by the next bot of its id', async () => {
  const place = join(temporaryFolder(), 'recordings', 'bot')
  await makeBotFolder(place)
  await writeFile(join(place, 'video.mp4'), 'recorded')
  await makeBotFolder(place)
  expect(await readdir(place)).toEqual(['video.mp4'])
})

test('a folder that others may enter is closed to them', async () => {
  const place = temporaryFolder()
  await chmod(place, 0o755)
  await makeBotFolder(place)
  expect((await stat(place)).mode & 0o777).toBe(0o700)
})

test('a link in place of the folder is refused, and nothing is made behind it', async () => {
  const place = temporaryFolder()
  await mkdir(join(place, 'target'))
  for (const target of ['target', 'missing']) {
    await symlink(join(place, target), join(place, `to-${target}`))
    await expect(makeBotFolder(join(place, `to-${target}`))).rejects.toThrow('is a symbolic link')
  }
  expect((await readdir(place)).sort()).toEqual(['target', 'to-missing', 'to-target'])
})

test.each(['standin.log', 'events.jsonl', 'spool'])('a link in the folder, as %s, is refused', async (name) => {
  const place = temporaryFolder()
  await symlink('/nowhere', join(place, name))
  await expect(makeBotFolder(place)).rejects.toThrow(`${name} is a symbolic link`)
})

// Only root may give a folder to another user.
test.skipIf(!isRoot)('what another user prepared in a folder of all users is refused', async () => {
  const shared = temporaryFolder()
  await chmod(shared, 0o1777)
  for (const name of ['bot', 'root']) {
    await mkdir(join(shared, name))
    await chown(join(shared, name), OTHER_USER, OTHER_USER)
  }
  await expect(makeBotFolder(join(shared, 'bot'))).rejects.toThrow('belongs to another user')
  await expect(makeBotFolder(join(shared, 'root', 'bot'))).rejects.toThrow('belongs to another user')
  expect(await readdir(join(shared, 'root'))).toEqual([])
  // A volume that all users may write, such as an emptyDir of Kubernetes.
  await makeBotFolder(join(shared, 'mine'))
})
