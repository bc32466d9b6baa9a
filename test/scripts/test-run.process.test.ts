/** `scripts/test.sh` and `.ci/run` in a checkout whose programs are fakes. */
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'
import { type Checkout, makeCheckout } from './checkout.ts'

let checkout: Checkout

/** Installs with `install`, and runs the scripts of package.json. */
const npm = (install: string) => `case "$1" in
  ci | install) ${install} ;;
  test) sh scripts/test.sh ;;
  run) name=$3; shift 4; sh scripts/test.sh "--\${name#test:}" "$@" ;;
esac`

const INSTALL = `mkdir -p node_modules/.bin node_modules/@standin/control-plane
  for name in biome knip tsc vitest; do cp "$FAKES/$name" node_modules/.bin/$name; done
  cp "$FAKES/new-node" node_modules/.bin/node
  touch node_modules/.package-lock.json`

beforeEach(async () => {
  checkout = await makeCheckout()
  await checkout.fake('npm', npm(INSTALL))
  await checkout.fake('new-node', 'case "$1" in */build.ts) mkdir -p dist ;; */lanes.ts) printf "$LANES" ;; esac')
  for (const name of ['biome', 'tsc', 'knip']) await checkout.fake(name, 'true')
  await checkout.fake('vitest', counted('2 0 0'))
})

afterEach(() => checkout.remove())

/** Leaves the counts as the reporter does: passed, failed, retried. */
const counted = (counts: string) =>
  `mkdir -p .cache; echo '${counts}' > .cache/test-counts; exit ${counts.split(' ')[1] === '0' ? 0 : 1}`

/** The exit code and the last line. */
async function run(...args: string[]): Promise<[number | null, string | undefined]> {
  const { exitCode, text } = await checkout.run('scripts/test.sh', args)
  return [exitCode, text.trimEnd().split('\n').at(-1)]
}

const callsOf = async (name: string) => (await checkout.calls()).filter((call) => call.startsWith(`${name} `))

test('runs lint, types, unused exports and tests, and ends with the numbers', async () => {
  expect(await run('test/one')).toEqual([0, '2 passed, 0 failed'])
  for (const name of ['biome', 'knip', 'tsc']) expect(await callsOf(name)).toHaveLength(1)
  const [vitest] = await callsOf('vitest')
  expect(vitest).toMatch(/ --project=unit --project=db --project=smoke --reporter.* test\/one$/)
})

test.each<[string, string | null, number, string]>([
  ['a failed test', counted('5 2 0'), 1, '5 passed, 2 failed'],
  ['tests that ran twice', counted('5 0 2'), 0, 'retried_2: 5 passed, 0 failed'],
  ['a failed test among those that ran twice', counted('4 1 2'), 1, 'retried_2: 4 passed, 1 failed'],
  ['a run that fails and says nothing', `${counted('5 0 0').replace('exit 0', 'exit 1')}`, 1, '5 passed, 1 failed'],
  ['a run that crashes', 'kill -KILL $$', 1, '0 passed, 1 failed'],
])('%s', async (_what, vitest, exitCode, line) => {
  await checkout.fake('vitest', vitest)
  expect(await run()).toEqual([exitCode, line])
})

test.each(['biome', 'knip', 'tsc'])('a failed %s fails the run, and the tests run', async (name) => {
  await checkout.fake(name, 'exit 1')
  expect(await run()).toEqual([1, '2 passed, 1 failed'])
})

test('what lint said is printed after the tests, and a slow check is waited for', async () => {
  await checkout.fake('biome', 'sleep 0.3; echo a bad line; exit 1')
  await checkout.fake('vitest', `echo the tests; ${counted('2 0 0')}`)
  const { text } = await checkout.run('scripts/test.sh')
  expect(text).toMatch(
    /== tests: .*\nthe tests\n[\s\S]*== lint\na bad line\n[\s\S]*failed: lint\n[\s\S]*2 passed, 1 failed\n$/,
  )
})

test.each([
  ['--drivers', 'drivers'],
  ['--bots', 'bots measured'],
  ['--long', 'long'],
  ['--all', 'unit db smoke drivers bots measured'],
  ['--check', 'unit'],
])('%s runs the lanes %s', async (option, lanes) => {
  await run()
  const { length } = await callsOf('vitest')
  expect(await run(option)).toEqual([0, '2 passed, 0 failed'])
  const options = lanes.split(' ').map((lane) => `--project=${lane}`)
  expect((await callsOf('vitest'))[length]).toContain(`vitest run ${options.join(' ')} --reporter`)
})

test('an unknown lane is named', async () => {
  const { exitCode, text } = await checkout.run('scripts/test.sh', ['--fast'])
  expect({ exitCode, text }).toEqual({ exitCode: 2, text: expect.stringContaining('unknown lane: --fast') })
})

test('a failed set-up is a failure', async () => {
  await checkout.fake('apt-get', 'exit 100')
  expect(await run()).toEqual([1, '0 passed, 1 failed'])
})

test('the check installs nothing, and says what to run first', async () => {
  const { exitCode, text } = await checkout.run('scripts/test.sh', ['--check'])
  expect({ exitCode, text }).toEqual({ exitCode: 1, text: expect.stringContaining('sh scripts/setup.sh --tests') })
  expect(await callsOf('npm')).toEqual([])
})

describe('.ci/run', () => {
  const ci = async (lanes: string) => {
    await cp(join(packageRoot, '.ci'), join(checkout.folder, '.ci'), { recursive: true })
    const { exitCode, text } = await checkout.run('.ci/run', [], { env: { LANES: lanes } })
    return { exitCode, text, line: text.trimEnd().split('\n').at(-1), runs: (await callsOf('vitest')).map(projectsOf) }
  }
  const projectsOf = (call: string) =>
    [...call.matchAll(/--project=(\w+)|(test\/\S+)/g)].map(([, lane, path]) => lane ?? path)
  const NPM_TEST = ['unit', 'db', 'smoke']

  test('runs npm test alone where nothing else can be broken', async () => {
    expect(await ci('')).toMatchObject({ exitCode: 0, line: '2 passed, 0 failed', runs: [NPM_TEST] })
  })

  test('adds up the lanes of what changed', async () => {
    await checkout.fake('vitest', counted('3 0 1'))
    expect(await ci('drivers test/platforms/zoom/\\nbots\\n')).toMatchObject({
      exitCode: 0,
      line: 'retried_3: 9 passed, 0 failed',
      runs: [NPM_TEST, ['drivers', 'test/platforms/zoom/'], ['bots', 'measured']],
    })
  })

  test('fails if one of several runs fails, runs the others, and says last what failed', async () => {
    const failing = `echo 'failed: test/one: why' >.cache/test-problems; ${counted('1 2 0')}`
    await checkout.fake('vitest', `case "$*" in *--project=drivers*) ${failing} ;; esac; ${counted('3 0 0')}`)
    await checkout.fake('biome', 'echo a bad line; exit 1')
    const result = await ci('drivers\\nbots\\n')
    expect(result).toMatchObject({ exitCode: 1, line: '7 passed, 3 failed' })
    expect(result.text).toMatch(/\n== .*\nfailed: lint\na bad line\n\nfailed: test\/one: why\n\n7 passed, 3 failed\n$/)
  })

  test('runs all lanes if it cannot say what changed, and fails if set-up does', async () => {
    await checkout.fake('npm', npm('exit 1'))
    expect(await ci('')).toMatchObject({ exitCode: 1, line: '0 passed, 3 failed' })
  })
})
