import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFolder } from '../../../../packages/wire/process/make-folder.ts'
import { temporaryFolder } from '../../../fakes/at-end.ts'

test('a folder and those above it are made once; places that take none say so at once', async () => {
  const base = temporaryFolder()
  const folder = join(base, 'a', 'b')
  for (const _ of [1, 2]) await makeFolder(folder, 0o700)
  expect([statSync(folder).mode & 0o777, statSync(join(base, 'a')).mode & 0o777]).toEqual([0o700, 0o700])
  writeFileSync(join(base, 'file'), '')
  for (const place of ['/proc/x', '/proc/x/y', join(base, 'file'), join(base, 'file', 'z')])
    await expect(makeFolder(place, 0o700), place).rejects.toThrow(/ENOENT|EEXIST|ENOTDIR/)
})
