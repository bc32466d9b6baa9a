/** Closes what a test, or a file of tests, opened. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** Runs `close` at the end of the current test, or of the file if no test runs. The last one runs first. */
export function atEnd(close: () => unknown): void {
  if (TestRunner.getCurrentTest()) onTestFinished(async () => void (await close()))
  else afterAll(async () => void (await close()))
}

/** A folder that goes with the running test or, outside of a test, with the tests of the file. */
export function temporaryFolder(name = 'standin-'): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  atEnd(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
