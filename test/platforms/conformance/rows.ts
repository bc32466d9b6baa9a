/**
 * The promises of every platform, a row for each: the rows of the table in docs/platforms.md, in its order. `npm test`
 * proves all of them on Google Meet. On the other platforms it proves those that depend on the platform's own page; the
 * long lane proves the rest there, which are about code that all platforms share.
 */
import { gettingIn } from './getting-in.ts'
import { inTheMeeting } from './in-the-meeting.ts'
import { GOOGLE_MEET, type PlatformUnderTest } from './platforms.ts'
import type { Rig } from './rig.ts'
import { wholeLife } from './whole-life.ts'

export type Lane = 'browser' | 'long'

export interface Row {
  group: string
  title: string
  /** False for a promise that the platform cannot keep, or that its mock cannot show. */
  isPromised: boolean
  lane: Lane
  prove(rig: Rig): Promise<void>
}

type AddRow = (title: string, prove: Row['prove']) => void

export interface AddRows {
  /** Depends on the platform's own page. */
  ofPage: AddRow
  /** Depends on shared code only, or has another test on the platform. */
  ofSharedCode: AddRow
  /** Depends on the platform's own page. Only some platforms promise it. */
  ofPageIf(isPromised: boolean | undefined): AddRow
}

export function rowsOf(platform: PlatformUnderTest): Row[] {
  const rows: Row[] = []
  const group = (name: string): AddRows => {
    const adding = (lane: Lane, isPromised: boolean): AddRow => {
      const where = platform === GOOGLE_MEET ? 'browser' : lane
      return (title, prove) => void rows.push({ group: name, title, isPromised, lane: where, prove })
    }
    return {
      ofPage: adding('browser', true),
      ofSharedCode: adding('long', true),
      ofPageIf: (isPromised = false) => adding('browser', isPromised),
    }
  }
  gettingIn(platform, group('getting in'))
  inTheMeeting(platform, group('in the meeting'))
  wholeLife(platform, group('a whole worker run'))
  return rows
}
