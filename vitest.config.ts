import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** Tests that mostly wait share the cores, one more at once than there are. */
const WAITING = availableParallelism() + 1

const BROWSER = ['test/**/*.browser.test.ts']
const SYSTEM = ['test/**/*.system.test.ts']
const LONG = ['test/**/*.long.test.ts']

/** Whole bots, real servers, and everything that measures sound or picture in real time. */
const REAL_TIME = { runner: './test/real-time-runner.ts', testTimeout: 180_000, hookTimeout: 180_000 }

export default defineConfig({
  test: {
    // A condition is waited for as long as a busy machine may need; a second is not a statement about the code.
    expect: { poll: { timeout: 20_000, interval: 50 } },
    globalSetup: ['test/global-setup.ts'],
    // Modules hold no state of their own, so files may share them: loading them anew costs more than most tests.
    isolate: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...SYSTEM, ...LONG],
          testTimeout: 30_000,
          maxWorkers: WAITING,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { ...REAL_TIME, name: 'browser', include: BROWSER, maxWorkers: WAITING, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: { ...REAL_TIME, name: 'system', include: SYSTEM, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
