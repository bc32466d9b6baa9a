import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

const CORES = availableParallelism()
/** A page in a test waits for most of its time: one file of them keeps a sixth of two cores busy. */
const PAGES = 3 * CORES
/** Whole bots record, and servers are started again and again. */
const BOTS = 2 * CORES

/** A lane is named after the needs of its tests. The end of a file's name decides its lane. */
const BROWSER = ['test/**/*.browser.test.ts']
const SYSTEM = ['test/**/*.system.test.ts']
const MEASURED = ['test/**/*.measured.test.ts']
/**
 * The mock meetings' own pages and media run with the long lane: every driver test fails where a mock does not work.
 */
const MOCKS = ['test/mock/**/*.browser.test.ts']
const LONG = ['test/**/*.long.test.ts', ...MOCKS]

/** Sound and pictures in real time; a standstill of the machine counts. */
const REAL_TIME = { runner: './test/real-time-runner.ts', testTimeout: 180_000, hookTimeout: 180_000 }

export default defineConfig({
  test: {
    // A condition is waited for as long as a busy machine may need; a second is not a statement about the code.
    expect: { poll: { timeout: 20_000, interval: 50 } },
    globalSetup: ['test/global-setup.ts'],
    // Modules have no state, so files may share them: loading them again costs more than most tests.
    isolate: false,
    // Lanes of one group run at once, as many files as its workers; the groups run one after the other.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...SYSTEM, ...MEASURED, ...LONG],
          // A busy machine takes its time to start a process or to compile.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: PAGES,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Pages in a browser.
        extends: true,
        test: {
          ...REAL_TIME,
          name: 'browser',
          include: BROWSER,
          exclude: MOCKS,
          maxWorkers: PAGES,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Whole bots and real servers, which mostly wait for a meeting to continue.
        extends: true,
        test: { ...REAL_TIME, name: 'system', include: SYSTEM, maxWorkers: BOTS, sequence: { groupOrder: 1 } },
      },
      {
        // Measures sound and picture to the millisecond: beside no other lane, with half of the processor to spare.
        extends: true,
        test: { ...REAL_TIME, name: 'measured', include: MEASURED, maxWorkers: CORES, sequence: { groupOrder: 2 } },
      },
      {
        extends: true,
        test: { ...REAL_TIME, name: 'long', include: LONG, maxWorkers: BOTS, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
