/**
 * vitest's reporter for `scripts/test.sh`: the time of each lane and the slowest files, printed and kept in
 * `.cache/test-report.txt`; each failed and retried test, also in `.cache/test-problems`, which `.ci/run` prints last; and
 * the counts `<passed> <failed> <retried>` in `.cache/test-counts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, TestModule } from 'vitest/node'

/** The result of a file. Times are milliseconds. */
export interface FileResult {
  file: string
  lane: string
  startedAt: number
  endedAt: number
  /** A file that could not be loaded, or whose hook failed, is one failed. */
  hasFailedItself: boolean
  /** `error`: why it failed, the first time. */
  tests: { name: string; state: string; retries: number; error?: string | undefined }[]
}

const SLOWEST = 20
/** Of an error, characters: its output may be cut from the front, and the problems come last. */
const MAX_ERROR = 600

export default class TestReport implements Reporter {
  readonly #startedAt = new Map<string, number>()
  readonly #results: FileResult[] = []

  onTestModuleStart({ moduleId, project }: TestModule): void {
    this.#startedAt.set(`${project.name} ${moduleId}`, Date.now())
  }

  onTestModuleEnd(module: TestModule): void {
    const lane = module.project.name
    const tests = [...module.children.allTests()].map((test) => ({
      name: test.fullName,
      state: test.result().state,
      retries: test.diagnostic()?.retryCount ?? 0,
      error: test.result().errors?.[0]?.message,
    }))
    const suitesFailed = [...module.children.allSuites()].some((suite) => suite.errors().length > 0)
    this.#results.push({
      file: module.relativeModuleId,
      lane,
      startedAt: this.#startedAt.get(`${lane} ${module.moduleId}`) ?? Date.now(),
      endedAt: Date.now(),
      hasFailedItself: module.errors().length > 0 || suitesFailed,
      tests,
    })
  }

  onTestRunEnd(_modules: unknown, unhandledErrors: readonly unknown[]): void {
    const text = figures(this.#results)
    const problems = problemsOf(this.#results)
    const { passed, failed, retried } = countsOf(this.#results)
    mkdirSync('.cache', { recursive: true })
    writeFileSync('.cache/test-report.txt', `${text}\n`)
    writeFileSync('.cache/test-problems', problems)
    writeFileSync('.cache/test-counts', `${passed} ${failed + unhandledErrors.length} ${retried}\n`)
    console.log(`\n${text}\n\n${problems || 'No test failed or ran twice.\n'}`)
  }
}

export function countsOf(results: readonly FileResult[]): { passed: number; failed: number; retried: number } {
  const tests = results.flatMap((file) => file.tests)
  const failedFiles = results.filter(({ hasFailedItself }) => hasFailedItself).length
  return {
    passed: tests.filter(({ state }) => state === 'passed').length,
    failed: tests.filter(({ state }) => state === 'failed').length + failedFiles,
    retried: tests.filter(({ retries }) => retries > 0).length,
  }
}

/** For a person: where the time of a run went. */
export function figures(results: readonly FileResult[]): string {
  const slowest = results.toSorted((one, other) => timeOf(other) - timeOf(one)).slice(0, SLOWEST)
  return [
    'Lanes (from the first test to the last):',
    ...[...Map.groupBy(results, ({ lane }) => lane)].map(([lane, files]) => {
      const from = Math.min(...files.map(({ startedAt }) => startedAt))
      const to = Math.max(...files.map(({ endedAt }) => endedAt))
      const tests = files.reduce((sum, file) => sum + file.tests.length, 0)
      return `${seconds(to - from)}  ${lane}: ${tests} tests in ${files.length} files`
    }),
    '',
    'Slowest files:',
    ...slowest.map((file) => `${seconds(timeOf(file))}  ${file.file}`),
  ].join('\n')
}

/** Each test that failed or ran twice, and why it failed the first time. Empty, or whole lines. */
export function problemsOf(results: readonly FileResult[]): string {
  return results
    .flatMap(({ file, tests, hasFailedItself }) => [
      ...(hasFailedItself ? [`failed: ${file}\n`] : []),
      ...tests
        .filter(({ state, retries }) => state === 'failed' || retries > 0)
        .map(({ name, state, error = '' }) => {
          const why = stripVTControlCharacters(error).slice(0, MAX_ERROR).replaceAll(/\n\s*/g, '\n    ')
          return `${state === 'failed' ? 'failed' : 'retried'}: ${file}: ${name}\n    ${why}\n`
        }),
    ])
    .join('')
}

const timeOf = ({ startedAt, endedAt }: FileResult) => endedAt - startedAt

const seconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`
