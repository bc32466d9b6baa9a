/**
 * Runs tests that measure sound and picture in real time. While a machine stalls (its host takes the cores away, or
 * suspends it), both are late in any recording. So a test that failed during a stall runs once more when the machine
 * runs again, and the report shows it as a retry. No other test is repeated. When a worker ends, what its files shared
 * is closed.
 */
import { type RunnerTask, type SerializedConfig, TestRunner } from 'vitest'
import { StandstillWatch } from './standstill.ts'
import { endWorker } from './worker-end.ts'

declare module 'vitest' {
  interface TaskMeta {
    retriedAfterStandstillMs?: number
  }
}

/** For all files of a worker; each file has a separate runner. */
const machine = new StandstillWatch()

export default class RealTimeRunner extends TestRunner {
  constructor(config: SerializedConfig) {
    super(config)
    this.onCleanupWorkerContext(endWorker)
  }

  override async onBeforeTryTask(test: RunnerTask): Promise<void> {
    super.onBeforeTryTask(test)
    if (test.result?.retryCount) {
      test.meta.retriedAfterStandstillMs = machine.longestMs()
      await machine.recovered()
    }
    machine.begin()
  }

  override async onBeforeRunTask(test: RunnerTask): Promise<void> {
    await super.onBeforeRunTask(test)
    test.retry = { count: 1, condition: () => machine.stoodStill() }
  }
}
