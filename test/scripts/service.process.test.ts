import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Checkout, makeCheckout } from './checkout.ts'

let checkout: Checkout

beforeEach(async () => {
  checkout = await makeCheckout()
})

afterEach(() => checkout.remove())

const lastCall = async () => (await checkout.calls()).at(-1)?.trim()

test.each([
  ['without arguments', [], ''],
  ['with options', ['--port', '9000', '--data', 'a b'], ' --port 9000 --data a b'],
  ['with a command', ['keys', 'list', '--json'], ' keys list --json'],
])('npm run service %s does the set-up and starts the service', async (_what, args, expected) => {
  expect((await checkout.run('scripts/service.sh', args)).exitCode).toBe(0)
  expect(await checkout.calls()).toContainEqual(expect.stringMatching(/^npm ci/))
  expect(await lastCall()).toBe(
    `node --max-semi-space-size=4 ${checkout.folder}/dist/control-plane/main/cli/index.js${expected}`,
  )
})

test('after the set-up `standin service` starts the same program', async () => {
  await checkout.run('scripts/service.sh')
  await checkout.run('bin/standin', ['service', 'teams', 'list'])
  expect(await lastCall()).toBe(
    `node --max-semi-space-size=4 ${checkout.folder}/dist/control-plane/main/cli/index.js teams list`,
  )
})

test('a failed set-up starts no service', async () => {
  await checkout.fake('apt-get', 'exit 100')
  expect((await checkout.run('scripts/service.sh')).exitCode).toBe(1)
  expect(await checkout.calls()).not.toContainEqual(expect.stringContaining('index.js'))
})

test('an installation without the control plane says where the service is', async () => {
  await checkout.run('scripts/service.sh')
  for (const place of ['control-plane', 'dist/control-plane'])
    await rm(join(checkout.folder, place), { recursive: true, force: true })
  const { exitCode, text } = await checkout.run('bin/standin', ['service'])
  expect(exitCode).toBe(70)
  expect(text).toContain('not part of this installation')
})
