/**
 * Runs tests that measure sound and picture in real time. Where a machine stands still for a second, both are a second
 * late, whoever records them: what failed on an overloaded machine is run again once the machine has time, twice at most,
 * and stands in the report with `(retry x1)`. On a machine that has time, a failure is one.
 */
import { type RunnerTask, TestRunner } from 'vitest'
import { OverloadWatch } from './overload.ts'

export default class RealTimeRunner extends TestRunner {
  readonly #machine = new OverloadWatch()

  override async onBeforeTryTask(test: RunnerTask): Promise<void> {
    super.onBeforeTryTask(test)
    if (test.result?.retryCount) await this.#machine.rested()
    this.#machine.begin()
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test)
    test.retry = { count: 2, condition: () => this.#machine.wasOverloaded() }
  }
}
