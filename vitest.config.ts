import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { LongestFirst } from './test/longest-first.ts'

const CORES = availableParallelism()
/** Pages, bots and databases wait for much of their time, so a core carries two files. */
const WAITING = 2 * CORES
/** Whole bots take more of a core than pages do, and record in real time. */
const BOTS = Math.ceil(1.5 * CORES)

// A program that a test starts is compiled once.
process.env.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '.cache/compiled')

/** The end of a file's name says what its tests need; a name without one is a unit test. */
const PLACES = {
  db: ['test/**/*.db.test.ts'],
  smoke: ['test/**/*.smoke.test.ts'],
  pages: ['test/**/*.browser.test.ts'],
  bots: ['test/**/*.process.test.ts', 'test/**/*.system.test.ts'],
  measured: ['test/**/*.measured.test.ts'],
  long: ['test/**/*.long.test.ts'],
}

type Test = NonNullable<TestProjectInlineConfiguration['test']>

/** A minute for what takes moments on a quiet machine: no limit is a statement about the code. */
const lane = (name: string, groupOrder: number, maxWorkers: number, test: Test) => ({
  extends: true as const,
  test: {
    name,
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers,
    runner: './test/set-up/closing-runner.ts',
    sequence: { groupOrder },
    ...test,
  },
})

/**
 * Bots and pages run in real time beside others, and a slow machine may starve one of them. Such a test runs once more;
 * the closing line of a run counts them.
 */
const REAL_TIME = {
  retry: 1,
  testTimeout: 180_000,
  hookTimeout: 180_000,
  globalSetup: ['test/set-up/page-bundles.ts', 'test/set-up/postgres-folder.ts'],
}

export default defineConfig({
  test: {
    // A condition is waited for as long as a busy machine may need; a second is not a statement about the code.
    expect: { poll: { timeout: 60_000, interval: 50 } },
    // Node runs the sources as they are, as it does in production; nothing here mocks a module.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Modules have no state, so files may share them: loading them again costs more than most tests.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    // Lanes of one group run at once, as many files as its workers; the groups run one after the other.
    projects: [
      lane('unit', 0, WAITING, {
        include: ['test/**/*.test.ts'],
        exclude: Object.values(PLACES).flat(),
        setupFiles: ['test/set-up/no-programs.ts', 'test/set-up/draws.ts'],
      }),
      lane('db', 0, WAITING, {
        include: PLACES.db,
        setupFiles: ['test/set-up/draws.ts'],
        globalSetup: ['test/set-up/postgres-folder.ts'],
      }),
      lane('smoke', 1, BOTS, { ...REAL_TIME, include: PLACES.smoke }),
      lane('drivers', 2, WAITING, { ...REAL_TIME, include: PLACES.pages }),
      lane('bots', 3, BOTS, { ...REAL_TIME, include: PLACES.bots }),
      // Measures sound and picture to the millisecond: beside no other lane, with half of the processor to spare.
      lane('measured', 4, CORES, { ...REAL_TIME, include: PLACES.measured }),
      lane('long', 5, BOTS, { ...REAL_TIME, include: PLACES.long }),
    ],
  },
})
