import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openapiFiles } from '../../scripts/write-openapi.ts'

const DOCS = join(import.meta.dirname, '../../docs')

test('the API documents in docs are what the service serves; `npm run schemas` writes them', async () => {
  const files = await openapiFiles()
  expect(files.size).toBe(3)
  for (const [name, content] of files) expect(await readFile(join(DOCS, name), 'utf8'), name).toBe(content)
})
