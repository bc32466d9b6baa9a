import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SCHEMAS_FOLDER, schemaFiles } from '../../scripts/write-schemas.ts'

test('the schemas in docs/ are those of the code; `npm run schemas` writes them', async () => {
  const files = schemaFiles()
  expect((await readdir(SCHEMAS_FOLDER)).sort()).toEqual([...files.keys()].sort())
  for (const [name, content] of files) expect(await readFile(join(SCHEMAS_FOLDER, name), 'utf8'), name).toBe(content)
})

test('a schema refuses unknown fields and asks for no field that has a default', () => {
  const job = JSON.parse(schemaFiles().get('job.json')!)
  expect(job.additionalProperties).toBe(false)
  expect(job.required.sort()).toEqual(['bot_id', 'meeting_url'])
})
