/** vitest's own runner; when a worker ends, what its files shared is closed. */
import { type SerializedConfig, TestRunner } from 'vitest'
import { endWorker } from '../worker-end.ts'

export default class ClosingRunner extends TestRunner {
  constructor(config: SerializedConfig) {
    super(config)
    this.onCleanupWorkerContext(endWorker)
  }
}
