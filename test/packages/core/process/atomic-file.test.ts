import * as files from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FileDisk, writeWholeFile } from '../../../../packages/core/process/atomic-file.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'

/** Creates the file, has room for three bytes of it, and is full. */
const FULL: FileDisk = {
  ...files,
  writeFile: async (path, content, options) => {
    await files.writeFile(path, String(content).slice(0, 3), options)
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  },
}

test('the file has its content and is readable by our user alone', async () => {
  const place = temporaryFolder()
  await writeWholeFile(join(place, 'manifest.json'), 'first')
  await writeWholeFile(join(place, 'manifest.json'), 'second')
  expect(await files.readFile(join(place, 'manifest.json'), 'utf8')).toBe('second')
  expect((await files.stat(join(place, 'manifest.json'))).mode & 0o777).toBe(0o600)
  expect(await files.readdir(place)).toEqual(['manifest.json'])
})

test('a full disk leaves no part of a file, and the earlier file as it was', async () => {
  const place = temporaryFolder()
  await expect(writeWholeFile(join(place, 'report.html'), 'content', FULL)).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await files.readdir(place)).toEqual([])
  await writeWholeFile(join(place, 'report.html'), 'earlier')
  await expect(writeWholeFile(join(place, 'report.html'), 'content', FULL)).rejects.toMatchObject({ code: 'ENOSPC' })
  expect(await files.readdir(place)).toEqual(['report.html'])
  expect(await files.readFile(join(place, 'report.html'), 'utf8')).toBe('earlier')
})

test('a link at the place is replaced, and the file behind it is untouched', async () => {
  const place = temporaryFolder()
  await files.writeFile(join(place, 'target'), 'of another program')
  await files.symlink(join(place, 'target'), join(place, 'report.html'))
  await writeWholeFile(join(place, 'report.html'), 'content')
  expect(await files.readFile(join(place, 'target'), 'utf8')).toBe('of another program')
  expect((await files.lstat(join(place, 'report.html'))).isFile()).toBe(true)
})
