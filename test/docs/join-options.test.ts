/** The options of `standin join` beside the schema of the job and the documentation. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FIELD_OPTIONS, JOIN_OPTIONS } from '../../src/cli/join-options.ts'

const root = join(import.meta.dirname, '../..')
type Schema = { properties?: Record<string, Schema>; anyOf?: Schema[] }

function propertiesOf({ properties = {}, anyOf = [] }: Schema): Record<string, Schema> {
  return Object.assign({}, properties, ...anyOf.map(propertiesOf))
}

test.each(FIELD_OPTIONS)('$field is a field of the job', ({ field }) => {
  let schema = JSON.parse(readFileSync(join(root, 'docs/schemas/job.json'), 'utf8')) as Schema
  for (const name of field.split('.')) {
    expect(Object.keys(propertiesOf(schema))).toContain(name)
    schema = propertiesOf(schema)[name]!
  }
})

test('the documentation names only options that exist', () => {
  const known = new Set(JOIN_OPTIONS.map(({ long }) => long))
  const beside = ['--job', '--job-url', '--map-host', '--jitsi-host', '--json', '--platform', '--help']
  const pages = globSync(['README.md', 'docs/**/*.md'], { cwd: root })
  const commands = pages.flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/standin (?:join|demo)(?:[^`\n\\]|\\\n)*/g)].map(
      ([command]) => command,
    ),
  )
  const named = commands.flatMap((command) => command.match(/(?<= )--[a-z0-9-]+/g) ?? [])
  expect(named.length).toBeGreaterThan(1)
  expect(named.filter((option) => !known.has(option) && !beside.includes(option))).toEqual([])
})
