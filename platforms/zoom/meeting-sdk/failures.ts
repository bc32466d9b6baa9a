/**
 * Meaning of the SDK's error numbers for a bot. Pure: a table from the public number to a kind of failure, and from the
 * kind to its outcome. Source: docs/platform-notes/zoom.md#sdk-error-numbers and #sdk-join-outcomes.
 */

import type { ErrorCode } from '@standin/wire/codes.ts'
import type { BotError } from '../../../packages/core/errors.ts'
import { type Refusal, refusalError, refusals } from '../../shared/join/refusal.ts'
import type { SdkFailure } from './page/types.ts'

/** `{text}` is the SDK's own wording, with its number. */
const SENTENCES = {
  SDK_AUTH_FAILED: {
    app_refused:
      'Zoom refused the SDK credentials ({text}). Is the app active, has it the Meeting SDK, and does it allow joining by programs?',
    // The next attempt carries a new signature.
    signature_expired: 'Zoom takes the signature for expired ({text}). Is the clock of this machine right?',
    sdk_too_old: 'The Meeting SDK is too old for Zoom ({text}).',
  },
  CANNOT_GET_JWT_TOKEN: {
    no_answer: 'The Meeting SDK did not take the signature up: it never began to join ({text}).',
  },
  CANNOT_JOIN_MEETING: {
    bad_request: 'The Meeting SDK refused what it was given ({text}).',
    wrong_passcode: "The meeting's passcode is missing or wrong ({text}).",
    details_wanted: 'The meeting asks for a registration or an e-mail address ({text}). Give the personal link.',
    not_in_browser: 'The meeting cannot be joined from a browser ({text}).',
    trouble: 'Zoom did not let the bot connect ({text}).',
    too_often: 'The bot asked Zoom too often ({text}).',
    captcha: 'Zoom wants a captcha solved before it lets this address join ({text}); the bot does not solve any.',
    media_missing: "The Meeting SDK's own files could not be loaded ({text}).",
    full: 'The meeting is full ({text}).',
    locked: 'The host has locked the meeting ({text}).',
    barred: 'The meeting does not let the bot in ({text}).',
  },
  INVALID_MEETING_URL: {
    unknown_meeting: 'Zoom does not know this meeting ({text}).',
  },
  LOGIN_REQUIRED: {
    login_required: 'The meeting admits signed-in people only ({text}).',
  },
  BOT_NOT_ACCEPTED: {
    removed_before: 'The host removed this bot from the meeting before ({text}).',
  },
  CONF_ACCESS_TOKEN_ERROR: {
    access_key_refused: 'Zoom refused the access key of the user ({text}).',
    recording_token_refused: 'Zoom refused the token for local recording ({text}).',
  },
  CONF_OBF_TOKEN_ERROR: {
    // A token serves one join: a used one is replaced by a fresh one, if there is an address for it.
    on_behalf_stale:
      'Zoom refused the on-behalf-of token: it is used up, expired or wrong ({text}). A token serves one try; an address gives a fresh one for each.',
    on_behalf_refused: 'Zoom refused the on-behalf-of token ({text}). Does it belong to this meeting?',
  },
  UNABLE_JOIN_EXTERNAL_MEETING: {
    foreign_meeting: "The meeting belongs to another account than the app's, and the app may not join it so ({text}).",
  },
  MEETING_ENDED_PREMATURELY: {
    ended_before: 'The meeting was over before the bot was in ({text}).',
  },
} as const satisfies Partial<Record<ErrorCode, Record<string, string>>>

export type FailureKind = { [Code in keyof typeof SENTENCES]: keyof (typeof SENTENCES)[Code] }[keyof typeof SENTENCES]

const PASSING = [
  'signature_expired',
  'trouble',
  'too_often',
  'media_missing',
  'access_key_refused',
  'on_behalf_stale',
  'full',
] as const satisfies readonly FailureKind[]

export const FAILURE_OUTCOMES = refusals<FailureKind>(SENTENCES, PASSING, {
  denied_by_person: ['removed_before'],
  account_required: ['login_required'],
  invitation_required: ['details_wanted'],
  locked: ['locked'],
  full: ['full'],
  ended: ['ended_before'],
  captcha: ['captcha'],
}) as Record<FailureKind, Refusal>

/** Failures for which the bot waits: the missing person may come. */
export type WaitKind = 'host_not_there' | 'user_not_there'

/** The token with which the bot asked to join; some numbers have another meaning with another token. */
export type JoinedWith = 'nothing' | 'obf' | 'zak'

/** The SDK's numbers of each kind. */
const NUMBERS: Partial<Record<FailureKind | WaitKind, readonly number[]>> = {
  trouble: [1, 403, 3621, 3622, 4000, 4001, 4009],
  bad_request: [3, 3708, 4003],
  host_not_there: [3000, 3008, 3711],
  unknown_meeting: [3001, 3610, 3702, 3703, 3706, 3707, 3709, 3714],
  wrong_passcode: [3004],
  details_wanted: [3005, 3099, 3606, 3620, 3624, 3627],
  removed_before: [3009],
  login_required: [3034, 3082, 3100, 3116, 3135],
  access_key_refused: [3265, 3623, 4018],
  not_in_browser: [3603, 3604, 3608, 3609, 3611, 3630, 3701],
  barred: [3625, 3715, 4007, 4008],
  locked: [4006],
  too_often: [3633],
  captcha: [3634],
  media_missing: [3635],
  on_behalf_refused: [3636, 4015],
  app_refused: [3704, 3710, 3712, 3713, 6603],
  signature_expired: [3705],
  ended_before: [4004, 13208],
  full: [4005],
  foreign_meeting: [4011, 4012, 4013],
  on_behalf_stale: [4014],
  recording_token_refused: [4016],
  user_not_there: [4017],
  sdk_too_old: [10000],
}

/** Numbers with another meaning when the bot joined on behalf of a user. */
const WITH_OBF: Readonly<Record<number, FailureKind | WaitKind>> = {
  // Older SDKs report no more than this about a missing user
  // (docs/platform-notes/zoom.md#how-sdk-failures-are-reported).
  1: 'user_not_there',
  4013: 'on_behalf_refused',
  4018: 'on_behalf_refused',
}

function kindOf(code: number): FailureKind | WaitKind {
  const found = Object.entries(NUMBERS).find(([, numbers]) => numbers.includes(code))
  return (found?.[0] as FailureKind | WaitKind | undefined) ?? 'trouble'
}

/** The media socket's close code for an unpublished app in a meeting of another account; also "no rwc available". */
const SOCKET_REFUSED = 513

/**
 * The one failure that counts. The same one comes on several channels, some with the number and some without. A failure
 * with a cause outweighs one without.
 */
export function tellingFailure(failures: readonly SdkFailure[]): SdkFailure | null {
  const numbered = failures.filter(({ code }) => code !== null)
  return numbered.find(({ code }) => code !== 1) ?? numbered[0] ?? failures[0] ?? null
}

export function failureKind({ code, channel }: SdkFailure, joinedWith: JoinedWith): FailureKind | WaitKind {
  if (channel === 'script') return 'media_missing'
  if (channel === 'silence') return 'no_answer'
  if (code === null) return 'trouble'
  if (code === SOCKET_REFUSED) return 'foreign_meeting'
  return (joinedWith === 'obf' ? WITH_OBF[code] : undefined) ?? kindOf(code)
}

/** `canAskAgain`: the bot can get a fresh token; a token that is written in the job is refused the second time too. */
export function failureError(kind: FailureKind, text: string, canAskAgain: boolean): BotError {
  const outcome = FAILURE_OUTCOMES[kind]
  const { code, canRetry = false } = outcome
  const ofToken = code === 'CONF_OBF_TOKEN_ERROR' || code === 'CONF_ACCESS_TOKEN_ERROR'
  return refusalError({ ...outcome, canRetry: canRetry && (!ofToken || canAskAgain) }, text, 'join')
}

/** The SDK's words and its number, for people. */
export function failureText({ code, text }: SdkFailure): string {
  const words = text.trim() === '' ? 'no words' : `"${text.slice(0, 200)}"`
  return code === null ? words : `${words}, ${code}`
}
