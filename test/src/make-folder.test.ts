import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../../src/make-folder.ts'

async function temporary(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'standin-folder-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

test('makes what is missing, and twice is no mistake', async () => {
  const place = join(await temporary(), 'a', 'b c', 'd')
  await makeFolder(place)
  await makeFolder(place)
  expect((await stat(place)).isDirectory()).toBe(true)
})

test('a place where nothing can be made is an answer, not a wait without end', async () => {
  await expect(makeFolder('/proc/nope/deeper/still')).rejects.toThrow()
})

test('a file on the way is told', async () => {
  const file = join(await temporary(), 'file')
  await writeFile(file, '')
  await expect(makeFolder(join(file, 'below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
})
