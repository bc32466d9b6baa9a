import { randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { SCHEMAS_FOLDER, schemaFiles } from '../../../scripts/write-schemas.ts'

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

test('a schema that is part of another one is found beside it', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  for (const [name, content] of schemaFiles()) ajv.addSchema(JSON.parse(content), name)
  const sent = (event: object) => ({ type: 'event', seq: 1, bot_id: randomUUID(), at: '2026-11-29T09:00:00Z', event })
  expect(
    ajv.validate('up-message.json', sent({ type: 'status_change', status: 'joining_call' })),
    ajv.errorsText(),
  ).toBe(true)
  expect(ajv.validate('up-message.json', sent({ type: 'status_change', status: 'nowhere' }))).toBe(false)
})
