/** The types of rows, which are written by hand, say what the migrated database has. */
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { openTestDatabase } from '../postgres.ts'

/** `kind value nullable? default?` of each column, by table and column. */
type Tables = Record<string, Record<string, string>>

const KINDS: Record<string, string> = {
  uuid: 'string',
  text: 'string',
  boolean: 'boolean',
  integer: 'number',
  bigint: 'number',
  'double precision': 'number',
  jsonb: 'json',
  bytea: 'bytes',
  'timestamp with time zone': 'time',
}

function described(kind: string, isNullable: boolean, filled: 'always' | 'default' | null): string {
  return [kind, isNullable ? 'or null' : '', filled === null ? '' : `filled: ${filled}`].filter(Boolean).join(', ')
}

async function tablesOfDatabase(): Promise<Tables> {
  const { rows } = await sql<{
    table: string
    column: string
    type: string
    is_nullable: boolean
    has_default: boolean
    is_always: boolean
  }>`
    select table_name as table, column_name as column, data_type as type, is_nullable = 'YES' as is_nullable,
      column_default is not null as has_default, coalesce(identity_generation = 'ALWAYS', false) as is_always
    from information_schema.columns where table_schema = 'public' and table_name not like 'kysely_%'`.execute(
    world.database,
  )
  const tables: Tables = {}
  for (const { table, column, type, is_nullable, has_default, is_always } of rows) {
    tables[table] ??= {}
    const filled = is_always ? 'always' : has_default ? 'default' : null
    tables[table][column] = described(KINDS[type] ?? `unknown type ${type}`, is_nullable, filled)
  }
  return tables
}

/** The types are gone at run time, so their text is read. A type that it cannot read fails the test. */
function tablesOfTypes(): Tables {
  const folder = join(packageRoot, 'control-plane/store/rows')
  const interfaces: Record<string, Record<string, string>> = {}
  const tables: Tables = {}
  for (const file of globSync('*.ts', { cwd: folder }).filter((name) => basename(name) !== 'column-types.ts')) {
    const text = readFileSync(join(folder, file), 'utf8').replaceAll(/\/\*\*[\s\S]*?\*\//g, '')
    for (const { groups } of text.matchAll(/^(?:export )?interface (?<name>\w+)[^{\n]*\{\n(?<body>[\s\S]*?)^\}/gm)) {
      const members = groups!.body!.split('\n').filter((line) => line.trim() !== '')
      interfaces[groups!.name!] = Object.fromEntries(
        members.map((line) => {
          const member = /^ {2}(?<name>\w+): (?<type>.+)$/.exec(line)?.groups
          if (!member) throw new Error(`${file}: ${line} is no member`)
          return [member.name!, member.type!]
        }),
      )
    }
  }
  for (const [table, type] of Object.entries(interfaces.Tables!))
    tables[table] = Object.fromEntries(
      Object.entries(interfaces[type]!).map(([column, text]) => [column, readType(text)]),
    )
  return tables
}

const KIND_OF_TYPE: Record<string, string> = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  Buffer: 'bytes',
  Date: 'time',
  Time: 'time',
  unknown: 'json',
  'Json<unknown>': 'json',
}

function readType(text: string): string {
  if (text === 'Created' || text === 'ColumnType<Date, Date | undefined, Date>')
    return described('time', false, 'default')
  const wrapped = /^(?<how>Generated|GeneratedAlways)<(?<inner>.+)>$/.exec(text)?.groups
  const members = (wrapped?.inner ?? text).split(' | ')
  const kinds = new Set(members.filter((one) => one !== 'null').map((one) => (one.startsWith("'") ? 'string' : one)))
  const [kind, ...others] = kinds
  if (kind === undefined || others.length > 0) return `unknown type ${text}`
  const filled = wrapped === undefined ? null : wrapped.how === 'GeneratedAlways' ? 'always' : 'default'
  return described(KIND_OF_TYPE[kind] ?? `unknown type ${text}`, members.includes('null'), filled)
}

const world = await openTestDatabase(1)
const stored = await tablesOfDatabase()
const written = tablesOfTypes()

test('each table of the database has a type, and each type a table', () => {
  expect(Object.keys(written).sort()).toEqual(Object.keys(stored).sort())
  expect(Object.keys(stored).length).toBeGreaterThan(30)
})

test('each column has the kind, the nullability and the default that its type says', () => {
  expect(written).toEqual(stored)
})

test('a type that differs from its column is seen', () => {
  expect(readType('string')).toBe('string')
  expect(readType('Time | null')).toBe('time, or null')
  expect(readType('Generated<number>')).toBe('number, filled: default')
  expect(readType('GeneratedAlways<number>')).toBe('number, filled: always')
  expect(readType("'wanted' | 'done' | null")).toBe('string, or null')
  expect(readType('Whatever')).toBe('unknown type Whatever')
  expect(readType('string | number')).toBe('unknown type string | number')
})
