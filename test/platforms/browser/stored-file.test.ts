import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findStoredFile } from '../../../platforms/browser/stored-file.ts'

const MARK = Uint8Array.of(9, 8, 7, 6)
let profile: string
let place: string

beforeEach(async () => {
  profile = await mkdtemp(join(tmpdir(), 'standin-profile-'))
  place = join(profile, 'Default/File System/000/t/00')
  await mkdir(place, { recursive: true })
})

afterEach(() => rm(profile, { recursive: true, force: true }))

test('finds the file of this size that begins with the mark, among others', async () => {
  await writeFile(join(place, '00000000'), Buffer.from([9, 8, 7, 6, 5]))
  await writeFile(join(place, '00000001'), Buffer.from([1, 8, 7, 6, 5, 4]))
  await writeFile(join(place, '00000002'), Buffer.from([9, 8, 7, 6, 5, 4]))
  expect(await findStoredFile(profile, MARK, 6)).toBe(join(place, '00000002'))
})

test('finds what a page inside of another page keeps', async () => {
  const inner = join(profile, 'Default/WebStorage/3/FileSystem/000/t/00')
  await mkdir(inner, { recursive: true })
  await writeFile(join(inner, '00000000'), MARK)
  expect(await findStoredFile(profile, MARK, 4)).toBe(join(inner, '00000000'))
})

test('follows no link out of the profile', async () => {
  const outside = await mkdtemp(join(tmpdir(), 'standin-outside-'))
  await writeFile(join(outside, 'file'), MARK)
  await symlink(join(outside, 'file'), join(place, '00000000'))
  await symlink(outside, join(place, 'folder'))
  expect(await findStoredFile(profile, MARK, 4)).toBeNull()
  await rm(outside, { recursive: true })
})

test('a profile that keeps nothing has no such file', async () => {
  await rm(join(profile, 'Default'), { recursive: true })
  expect(await findStoredFile(profile, MARK, 4)).toBeNull()
})
