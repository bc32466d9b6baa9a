/** The table of settings in `docs/service.md` beside the settings that the program reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const text = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const config = text('control-plane/config/config.ts')
const docs = text('docs/service.md')

/**
 * Variable and option in the order of each row's cells; the first row of a variable counts, others say more about it.
 */
const documented = new Map(
  docs
    .split('\n')
    .reverse()
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .flatMap(([, variables = '', options = '']) => {
      const words = options === 'none' ? [] : [...options.matchAll(/`(--[a-z-]+)`/g)].map(([, option]) => option!)
      return [...variables.matchAll(/`(STANDIN_[A-Z_]+|DATABASE_URL)`/g)].map(
        ([, variable], place) => [variable!, words[place] ?? null] as const,
      )
    }),
)

test('every option is documented beside its variable', () => {
  const pairs = [...config.matchAll(/\['(--[a-z-]+)', '(STANDIN_[A-Z_]+)'\]/g)].map(([, option, name]) => [
    name,
    option,
  ])
  expect(pairs.length).toBeGreaterThan(10)
  expect(pairs.filter(([name, option]) => documented.get(name!) !== option)).toEqual([])
})

test('a variable without an option is marked as such', () => {
  const options = new Set([...text('control-plane/cli/index.ts').matchAll(/'(--[a-z-]+)/g)].map(([, option]) => option))
  const unknown = [...documented].filter(([, option]) => option !== null && !options.has(option))
  expect(unknown).toEqual([])
  expect([...documented].filter(([, option]) => option === null).map(([name]) => name)).toEqual(
    expect.arrayContaining(['DATABASE_URL', 'STANDIN_SECRET_KEYS', 'STANDIN_JITSI_HOSTS', 'STANDIN_CHROMIUM']),
  )
})

test('every variable of the settings is in the table', () => {
  const names = new Set([...config.matchAll(/'(STANDIN_[A-Z_]+|DATABASE_URL)'/g)].map(([, name]) => name!))
  expect([...names].filter((name) => !documented.has(name))).toEqual([])
})
