import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { closingLine, figures, filesToRunAlone, type Report, withRunAlone } from '../../scripts/test-report.ts'
import { type Checkout, makeCheckout } from './checkout.ts'

const file = (status: string, ...tests: string[]): Report['testResults'][number] => ({
  name: '/checkout/test/a.test.ts',
  status,
  startTime: 0,
  endTime: 1000,
  assertionResults: tests.map((each) => ({ status: each, fullName: each })),
})
/** A file `name` with tests as `{ joins: 'passed' }`. */
const named = (name: string, tests: Record<string, string>): Report['testResults'][number] => ({
  ...file(Object.values(tests).includes('failed') ? 'failed' : 'passed'),
  name: `/checkout/test/${name}`,
  assertionResults: Object.entries(tests).map(([fullName, status]) => ({ status, fullName })),
})
const reportOf = (...testResults: Report['testResults']): Report => {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  const count = (status: string) => tests.filter((test) => test.status === status).length
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults }
}

describe('the closing line', () => {
  test('counts the tests', () => {
    const report = { numPassedTests: 3, numFailedTests: 1, testResults: [file('failed', 'passed', 'failed')] }
    expect(closingLine(report, ['tests'])).toBe('3 passed, 1 failed')
  })

  test('counts a file that could not be loaded as one failed', () => {
    const report = { numPassedTests: 3, numFailedTests: 0, testResults: [file('failed')] }
    expect(closingLine(report, ['tests'])).toBe('3 passed, 1 failed')
  })

  test('counts a step that failed as such', () => {
    const report = { numPassedTests: 3, numFailedTests: 0, testResults: [file('passed', 'passed')] }
    expect(closingLine(report, ['lint', 'types'])).toBe('3 passed, 2 failed')
  })

  test('never claims success for a run that failed without saying what', () => {
    const report = { numPassedTests: 3, numFailedTests: 0, testResults: [file('passed', 'passed')] }
    expect(closingLine(report, ['tests'])).toBe('3 passed, 1 failed')
    expect(closingLine(null, ['tests'])).toBe('0 passed, 1 failed')
  })

  test('counts what was retried after a standstill', () => {
    const retried = file('passed', 'passed', 'passed')
    retried.assertionResults[1]!.meta = { retriedAfterStandstillMs: 900 }
    expect(closingLine({ numPassedTests: 2, numFailedTests: 0, testResults: [retried] }, [])).toBe(
      'retried_1: 2 passed, 0 failed',
    )
  })
})

test('the figures name the time of each lane, the slowest files, and what was retried', () => {
  const joined = { ...file('passed', 'joins', 'leaves'), name: '/checkout/test/join.browser.test.ts', startTime: 500 }
  joined.endTime = 9_500
  joined.assertionResults[0]!.meta = { retriedAfterStandstillMs: 900 }
  const alone = { ...file('passed', 'is in sync'), name: '/checkout/test/sync.measured.test.ts', startTime: 10_000 }
  alone.endTime = 11_000
  const report = { numPassedTests: 4, numFailedTests: 0, testResults: [file('passed', 'adds'), joined, alone] }
  expect(figures(report, '/checkout').split('\n')).toEqual([
    'Lanes (from the first test to the last):',
    '    1.0 s  fast: 1 tests in 1 files',
    '    9.0 s  browser: 2 tests in 1 files',
    '    1.0 s  measured: 1 tests in 1 files',
    '',
    'Slowest files:',
    '    9.0 s  test/join.browser.test.ts',
    '    1.0 s  test/a.test.ts',
    '    1.0 s  test/sync.measured.test.ts',
    '',
    'Retried: 1',
    '  test/join.browser.test.ts: joins (standstill of 900 ms)',
  ])
})

describe('files that run again, alone', () => {
  const late = named('late.system.test.ts', { records: 'failed', joins: 'passed' })

  test('are those that failed', () => {
    const passed = named('join.browser.test.ts', { joins: 'passed' })
    expect(filesToRunAlone(reportOf(file('failed', 'failed'), passed, late), '/checkout')).toEqual([
      'test/a.test.ts',
      'test/late.system.test.ts',
    ])
  })

  test('are none if many failed: the code is broken', () => {
    const many = (count: number) => Array.from({ length: count }, () => late)
    expect(filesToRunAlone(reportOf(...many(12)), '/checkout')).toHaveLength(12)
    expect(filesToRunAlone(reportOf(...many(13)), '/checkout')).toEqual([])
  })

  test('count as they ended alone, and are named', () => {
    const alone = named('late.system.test.ts', { records: 'passed', joins: 'passed' })
    const report = withRunAlone(reportOf(file('passed', 'passed'), late), reportOf(alone))
    expect(closingLine(report, [])).toBe('retried_1: 3 passed, 0 failed')
    expect(figures(report, '/checkout')).toMatch(
      /Retried: 1\n {2}test\/late.system.test.ts: records \(failed beside other files, passed alone\)$/,
    )
  })

  test('fail if they fail alone, if they cannot be loaded then, and if they are missing', () => {
    const first = reportOf(file('passed', 'passed'), late)
    expect(closingLine(withRunAlone(first, reportOf(late)), ['tests'])).toBe('retried_1: 2 passed, 1 failed')
    const unloadable = { ...late, assertionResults: [] }
    expect(closingLine(withRunAlone(first, reportOf(unloadable)), ['tests'])).toBe('1 passed, 1 failed')
    expect(closingLine(withRunAlone(first, reportOf()), ['tests'])).toBe('2 passed, 1 failed')
  })
})

describe('npm test', () => {
  let checkout: Checkout

  beforeEach(async () => {
    checkout = await makeCheckout()
    // Fakes for lint, types, English, unused exports and tests; `node scripts/test-report.ts` is the real one.
    await checkout.fake(
      'npm',
      `mkdir -p node_modules/.bin
      for name in biome knip tsc vitest; do cp "$FAKES/$name" node_modules/.bin/$name; done
      printf '#!/bin/sh\\ncase "$1" in */build.ts) mkdir -p dist ;; */check-english.ts) english ;; *) exec "$REAL_NODE" "$@" ;; esac\\n' > node_modules/.bin/node
      chmod +x node_modules/.bin/node
      touch node_modules/.package-lock.json`,
    )
    for (const name of ['biome', 'tsc', 'english', 'knip']) await checkout.fake(name, 'true')
    await checkout.fake('vitest', vitest(2, 0))
  })

  afterEach(() => checkout.remove())

  function vitest(passed: number, failed: number, testResults: Report['testResults'] = []): string {
    const report = JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults })
    return `for word in "$@"; do case $word in --outputFile.json=*) printf '%s' '${report}' > "\${word#*=}" ;; esac; done
      exit ${failed === 0 ? 0 : 1}`
  }

  const run = (...args: string[]) => checkout.run('scripts/test.sh', args, { env: { REAL_NODE: process.execPath } })
  const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)

  test('runs lint, types, English, unused exports and tests and ends with the numbers', async () => {
    const { exitCode, text } = await run('test/one')
    expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 0, last: '2 passed, 0 failed' })
    const calls = (await checkout.calls()).filter((call) => /^(biome|tsc|english|knip|vitest)/.test(call)).sort()
    expect(calls.map((call) => call.split(' ')[0])).toEqual(['biome', 'english', 'knip', 'tsc', 'vitest'])
    expect(calls[4]).toMatch(/ test\/one$/)
  })

  test('a failed test: its number and a failing exit code', async () => {
    await checkout.fake('vitest', vitest(5, 2))
    const { exitCode, text } = await run()
    expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 1, last: '5 passed, 2 failed' })
  })

  describe('a few files that failed in real time', () => {
    const ended = (status: string) => {
      const at = join(checkout.folder, 'test/late.system.test.ts')
      const tests = { ...named('', { records: status, joins: 'passed' }), name: at }
      return vitest(status === 'passed' ? 2 : 1, status === 'passed' ? 0 : 1, [tests])
    }
    const endsAlone = (status: string) =>
      checkout.fake('vitest', `if [ "\${STANDIN_TEST_WORKERS-}" = 1 ]; then ${ended(status)}; fi; ${ended('failed')}`)
    const runsOfVitest = async () => (await checkout.calls()).filter((call) => call.startsWith('vitest'))

    test('run again with nothing beside them, and count as they end then', async () => {
      await endsAlone('passed')
      const { exitCode, text } = await run()
      expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 0, last: 'retried_1: 2 passed, 0 failed' })
      expect((await runsOfVitest())[1]).toMatch(/ test\/late\.system\.test\.ts$/)
    })

    test('fail the run if they fail again', async () => {
      await endsAlone('failed')
      const { exitCode, text } = await run()
      expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 1, last: 'retried_1: 1 passed, 1 failed' })
    })

    test('do not hide a failed check', async () => {
      await endsAlone('passed')
      await checkout.fake('biome', 'exit 1')
      const { exitCode, text } = await run()
      expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 1, last: 'retried_1: 2 passed, 1 failed' })
    })

    test('are not run again if arguments chose them', async () => {
      await endsAlone('passed')
      expect((await run('test/late.system.test.ts')).exitCode).toBe(1)
      expect(await runsOfVitest()).toHaveLength(1)
    })
  })

  test.each(['biome', 'english', 'knip', 'tsc'])(
    'a failed %s does not keep the tests from running, and fails the run',
    async (name) => {
      await checkout.fake(name, 'exit 1')
      const { exitCode, text } = await run()
      expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 1, last: '2 passed, 1 failed' })
    },
  )

  test('what lint said is printed after the tests, and a slow check is waited for', async () => {
    await checkout.fake('biome', 'sleep 0.3; echo a bad line; exit 1')
    await checkout.fake('vitest', `echo the tests; ${vitest(2, 0)}`)
    const { text } = await run()
    expect(text).toMatch(
      /== tests\nthe tests\n[\s\S]*== lint\na bad line\n[\s\S]*failed: lint\n[\s\S]*2 passed, 1 failed\n$/,
    )
  })

  test('the check needs no set-up, and runs the fast lane only', async () => {
    await run()
    const before = await checkout.calls()
    const { exitCode } = await run('--check')
    const added = (await checkout.calls()).slice(before.length)
    expect(exitCode).toBe(0)
    expect(added.filter((call) => /^(apt-get|npm|node)/.test(call))).toEqual([])
    expect(added.find((call) => call.startsWith('vitest'))).toContain('--project=fast')
  })

  test('a test run that crashes without a report is a failure', async () => {
    await checkout.fake('vitest', 'kill -KILL $$')
    const { exitCode, text } = await run()
    expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 1, last: '0 passed, 1 failed' })
  })

  test('a failed set-up is a failure', async () => {
    await checkout.fake('apt-get', 'exit 100')
    const { exitCode, text } = await run()
    expect({ exitCode, last: lastLine(text) }).toEqual({ exitCode: 1, last: '0 passed, 1 failed' })
  })
})
