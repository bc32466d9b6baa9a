import { defineConfig } from 'vitest/config'

/** Tests that start a browser, ffmpeg, X, Pulse or real servers; two cores carry one of them at a time. */
const HEAVY = ['test/**/*.browser.test.ts', 'test/**/*.system.test.ts']

export default defineConfig({
  test: {
    // A condition is waited for as long as a busy machine may need; a second is not a statement about the code.
    expect: { poll: { timeout: 20_000, interval: 50 } },
    globalSetup: ['test/global-setup.ts'],
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: ['test/**/*.test.ts'], exclude: HEAVY, testTimeout: 30_000 },
      },
      {
        extends: true,
        test: {
          name: 'heavy',
          include: HEAVY,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          maxWorkers: 1,
        },
      },
    ],
  },
})
