import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { clientFiles } from '@standin/client/generate.ts'
import { expect, test } from 'vitest'

test('the types of the client are those of the service; `npm run schemas` writes them', async () => {
  const files = await clientFiles()
  expect(files.size).toBe(2)
  for (const [name, content] of files)
    expect(await readFile(join(import.meta.dirname, '../../client', name), 'utf8'), name).toBe(content)
})
