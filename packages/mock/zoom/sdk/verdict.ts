/**
 * Zoom's answer to a `join`: a pure function of the given options and the meeting's requirements. Source:
 * docs/platform-notes/zoom.md#join-sequence, #sdk-error-numbers and #which-token-a-meeting-needs.
 */
import { isRight, type Passcode } from '../numbers.ts'
import { signatureProblem } from './credentials.ts'
import type { Ledger } from './ledger.ts'
import type { SdkSettings } from './settings.ts'

/** As the page sends it. */
export interface JoinRequest {
  meetingNumber: string
  userName: string
  passWord: string
  signature: string
  obfToken?: string
  zak?: string
}

export interface JoinedMeeting {
  settings: SdkSettings
  passcode: Passcode
  /** Ids of the people who are in it. */
  present: readonly string[]
  /** Joins before this one. */
  earlierJoins: number
}

/** A public number, or that the bot may continue; `authorizer` is the user on whose behalf. */
export type Verdict = { code: number } | { code: 0; authorizer: string | null }

export function verdictOn(request: JoinRequest, meeting: JoinedMeeting | null, ledger: Ledger, now: number): Verdict {
  const signature = signatureProblem(request.signature, request.meetingNumber, now)
  if (signature !== null) return { code: signature }
  if (meeting === null) return { code: 3707 }
  const { settings, passcode, present, earlierJoins } = meeting
  const hasZak = request.zak !== undefined
  if (hasZak && !ledger.acceptsZak(request.zak ?? '')) return { code: 3623 }
  if (!isRight(request.passWord, passcode)) return { code: 3004 }
  if (settings.error !== 0 && earlierJoins < settings.errorTimes) return { code: settings.error }
  if (settings.needsAccount && !hasZak) return { code: 3100 }
  if (settings.account === 'unpublished') return { code: 4011 }
  if (request.obfToken !== undefined) {
    const redeemed = ledger.redeemObf(request.obfToken, request.meetingNumber)
    if ('problem' in redeemed) return { code: redeemed.problem }
    if (!present.includes(redeemed.personId)) return { code: 4017 }
    return { code: 0, authorizer: redeemed.personId }
  }
  if (settings.account === 'foreign' && !hasZak) return { code: 4012 }
  return { code: 0, authorizer: null }
}
