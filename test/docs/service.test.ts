/** The settings in the documentation and on the command line beside the table that the program reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { botEnvironment } from '../../control-plane/launching/launchers/shared/bot-environment.ts'
import { run } from '../../control-plane/main/cli/run.ts'
import { ROLES, rowsOf } from '../../control-plane/main/config/config.ts'
import { SETTINGS } from '../../control-plane/main/config/table.ts'
import { inProcess } from '../fakes/in-process.ts'

const root = join(import.meta.dirname, '../..')
/** Rows of the tables of settings, as they are written. */
const documented = ['docs/operating.md', 'docs/kubernetes.md'].flatMap((page) =>
  readFileSync(join(root, page), 'utf8')
    .split('\n')
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .filter(([, variable = '']) => /^`(?:STANDIN_[A-Z_]+|DATABASE_URL)`$/.test(variable)),
)

test('every setting is in a table of the documentation, with its option and its default', () => {
  const rows = rowsOf(SETTINGS)
  expect(rows.length).toBeGreaterThan(50)
  for (const { variable, option, default: standard } of rows) {
    const found = documented.filter(([, name]) => name === `\`${variable}\``)
    expect(found, variable).not.toEqual([])
    // Tables for one launcher have no column of options.
    const [, , first, ...others] = found[0]!
    if (option !== undefined) expect(first, variable).toBe(`\`${option.split(' ')[0]}\``)
    else if (others.length > 2) expect(first, variable).toBe('none')
    const text = standard === ROLES.join(',') ? 'all' : `\`${standard}\``
    if (standard !== undefined) expect(others.at(-2), variable).toBe(text)
  }
})

test('no variable is documented that is no setting', () => {
  const known = rowsOf(SETTINGS).map(({ variable }) => `\`${variable}\``)
  expect(documented.filter(([, variable]) => !known.includes(variable!))).toEqual([])
})

test('the command line offers the options of the table, none of them for a secret', async () => {
  const { out: help } = await inProcess(run, ['--help'])
  const offered = [...help.matchAll(/^ {2}(--[a-z-]+(?: <[^>]+>)?)/gm)].map(([, option]) => option)
  const rows = rowsOf(SETTINGS).filter(({ option }) => option !== undefined)
  expect(offered.sort()).toEqual([...rows.map(({ option }) => option), '--env-file <file>', '--json'].sort())
  expect(rows.filter(({ isSecret }) => isSecret)).toEqual([])
})

test('what is passed to bots is a setting', () => {
  const environment = Object.fromEntries(rowsOf(SETTINGS).map(({ variable }) => [variable, 'x']))
  const passed = Object.keys(botEnvironment(environment, { type: 'folder', path: '/' }))
  // Keys of speech services are in the job, which no other user of the machine can read.
  const ofWorker = rowsOf(SETTINGS.worker)
    .filter(({ isSecret }) => isSecret !== true)
    .map(({ variable }) => variable)
  expect(passed.sort()).toEqual([...ofWorker, 'STANDIN_JITSI_HOSTS', 'STANDIN_LOG_LEVEL'].sort())
})
