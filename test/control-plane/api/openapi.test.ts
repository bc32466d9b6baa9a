/** The document of `/v2` explains everything that it names. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

interface Schema {
  description?: string
  $ref?: string
  properties?: Record<string, Schema>
  anyOf?: Schema[]
}

const root = join(import.meta.dirname, '..', '..', '..')
const document = JSON.parse(await readFile(join(root, 'docs', 'openapi.json'), 'utf8'))
const schemas: Record<string, Schema> = document.components.schemas

/** Own text, or that of the schema which it names; a value that may be null has it in its other form. */
const isExplained = ({ description, $ref, anyOf = [] }: Schema): boolean =>
  Boolean(description) ||
  ($ref !== undefined && isExplained(schemas[$ref.split('/').at(-1)!]!)) ||
  anyOf.some(isExplained)

function propertiesIn(value: unknown, path: string): [path: string, schema: Schema][] {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as Schema
  const own = Object.entries(typeof properties === 'object' ? properties : {})
  return [
    ...own.map(([name, schema]): [string, Schema] => [`${path}/${name}`, schema]),
    ...Object.entries(value).flatMap(([name, inner]) => propertiesIn(inner, `${path}/${name}`)),
  ]
}

test('each property of a request, an answer and a webhook has a description', () => {
  const all = propertiesIn({ schemas, paths: document.paths, webhooks: document.webhooks }, '')
  expect(all.length).toBeGreaterThan(600)
  expect(all.filter(([, schema]) => !isExplained(schema)).map(([path]) => path)).toEqual([])
})

test('each schema and each parameter has a description', () => {
  expect(
    Object.entries(schemas)
      .filter(([, schema]) => !isExplained(schema))
      .map(([name]) => name),
  ).toEqual([])
  for (const [path, operations] of Object.entries(document.paths as Record<string, Record<string, unknown>>))
    for (const [method, operation] of Object.entries(operations))
      for (const one of (operation as { parameters?: (Schema & { name: string; schema: Schema })[] }).parameters ?? [])
        expect(one.$ref ?? one.description ?? one.schema.description, `${method} ${path} ${one.name}`).toBeTruthy()
})
