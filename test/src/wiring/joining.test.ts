import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { joinRecordings } from '../../../src/wiring/joining.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

test("a part that is a link to another bot's folder is not read", async () => {
  const root = temporaryFolder()
  const part = { type: 'folder', path: join(root, '1') } as const
  await mkdir(part.path)
  await symlink(root, join(part.path, 'bot'))
  const place = { botId: 'bot', parts: [part], to: { type: 'folder', path: join(root, '0') } as const, beganAt: null }
  await expect(joinRecordings(place, new AbortController().signal)).rejects.toThrow('is a symbolic link')
})
