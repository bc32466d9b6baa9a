/**
 * The report at the end of a test run: `test-report.ts <vitest's JSON report> <file for the figures> <names of failed
 * steps> [<JSON report of the files that ran again, alone>]`. Prints the time of each lane, the slowest files and each
 * retried test, keeps the same in the file, and ends with the closing line. A step that failed counts as one, unless it
 * is the tests and these already show what failed. `test-report.ts <vitest's JSON report>` prints which files may run
 * again.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The parts of vitest's report (Jest's format) that are read here. Times are milliseconds. */
export interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: TestFile[]
}

interface TestFile {
  name: string
  status: string
  startTime: number
  endTime: number
  assertionResults: { status: string; fullName: string; meta?: Retry }[]
}

interface Retry {
  retriedAfterStandstillMs?: number
  /** The test failed while other files ran. */
  retriedAlone?: boolean
}

const SLOWEST = 20
/** More files than this do not fail for want of processor time. */
const MAX_RUN_ALONE = 12

/** The files that failed, if they are few: perhaps for want of processor time. A broken test fails again. */
export function filesToRunAlone(report: Report, root: string): string[] {
  const failed = report.testResults.filter(({ status }) => status === 'failed')
  return failed.length <= MAX_RUN_ALONE ? failed.map(({ name }) => relative(root, name)) : []
}

/** The report of the whole run with what the files did that ran again, alone. */
export function withRunAlone(report: Report, alone: Report): Report {
  const testResults = report.testResults.map((file) => {
    const again = alone.testResults.find(({ name }) => name === file.name)
    if (!again) return file
    const failed = new Set(
      file.assertionResults.filter(({ status }) => status === 'failed').map((test) => test.fullName),
    )
    const assertionResults = again.assertionResults.map((test) =>
      failed.has(test.fullName) ? { ...test, meta: { ...test.meta, retriedAlone: true } } : test,
    )
    return { ...file, status: again.status, assertionResults }
  })
  const count = (status: string) =>
    testResults.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length
  return { numPassedTests: count('passed'), numFailedTests: count('failed'), testResults }
}

/** A file that could not even be loaded has no tests in the report, so it counts as one failed. */
export function closingLine(report: Report | null, failedSteps: string[]): string {
  const unloadable = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failedTests = (report?.numFailedTests ?? 0) + unloadable
  const unexplained = failedSteps.filter((step) => step !== 'tests' || failedTests === 0).length
  const retried = report ? retriedTests(report).length : 0
  const counts = `${report?.numPassedTests ?? 0} passed, ${failedTests + unexplained} failed`
  return retried === 0 ? counts : `retried_${retried}: ${counts}`
}

/** The figures of a run, for a person: where its time went, and what was retried and why. */
export function figures(report: Report, root: string): string {
  const files = report.testResults.filter(({ assertionResults }) => assertionResults.length > 0)
  const lanes = Map.groupBy(files, laneOf)
  const retried = retriedTests(report)
  return [
    'Lanes (from the first test to the last):',
    ...[...lanes].map(([lane, own]) => {
      const from = Math.min(...own.map(({ startTime }) => startTime))
      const to = Math.max(...own.map(({ endTime }) => endTime))
      const tests = own.reduce((sum, { assertionResults }) => sum + assertionResults.length, 0)
      return `${seconds(to - from)}  ${lane}: ${tests} tests in ${own.length} files`
    }),
    '',
    `Slowest files:`,
    ...files
      .sort((one, other) => timeOf(other) - timeOf(one))
      .slice(0, SLOWEST)
      .map((file) => `${seconds(timeOf(file))}  ${relative(root, file.name)}`),
    '',
    `Retried: ${retried.length === 0 ? 'none' : retried.length}`,
    ...retried.map(({ file, test, why }) => `  ${relative(root, file)}: ${test} (${why})`),
  ].join('\n')
}

/** Such as `browser` of `join.browser.test.ts`. */
function laneOf({ name }: TestFile): string {
  return /\.([a-z]+)\.test\.ts$/.exec(name)?.[1]?.match(/^(browser|system|measured|long)$/)?.[0] ?? 'fast'
}

function retriedTests(report: Report) {
  return report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.flatMap(({ fullName, status, meta = {} }) => {
      const { retriedAlone, retriedAfterStandstillMs } = meta
      if (retriedAlone) return [{ file: name, test: fullName, why: `failed beside other files, ${status} alone` }]
      if (retriedAfterStandstillMs === undefined) return []
      return [{ file: name, test: fullName, why: `standstill of ${retriedAfterStandstillMs} ms` }]
    }),
  )
}

const timeOf = ({ startTime, endTime }: TestFile) => endTime - startTime

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', figuresFile, steps = '', fileAlone = ''] = process.argv.slice(2)
  const [first, alone] = [file, fileAlone].map((name) =>
    existsSync(name) ? (JSON.parse(readFileSync(name, 'utf8')) as Report) : null,
  )
  if (figuresFile === undefined) {
    if (first) console.log(filesToRunAlone(first, process.cwd()).join('\n'))
  } else {
    const report = first && alone ? withRunAlone(first, alone) : first
    if (report) {
      const text = figures(report, process.cwd())
      writeFileSync(figuresFile, `${text}\n`)
      console.log(`${text}\n`)
    }
    console.log(closingLine(report ?? null, steps.split(' ').filter(Boolean)))
  }
}
