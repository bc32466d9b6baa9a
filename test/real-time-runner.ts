/**
 * Runs tests that measure sound and picture in real time. While a machine stands still (its host takes the cores away, or
 * suspends it), both are late in any recording. So a test that failed while the machine stood still is run once more,
 * when it runs again, and stands in the report as a retry. Nothing else is repeated.
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
