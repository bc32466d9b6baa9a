import { expect, test } from 'vitest'
import { countsOf, type FileResult, figures, problemsOf } from '../../scripts/test-report.ts'

/** A file with one test for each state. */
function file(name: string, lane: string, states: readonly string[], more: Partial<FileResult> = {}): FileResult {
  const tests = states.map((state) => ({ name: `is ${state}`, state, retries: 0 }))
  return { file: `test/${name}`, lane, startedAt: 0, endedAt: 1000, hasFailedItself: false, tests, ...more }
}

const retried = file('join.browser.test.ts', 'drivers', ['passed', 'failed'], { startedAt: 500, endedAt: 9500 })
for (const each of retried.tests) each.retries = 1

test.each<[string, FileResult[], object]>([
  ['tests', [file('a', 'unit', ['passed', 'failed', 'skipped'])], { passed: 1, failed: 1, retried: 0 }],
  ['a file that could not be loaded', [file('a', 'unit', [], { hasFailedItself: true })], { passed: 0, failed: 1 }],
  ['a failed hook', [file('a', 'unit', ['passed'], { hasFailedItself: true })], { passed: 1, failed: 1 }],
  ['tests that ran twice, whatever came out', [retried], { passed: 1, failed: 1, retried: 2 }],
])('counts %s', (_what, results, counts) => {
  expect(countsOf(results)).toMatchObject(counts)
})

test('the figures name the time of each lane and the slowest files', () => {
  const later = file('b.test.ts', 'unit', ['passed', 'passed'], { startedAt: 2000, endedAt: 5000 })
  expect(figures([file('a.test.ts', 'unit', ['passed']), retried, later]).split('\n')).toEqual([
    'Lanes (from the first test to the last):',
    '    5.0 s  unit: 3 tests in 2 files',
    '    9.0 s  drivers: 2 tests in 1 files',
    '',
    'Slowest files:',
    '    9.0 s  test/join.browser.test.ts',
    '    3.0 s  test/b.test.ts',
    '    1.0 s  test/a.test.ts',
  ])
})

test('the problems name what failed or ran twice, with the cause', () => {
  const broken = file('c.test.ts', 'unit', ['failed', 'passed'])
  broken.tests[0]!.error = '\u001b[31mone\u001b[39m\n  two'
  const unloaded = file('d.test.ts', 'unit', [], { hasFailedItself: true })
  expect(problemsOf([broken, retried, unloaded]).split('\n')).toEqual([
    'failed: test/c.test.ts: is failed',
    '    one',
    '    two',
    'retried: test/join.browser.test.ts: is passed',
    '    ',
    'failed: test/join.browser.test.ts: is failed',
    '    ',
    'failed: test/d.test.ts',
    '',
  ])
  expect(problemsOf([file('a.test.ts', 'unit', ['passed', 'skipped'])])).toBe('')
})
