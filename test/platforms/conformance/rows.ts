/**
 * The promises of every platform, a row for each: the rows of the table in docs/platforms.md, in its order. The lane
 * `drivers` proves those that depend on the platform's own page, and on Google Meet those about code that all platforms
 * share. The long lane proves the rest.
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
  /** Several steps that are proved one by one elsewhere: together only in the long lane, on every platform. */
  ofWholeLife: AddRow
  /** Depends on the platform's own page. Only some platforms promise it. */
  ofPageIf(isPromised: boolean | undefined): AddRow
}

export function rowsOf(platform: PlatformUnderTest): Row[] {
  const rows: Row[] = []
  const group = (name: string): AddRows => {
    const adding =
      (lane: Lane, isPromised: boolean): AddRow =>
      (title, prove) =>
        void rows.push({ group: name, title, isPromised, lane, prove })
    return {
      ofPage: adding('browser', true),
      ofSharedCode: adding(platform === GOOGLE_MEET ? 'browser' : 'long', true),
      ofWholeLife: adding('long', true),
      ofPageIf: (isPromised = false) => adding('browser', isPromised),
    }
  }
  gettingIn(platform, group('getting in'))
  inTheMeeting(platform, group('in the meeting'))
  wholeLife(platform, group('a whole worker run'))
  return rows
}
