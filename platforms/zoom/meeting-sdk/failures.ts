/**
 * Meaning of the SDK's error numbers for a bot. Pure: a table from the public number to a kind of failure, and from the
 * kind to its outcome. Source: docs/platform-notes/zoom.md#sdk-error-numbers and #sdk-join-outcomes.
 */

import type { ErrorCode } from '@standin/wire/codes.ts'
import { BotError } from '../../../core/errors.ts'
import type { SdkFailure } from './page/types.ts'

export type FailureKind =
  | 'app_refused'
  | 'signature_expired'
  | 'sdk_too_old'
  | 'no_answer'
  | 'bad_request'
  | 'unknown_meeting'
  | 'wrong_passcode'
  | 'details_wanted'
  | 'login_required'
  | 'removed_before'
  | 'not_in_browser'
  | 'trouble'
  | 'too_often'
  | 'captcha'
  | 'media_missing'
  | 'access_key_refused'
  | 'on_behalf_stale'
  | 'on_behalf_refused'
  | 'foreign_meeting'
  | 'recording_token_refused'
  | 'ended_before'
  | 'full'
  | 'barred'

/** Failures for which the bot waits: the missing person may come. */
export type WaitKind = 'host_not_there' | 'user_not_there'

/** The token with which the bot asked to join; some numbers have another meaning with another token. */
export type JoinedWith = 'nothing' | 'obf' | 'zak'

const KINDS: Readonly<Record<number, FailureKind | WaitKind>> = {
  1: 'trouble',
  3: 'bad_request',
  403: 'trouble',
  3000: 'host_not_there',
  3001: 'unknown_meeting',
  3004: 'wrong_passcode',
  3005: 'details_wanted',
  3008: 'host_not_there',
  3009: 'removed_before',
  3034: 'login_required',
  3082: 'login_required',
  3099: 'details_wanted',
  3100: 'login_required',
  3116: 'login_required',
  3135: 'login_required',
  3265: 'access_key_refused',
  3603: 'not_in_browser',
  3604: 'not_in_browser',
  3606: 'details_wanted',
  3608: 'not_in_browser',
  3609: 'not_in_browser',
  3610: 'unknown_meeting',
  3611: 'not_in_browser',
  3620: 'details_wanted',
  3621: 'trouble',
  3622: 'trouble',
  3623: 'access_key_refused',
  3624: 'details_wanted',
  3625: 'barred',
  3627: 'details_wanted',
  3630: 'not_in_browser',
  3633: 'too_often',
  3634: 'captcha',
  3635: 'media_missing',
  3636: 'on_behalf_refused',
  3701: 'not_in_browser',
  3702: 'unknown_meeting',
  3703: 'unknown_meeting',
  3704: 'app_refused',
  3705: 'signature_expired',
  3706: 'unknown_meeting',
  3707: 'unknown_meeting',
  3708: 'bad_request',
  3709: 'unknown_meeting',
  3710: 'app_refused',
  3711: 'host_not_there',
  3712: 'app_refused',
  3713: 'app_refused',
  3714: 'unknown_meeting',
  3715: 'barred',
  4000: 'trouble',
  4001: 'trouble',
  4003: 'bad_request',
  4004: 'ended_before',
  4005: 'full',
  4006: 'barred',
  4007: 'barred',
  4008: 'barred',
  4009: 'trouble',
  4011: 'foreign_meeting',
  4012: 'foreign_meeting',
  4013: 'foreign_meeting',
  4014: 'on_behalf_stale',
  4015: 'on_behalf_refused',
  4016: 'recording_token_refused',
  4017: 'user_not_there',
  4018: 'access_key_refused',
  6603: 'app_refused',
  10000: 'sdk_too_old',
  13208: 'ended_before',
}

/** Numbers with another meaning when the bot joined on behalf of a user. */
const WITH_OBF: Readonly<Record<number, FailureKind | WaitKind>> = {
  // Older SDKs report no more than this about a missing user
  // (docs/platform-notes/zoom.md#how-sdk-failures-are-reported).
  1: 'user_not_there',
  4013: 'on_behalf_refused',
  4018: 'on_behalf_refused',
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
  return (joinedWith === 'obf' ? WITH_OBF[code] : undefined) ?? KINDS[code] ?? 'trouble'
}

interface Outcome {
  code: ErrorCode
  /** `{text}` is the SDK's own wording, with its number. */
  sentence: string
  canRetry?: boolean
}

export const FAILURE_OUTCOMES: Readonly<Record<FailureKind, Outcome>> = {
  app_refused: {
    code: 'SDK_AUTH_FAILED',
    sentence:
      'Zoom refused the SDK credentials ({text}). Is the app active, has it the Meeting SDK, and does it allow joining by programs?',
  },
  // The next attempt carries a new signature.
  signature_expired: {
    code: 'SDK_AUTH_FAILED',
    sentence: 'Zoom takes the signature for expired ({text}). Is the clock of this machine right?',
    canRetry: true,
  },
  sdk_too_old: { code: 'SDK_AUTH_FAILED', sentence: 'The Meeting SDK is too old for Zoom ({text}).' },
  no_answer: {
    code: 'CANNOT_GET_JWT_TOKEN',
    sentence: 'The Meeting SDK did not take the signature up: it never began to join ({text}).',
  },
  bad_request: { code: 'CANNOT_JOIN_MEETING', sentence: 'The Meeting SDK refused what it was given ({text}).' },
  unknown_meeting: { code: 'INVALID_MEETING_URL', sentence: 'Zoom does not know this meeting ({text}).' },
  wrong_passcode: { code: 'CANNOT_JOIN_MEETING', sentence: "The meeting's passcode is missing or wrong ({text})." },
  details_wanted: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'The meeting asks for a registration or an e-mail address ({text}). Give the personal link.',
  },
  login_required: { code: 'LOGIN_REQUIRED', sentence: 'The meeting admits signed-in people only ({text}).' },
  removed_before: {
    code: 'BOT_NOT_ACCEPTED',
    sentence: 'The host removed this bot from the meeting before ({text}).',
  },
  not_in_browser: { code: 'CANNOT_JOIN_MEETING', sentence: 'The meeting cannot be joined from a browser ({text}).' },
  trouble: { code: 'CANNOT_JOIN_MEETING', sentence: 'Zoom did not let the bot connect ({text}).', canRetry: true },
  too_often: { code: 'CANNOT_JOIN_MEETING', sentence: 'The bot asked Zoom too often ({text}).', canRetry: true },
  captcha: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: 'Zoom wants a captcha solved before it lets this address join ({text}); the bot does not solve any.',
  },
  media_missing: {
    code: 'CANNOT_JOIN_MEETING',
    sentence: "The Meeting SDK's own files could not be loaded ({text}).",
    canRetry: true,
  },
  access_key_refused: {
    code: 'CONF_ACCESS_TOKEN_ERROR',
    sentence: 'Zoom refused the access key of the user ({text}).',
    canRetry: true,
  },
  // A token serves one join: a used one is replaced by a fresh one, if there is an address for it.
  on_behalf_stale: {
    code: 'CONF_OBF_TOKEN_ERROR',
    sentence:
      'Zoom refused the on-behalf-of token: it is used up, expired or wrong ({text}). A token serves one try; an address gives a fresh one for each.',
    canRetry: true,
  },
  on_behalf_refused: {
    code: 'CONF_OBF_TOKEN_ERROR',
    sentence: 'Zoom refused the on-behalf-of token ({text}). Does it belong to this meeting?',
  },
  foreign_meeting: {
    code: 'UNABLE_JOIN_EXTERNAL_MEETING',
    sentence: "The meeting belongs to another account than the app's, and the app may not join it so ({text}).",
  },
  recording_token_refused: {
    code: 'CONF_ACCESS_TOKEN_ERROR',
    sentence: 'Zoom refused the token for local recording ({text}).',
  },
  ended_before: {
    code: 'MEETING_ENDED_PREMATURELY',
    sentence: 'The meeting was over before the bot was in ({text}).',
  },
  full: { code: 'CANNOT_JOIN_MEETING', sentence: 'The meeting is full ({text}).', canRetry: true },
  barred: { code: 'CANNOT_JOIN_MEETING', sentence: 'The meeting does not let the bot in ({text}).' },
}

/** `canAskAgain`: the bot can get a fresh token; a token that is written in the job is refused the second time too. */
export function failureError(kind: FailureKind, text: string, canAskAgain: boolean): BotError {
  const { code, sentence, canRetry = false } = FAILURE_OUTCOMES[kind]
  const ofToken = code === 'CONF_OBF_TOKEN_ERROR' || code === 'CONF_ACCESS_TOKEN_ERROR'
  return new BotError(
    code,
    sentence.replace('{text}', () => text),
    {
      step: 'join',
      canRetry: canRetry && (!ofToken || canAskAgain),
    },
  )
}

/** The SDK's words and its number, for people. */
export function failureText({ code, text }: SdkFailure): string {
  const words = text.trim() === '' ? 'no words' : `"${text.slice(0, 200)}"`
  return code === null ? words : `${words}, ${code}`
}
