/**
 * Makes tests of a platform's rows. Rows of one meeting share its browser, which keeps the whole suite of a platform to
 * a few minutes.
 */
import { describe, test } from 'vitest'
import type { PlatformUnderTest } from './platforms.ts'
import { conformanceRig } from './rig.ts'
import { type Lane, rowsOf } from './rows.ts'

/** To be called once in a test file of this lane. */
export function promises(platform: PlatformUnderTest, lane: Lane): void {
  describe(platform.name, () => {
    const rig = conformanceRig(platform)
    const rows = rowsOf(platform).filter((row) => row.lane === lane)
    describe.each([...new Set(rows.map(({ group }) => group))])('%s', (group) => {
      for (const row of rows.filter((candidate) => candidate.group === group))
        test.skipIf(!row.isPromised)(row.title, () => row.prove(rig))
    })
  })
}
