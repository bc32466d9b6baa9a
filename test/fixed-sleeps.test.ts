import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packageRoot } from '../packages/core/process/page-scripts.ts'

const SLEEP = /setTimeout\((?:resolve|done), ?\d[\d_]{2,}|await (?:delay|passes|sleep)\(\d[\d_]{2,}\)/
/** Their subject is real time itself. */
const REAL_TIME = [
  'test/control-plane/store/wake-dispatcher.db.test.ts',
  'test/platforms/browser/cpu-waits.process.test.ts',
]

/** A fixed sleep is too long on a quiet machine and too short on a busy one: a test waits for a condition. */
test('no test of units, of the database or of processes sleeps for a tenth of a second or more', () => {
  const sleeping = globSync('test/**/*.test.ts', { cwd: packageRoot })
    .filter((file) => !/\.(smoke|browser|system|measured|long)\.test\.ts$/.test(file))
    .filter((file) => SLEEP.test(readFileSync(join(packageRoot, file), 'utf8')))
  expect(sleeping.sort()).toEqual(REAL_TIME)
})
