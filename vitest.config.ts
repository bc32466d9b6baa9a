import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

/** A browser joining a meeting takes more than a core for some seconds, and waits for the rest of the time. */
const BROWSERS = Math.max(2, Math.min(4, availableParallelism() - 1))

/** Real recordings, servers and whole bots: what they measure is not disturbed where each has two cores. */
const SYSTEMS = Math.max(1, Math.min(2, Math.floor(availableParallelism() / 2)))

const BROWSER = ['test/**/*.browser.test.ts']
const SYSTEM = ['test/**/*.system.test.ts']

const REAL_TIME = { runner: './test/real-time-runner.ts', testTimeout: 180_000, hookTimeout: 180_000 }

export default defineConfig({
  test: {
    // A condition is waited for as long as a busy machine may need; a second is not a statement about the code.
    expect: { poll: { timeout: 20_000, interval: 50 } },
    globalSetup: ['test/global-setup.ts'],
    // One group after the other.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...SYSTEM],
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { ...REAL_TIME, name: 'browser', include: BROWSER, maxWorkers: BROWSERS, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { ...REAL_TIME, name: 'system', include: SYSTEM, maxWorkers: SYSTEMS, sequence: { groupOrder: 2 } },
      },
    ],
  },
})
