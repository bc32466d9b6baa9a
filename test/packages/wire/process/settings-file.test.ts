import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadEnvFile, loadSettingsOfData } from '@standin/wire/process/settings-file.ts'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../fakes/at-end.ts'

const folder = temporaryFolder()
await writeFile(join(folder, 'one.env'), '# comment\nSTANDIN_PORT=9000\nSTANDIN_HOST="::1"\n')

test('variables that are set take precedence over the file', () => {
  const environment = { STANDIN_PORT: '1', STANDIN_ENV_FILE: join(folder, 'one.env') }
  expect([...loadEnvFile([], environment)]).toEqual([['STANDIN_HOST', join(folder, 'one.env')]])
  expect(environment).toMatchObject({ STANDIN_PORT: '1', STANDIN_HOST: '::1' })
})

test.each([[(file: string) => ['serve', '--env-file', file]], [(file: string) => [`--env-file=${file}`, 'serve']]])(
  'the option names the file, before the variable: %s',
  async (args) => {
    await writeFile(join(folder, 'two.env'), 'STANDIN_PORT=2')
    const environment: Record<string, string> = { STANDIN_ENV_FILE: join(folder, 'one.env') }
    loadEnvFile(args(join(folder, 'two.env')), environment)
    expect(environment.STANDIN_PORT).toBe('2')
  },
)

test('without a name no file is read, not even a .env of the current folder', async () => {
  const before = process.cwd()
  await writeFile(join(folder, '.env'), 'STANDIN_PORT=3')
  try {
    process.chdir(folder)
    const environment = {}
    expect(loadEnvFile(['serve'], environment).size).toBe(0)
    expect(loadSettingsOfData([], environment).size).toBe(0)
    expect(environment).toEqual({})
  } finally {
    process.chdir(before)
  }
})

test.each(['\n', '\r\n', '\r'])('a byte order mark is no part of a name, and lines end with %j', async (end) => {
  const file = join(folder, 'marked.env')
  await writeFile(file, ['\ufeffSTANDIN_PORT=18555', 'STANDIN_HOST="::1"', ''].join(end))
  const environment = {}
  loadEnvFile(['--env-file', file], environment)
  expect(environment).toEqual({ STANDIN_PORT: '18555', STANDIN_HOST: '::1' })
})

test.each(['\ufeff', ''])('UTF-16 with the mark %j is a mistake', async (mark) => {
  const file = join(folder, 'wide.env')
  await writeFile(file, `${mark}STANDIN_PORT=1`, 'utf16le')
  expect(() => loadEnvFile(['--env-file', file], {})).toThrow(`${file} is not in UTF-8`)
})

test.each([
  ['STANDIN_PORT 9000', 'line 2'],
  ['STANDIN_PORT: 9000', 'line 2'],
  ['set STANDIN_PORT=9000', 'line 2'],
  ['\u200bSTANDIN_PORT=9000', 'line 2'],
  ['B="one\ntwo"\nSTANDIN_PORT', 'line 4'],
  ['STANDIN_VOICE_KEY=abc#def', 'in quotes'],
  ['STANDIN_VOICE_KEY=#abc', 'in quotes'],
])('%j would be left out or cut, so it is a mistake', async (lines, words) => {
  const file = join(folder, 'left-out.env')
  await writeFile(file, `A=1\n${lines}\n`)
  expect(() => loadEnvFile(['--env-file', file], {})).toThrow(words)
})

test('comments, quotes and export are taken', async () => {
  const file = join(folder, 'taken.env')
  await writeFile(file, `# a="b\n\nexport A=1 # one\n  B = 'x#y'\nC="# \n#" # c\nD=it's\nE= # none\nF=\n`)
  const environment = {}
  loadEnvFile(['--env-file', file], environment)
  expect(environment).toEqual({ A: '1', B: 'x#y', C: '# \n#', D: "it's", E: '', F: '' })
})

test('a file that is not there is a mistake', () => {
  expect(() => loadEnvFile(['--env-file', join(folder, 'none')], {})).toThrow('The settings cannot be read')
})

test('settings of the data folder are read, unless others can change them', async () => {
  const data = join(folder, 'data')
  await mkdir(data)
  const file = join(data, 'settings.env')
  await writeFile(file, 'STANDIN_PRIVATE_ADDRESSES=allow\nSTANDIN_PORT=4\n', { mode: 0o600 })
  const environment = { STANDIN_DATA: '/nowhere', STANDIN_PORT: '5' }
  expect(loadSettingsOfData(['--data', data], environment).get('STANDIN_PRIVATE_ADDRESSES')).toBe(file)
  expect(environment).toMatchObject({ STANDIN_PRIVATE_ADDRESSES: 'allow', STANDIN_PORT: '5' })
  await chmod(file, 0o620)
  expect(() => loadSettingsOfData([], { STANDIN_DATA: data })).toThrow('can be changed by others')
})
