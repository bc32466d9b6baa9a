/** What a bot sees of its machine before it joins. */
import { mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { mendEnvironment } from '../../../src/cli/run.ts'
import { checkLimits } from '../../../src/machine/limits.ts'
import { botMachine } from '../../../src/machine/look.ts'
import { checkPolicies } from '../../../src/machine/policies.ts'
import { lookForProgram, PROGRAM_PARTS } from '../../../src/machine/programs.ts'
import { realPrograms } from '../../../src/machine/try-program.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

/** As `/proc/self/limits` writes it. */
const limits = (name: string, soft: number | string) =>
  [
    'Limit                     Soft Limit           Hard Limit           Units     ',
    ...['Max cpu time', 'Max file size', 'Max open files', 'Max address space', 'Max processes', 'Max data size'].map(
      (each) => `${each.padEnd(26)}${String(each === name ? soft : 'unlimited').padEnd(21)}unlimited            files`,
    ),
  ].join('\n')

async function limitsOf(table: string, pids: { max?: string; current?: string } = {}) {
  const container = temporaryFolder()
  await writeFile(join(container, 'limits'), table)
  for (const [name, value] of Object.entries(pids)) await writeFile(join(container, `pids.${name}`), `${value}\n`)
  return checkLimits({ process: join(container, 'limits'), container })
}

test.each([
  ['Max open files', 128, 'unfit', 'ulimit -n 1024'],
  ['Max open files', 511, 'unfit', 'ulimit -n'],
  ['Max open files', 800, 'warning', 'ulimit -n'],
  ['Max open files', 1024, 'fit', undefined],
  ['Max processes', 100, 'unfit', 'ulimit -u'],
  ['Max address space', 60_000_000_000, 'unfit', 'ulimit -v unlimited'],
  ['Max data size', 1e9, 'unfit', 'ulimit -d'],
  ['Max file size', 1e6, 'unfit', 'ulimit -f'],
  ['Max file size', 1e9, 'warning', 'ulimit -f'],
  ['Max cpu time', 600, 'unfit', 'ulimit -t'],
])('%s of %d is %s', async (name, soft, verdict, cure) => {
  const finding = await limitsOf(limits(name, soft))
  expect(finding).toMatchObject({ part: 'Limits', verdict })
  if (cure !== undefined) expect(finding.cure).toContain(cure)
  if (verdict !== 'fit') expect(finding.found).toMatch(new RegExp(`^${name.slice(4)}: at most \\d`))
})

test.each([
  [{ max: 'max', current: '80' }, 'fit'],
  [{ max: '100', current: '20' }, 'unfit'],
  [{ max: '2048', current: '1900' }, 'unfit'],
  [{ max: '2048', current: '20' }, 'fit'],
  [{}, 'fit'],
])('a container with %j threads is %s', async (pids, verdict) => {
  expect(await limitsOf(limits('', ''), pids)).toMatchObject({ verdict })
})

test('a system without such a table limits nothing', async () => {
  expect(await limitsOf('')).toMatchObject({ verdict: 'fit' })
})

describe('policies of the browser', () => {
  async function checked(files: Record<string, string>) {
    const folder = join(temporaryFolder(), 'managed')
    await mkdir(folder)
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return { finding: await checkPolicies('chromium', ['/nonexistent', folder]), folder }
  }

  test.each([
    '{"RemoteDebuggingAllowed": false}',
    '// from the administrator\n{\n  "HomepageLocation": "https://a.example",\n  "RemoteDebuggingAllowed": false,\n}',
    '{"DeveloperToolsAvailability": 2}',
    '{"HeadlessMode": 2}',
    '{"BrowserSignin": 2}',
    '{"DefaultJavaScriptSetting": 2}',
    '{"URLBlocklist": ["*"]}',
    '{"URLBlocklist": ["https://*"]}',
    '\ufeff{"RemoteDebuggingAllowed": false}',
    '/* IT */ {"HomepageLocation": "https://a.example/,}", "HeadlessMode": 2, // why\n}',
  ])('%s is named with its file', async (text) => {
    const { finding, folder } = await checked({ 'a.json': '{"BookmarkBarEnabled": true}', corporate: text })
    expect(finding).toMatchObject({ part: 'Browser policies', verdict: 'unfit' })
    expect(finding.found).toMatch(new RegExp(`^\\w+ is .* in ${folder}/corporate$`))
  })

  test.each([
    '{"RemoteDebuggingAllowed": true, "HeadlessMode": 1, "DeveloperToolsAvailability": 1}',
    '{"URLBlocklist": ["*"], "URLAllowlist": ["meet.google.com"]}',
    '{"URLBlocklist": ["games.example"]}',
    'not JSON',
    '[]',
    'null',
  ])('%s keeps no bot out', async (text) => {
    expect((await checked({ 'a.json': text })).finding.verdict).toBe('fit')
  })
})

test.each(PROGRAM_PARTS)('a machine without %s: the cure names the package', async (part) => {
  const shop = { programs: realPrograms, searchPath: '/nonexistent', chromium: null }
  expect(await lookForProgram(part, shop)).toMatchObject({
    part,
    verdict: 'unfit',
    cure: expect.stringContaining('apt-get'),
  })
})

test('a bot names what is missing with its cure', async () => {
  const machine = botMachine({ chromium: '/nonexistent/browser', workFolder: temporaryFolder() })
  await expect(machine.look()).rejects.toMatchObject({
    ...{ code: 'INTERNAL_ERROR', endCause: 'MACHINE_UNFIT' },
    message: expect.stringContaining('Chromium: there is no /nonexistent/browser → Correct STANDIN_CHROMIUM'),
  })
})

test.each([
  [() => '/home/ann', undefined],
  [
    () => {
      throw new Error('A system error occurred: uv_os_homedir returned ENOENT')
    },
    tmpdir(),
  ],
])('libraries get a home folder, and no switches of developers', (home, given) => {
  const environment = { PWDEBUG: '1', PLAYWRIGHT_WS_ENDPOINT: 'ws://a', SELENIUM_REMOTE_URL: 'http://a', PATH: '/bin' }
  mendEnvironment(environment, home)
  expect(environment).toEqual({ PATH: '/bin', ...(given && { HOME: given }) })
})
