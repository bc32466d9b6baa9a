import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished, TestRunner } from 'vitest'

/** A folder that goes with the running test or, outside of a test, with the tests of the file. */
export function temporaryFolder(name = 'standin-'): string {
  const folder = mkdtempSync(join(tmpdir(), name))
  const whenOver = TestRunner.getCurrentTest() ? onTestFinished : afterAll
  whenOver(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
