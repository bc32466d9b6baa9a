/**
 * The promises of every platform, one test for each. The names of the tests are the rows of the table in
 * docs/platforms.md.
 * Promises of one meeting share its browser, which keeps the whole suite of a platform to a few minutes.
 */
import { describe } from 'vitest'
import { gettingIn } from './getting-in.ts'
import { inTheMeeting } from './in-the-meeting.ts'
import type { PlatformUnderTest } from './platforms.ts'
import { conformanceRig } from './rig.ts'
import { wholeLife } from './whole-life.ts'

export function promises(platform: PlatformUnderTest): void {
  const rig = conformanceRig(platform)
  describe('getting in', () => gettingIn(platform, rig))
  describe('in the meeting', () => inTheMeeting(platform, rig))
  describe('a whole worker run', () => wholeLife(rig))
}
