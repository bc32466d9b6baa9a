import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const CORES = availableParallelism()
/** How many files at most run at once: scripts/test.sh says 1 for those that ran short of processor time. */
const MAX_WORKERS = Number(process.env.STANDIN_TEST_WORKERS ?? Infinity)
/** Pages and bots wait for much of their time, so a core carries two files (bench/notes/2026-11-27-time-of-the-suite.md). */
const WORKERS = Math.min(2 * CORES, MAX_WORKERS)
const MEASURED_WORKERS = Math.min(CORES, MAX_WORKERS)
/** Whole bots take more of a core than pages do, and measure in real time. */
const BOT_WORKERS = Math.min(Math.ceil(1.5 * CORES), MAX_WORKERS)

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
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // Node runs the sources as they are, as it does in production; nothing here mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    globalSetup: ['test/global-setup.ts'],
    // Modules have no state, so files may share them: loading them again costs more than most tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Lanes of one group run at once, as many files as its workers; the groups run one after the other.
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: ['test/**/*.test.ts'],
          exclude: [...BROWSER, ...SYSTEM, ...MEASURED, ...LONG],
          // A busy machine takes its time to start a process or to compile.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          ...REAL_TIME,
          name: 'browser',
          include: BROWSER,
          exclude: MOCKS,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 0 },
        },
      },
      {
        // Whole bots and real servers.
        extends: true,
        test: { ...REAL_TIME, name: 'system', include: SYSTEM, maxWorkers: BOT_WORKERS, sequence: { groupOrder: 1 } },
      },
      {
        // Measures sound and picture to the millisecond: beside no other lane, with half of the processor to spare.
        extends: true,
        test: {
          ...REAL_TIME,
          name: 'measured',
          include: MEASURED,
          maxWorkers: MEASURED_WORKERS,
          sequence: { groupOrder: 2 },
        },
      },
      {
        extends: true,
        test: { ...REAL_TIME, name: 'long', include: LONG, maxWorkers: BOT_WORKERS, sequence: { groupOrder: 3 } },
      },
    ],
  },
})
