/**
 * Runs tests that measure sound and picture in real time. While a machine stalls (its host takes the cores away, or
 * suspends it), both are late in any recording. So a test that failed during a stall runs once more when the machine
 * runs
 * again, and the report shows it as a retry. No other test is repeated.
 */
import { type RunnerTask, TestRunner } from 'vitest'
import { StandstillWatch } from './standstill.ts'

declare module 'vitest' {
  interface TaskMeta {
    retriedAfterStandstillMs?: number
  }
}

export default class RealTimeRunner extends TestRunner {
  readonly #machine = new StandstillWatch()

  override async onBeforeTryTask(test: RunnerTask): Promise<void> {
    super.onBeforeTryTask(test)
    if (test.result?.retryCount) {
      test.meta.retriedAfterStandstillMs = this.#machine.longestMs()
      await this.#machine.recovered()
    }
    this.#machine.begin()
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test)
    test.retry = { count: 1, condition: () => this.#machine.stoodStill() }
  }
}
