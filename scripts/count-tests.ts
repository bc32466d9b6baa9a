/**
 * The closing line of a test run: `count-tests.ts <vitest's JSON report> <names of the steps that failed>`.
 * A step that failed counts as one, unless it is the tests and these already show what failed.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The parts of vitest's report (Jest's format) that are read here. */
interface Report {
  numPassedTests: number
  numFailedTests: number
  testResults: { status: string; assertionResults: { status: string }[] }[]
}

/** A file that could not even be loaded has no tests in the report, so it counts as one failed. */
export function closingLine(report: Report | null, failedSteps: string[]): string {
  const unloadable = (report?.testResults ?? []).filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length
  const failedTests = (report?.numFailedTests ?? 0) + unloadable
  const unexplained = failedSteps.filter((step) => step !== 'tests' || failedTests === 0).length
  return `${report?.numPassedTests ?? 0} passed, ${failedTests + unexplained} failed`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = '', steps = ''] = process.argv.slice(2)
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : null
  console.log(closingLine(report, steps.split(' ').filter(Boolean)))
}
