/**
 * Why a meeting did not let a bot in, or sent it out: finer than the end code, and only what was seen. This table makes
 * `reason_help` of the API and of webhooks, the pages `/help/hosts/<reason>` and `docs/for-hosts.md`.
 */
import { z } from 'zod'
import type { ErrorCode, NormalEndCode } from './codes.ts'
import { MEETING_PLATFORMS, type PlatformName } from './platforms.ts'

export const REASONS = [
  'denied_by_person',
  'denied_by_platform',
  'policy_blocks_bots',
  'policy_blocks_guests',
  'account_required',
  'account_signed_out',
  'no_account_free',
  'invitation_required',
  'denied_twice',
  'waited_too_long',
  'waiting_ended_by_platform',
  'not_started',
  'locked',
  'full',
  'ended',
  'ejected_as_unverified',
  'rtms_required',
  'captcha',
  'operator_network',
  'page_unknown',
  'unknown',
] as const
export type Reason = (typeof REASONS)[number]

export const MAX_SIGHTING_LENGTH = 400
/** A page that was seen, or a step of the bot, with its UTC instant. */
const sightingSchema = z.strictObject({
  seen: z.string().max(MAX_SIGHTING_LENGTH).describe('The words of the page, or what the bot did.'),
  at: z.iso.datetime().describe('UTC instant, milliseconds.'),
})
export type Sighting = z.infer<typeof sightingSchema>
/** The last ones are kept. */
export const MAX_SIGHTINGS = 20
export const sightingsSchema = z.array(sightingSchema).max(MAX_SIGHTINGS)

/** An answer to a request that comes so soon is a machine's: no person reads and decides within it. Milliseconds. */
export const AT_ONCE_MS = 2000
/** Google Meet blocks a participant whose request was denied twice; no bot asks a third time, on any platform. */
export const MAX_DENIALS = 2

interface ReasonFacts {
  /** A few words, as a heading. */
  title: string
  /** For the host of the meeting. */
  host: string
  /** For the caller of the API. */
  developer: string
  /** The setting or step that changes it. */
  setting: string
  /** The end codes that it may accompany. */
  codes: readonly (ErrorCode | NormalEndCode)[]
  platforms: readonly PlatformName[]
}

const ALL = MEETING_PLATFORMS

export const REASON_TABLE: Readonly<Record<Reason, ReasonFacts>> = {
  denied_by_person: {
    title: 'A person denied or removed the bot',
    host: 'A participant denied the request of the bot, or removed the bot before.',
    developer: 'The platform said that a person decided, and the answer took longer than a machine needs.',
    setting: 'Announce the name of the bot to the people who may admit it, then send a new bot.',
    codes: ['BOT_NOT_ACCEPTED'],
    platforms: ALL,
  },
  denied_by_platform: {
    title: 'The platform denied the bot at once',
    host: 'The meeting turned the bot away before a person in it could decide.',
    developer:
      'The refusal came before the bot asked, or within two seconds of its request, which is faster than people are.',
    setting:
      'Let guests ask to join: in Google Meet with the access type "Open" or "Trusted" and "Anyone can ask to join"; in other products with the waiting room. Or invite the account of the bot.',
    codes: ['BOT_NOT_ACCEPTED', 'CANNOT_JOIN_MEETING'],
    platforms: ALL,
  },
  policy_blocks_bots: {
    title: 'A policy blocks bots',
    host: "The organization's policy keeps bots out of its meetings.",
    developer: 'The page said that bots are not allowed. Another attempt gets the same answer.',
    setting:
      'In Microsoft Teams an administrator sets ExternalBotAccessMode of the meeting policy to RequireApprovalWhenDetected, or the operator registers the bot with Microsoft and stores the registration (/v2/conf-credentials). In Zoom the host lets bots in, or the bot joins through the Meeting SDK.',
    codes: ['BOT_NOT_ACCEPTED', 'CANNOT_JOIN_MEETING', 'LOGIN_REQUIRED'],
    platforms: ['teams', 'zoom'],
  },
  policy_blocks_guests: {
    title: 'A policy blocks guests',
    host: "The organization's policy keeps people without an account out of its meetings.",
    developer: 'The page said that guests cannot join.',
    setting:
      'In Microsoft Teams an administrator turns on "Anonymous users can join a meeting". Or give the bot the session of an account (browser_state).',
    codes: ['LOGIN_REQUIRED'],
    platforms: ['teams'],
  },
  account_required: {
    title: 'The meeting wants an account',
    host: 'The meeting admits only people who are signed in.',
    developer: 'The page asked the bot to sign in.',
    setting:
      'The host admits guests, in Zoom by turning off "Require authentication to join". Or give the bot the session of an account that may join (browser_state).',
    codes: ['LOGIN_REQUIRED'],
    platforms: ALL,
  },
  account_signed_out: {
    title: 'The account of the bot is signed out',
    host: 'The account with which the bot joined is signed out. You cannot change that.',
    developer: 'The bot had the session of an account, and the page asked it to sign in.',
    setting: 'Sign in again, and give the new session to the account (`PATCH /v2/accounts/{account_id}`).',
    codes: ['LOGIN_REQUIRED', 'BOT_REMOVED', 'BOT_REMOVED_TOO_EARLY'],
    platforms: ['meet', 'teams', 'zoom'],
  },
  no_account_free: {
    title: 'No account was free',
    host: 'All accounts with which the bot could join were in other meetings. You cannot change that.',
    developer:
      'Each account of the pool was disabled, signed out, in this meeting already, or in as many as it may be.',
    setting: 'Add accounts to the pool, raise `max_meetings`, or send the bot with the account `if_required`.',
    codes: ['LOGIN_REQUIRED'],
    platforms: ['meet', 'teams', 'zoom'],
  },
  invitation_required: {
    title: 'The meeting wants a registration',
    host: 'The meeting admits only people who registered or were invited.',
    developer: 'The page asked for a registration or for the details of an invited person.',
    setting: 'Register the bot and give it the personal link that comes afterwards, or turn registration off.',
    codes: ['CANNOT_JOIN_MEETING', 'BOT_NOT_ACCEPTED'],
    platforms: ['zoom', 'jitsi'],
  },
  denied_twice: {
    title: 'The bot was denied twice',
    host: 'The request of the bot was denied twice, so it does not ask again.',
    developer:
      'Google Meet blocks a participant after two denials. Standin counts them over all attempts of a bot, and never asks a third time.',
    setting: 'Add the bot from within the meeting, or send a new bot once the host expects it.',
    codes: ['BOT_NOT_ACCEPTED'],
    platforms: ALL,
  },
  waited_too_long: {
    title: 'The bot was not admitted in time',
    host: 'The bot waited to be admitted, and the host did not answer.',
    developer: 'The time of waiting_room_timeout was over, and the platform still showed the waiting room.',
    setting: 'Admit the bot in time, let it bypass the waiting room, or raise waiting_room_timeout.',
    codes: ['TIMEOUT_WAITING_TO_START'],
    platforms: ALL,
  },
  waiting_ended_by_platform: {
    title: 'The platform ended the waiting',
    host: 'The host did not answer the request of the bot until the platform removed it from the waiting room.',
    developer: 'The platform ended the wait, in Google Meet after about 10 minutes and in Microsoft Teams after 30.',
    setting: 'Admit the bot in time. A longer waiting_room_timeout changes nothing.',
    codes: ['TIMEOUT_WAITING_TO_START'],
    platforms: ['meet', 'teams'],
  },
  not_started: {
    title: 'The meeting had not started',
    host: 'The host had not started the meeting while the bot waited.',
    developer: 'The page waited for the host until the time of the bot was over, or admits no guest before the start.',
    setting: 'Start the meeting in time, let people join before the host, or send the bot later (join_at).',
    codes: ['WAITING_FOR_HOST_TIMEOUT', 'TIMEOUT_WAITING_TO_START'],
    platforms: ALL,
  },
  locked: {
    title: 'The meeting is locked',
    host: 'The meeting is locked, so no further participant can join.',
    developer: 'The page said that the meeting is locked, or asked for a password that the link does not have.',
    setting: 'Unlock the meeting, in Jitsi Meet also by a link with the password, then send a new bot.',
    codes: ['CANNOT_JOIN_MEETING'],
    platforms: ['teams', 'zoom', 'jitsi'],
  },
  full: {
    title: 'The meeting is full',
    host: 'The meeting has as many participants as it may have.',
    developer: 'The page said that the meeting is full.',
    setting:
      'Use a plan of the platform with room for more people, or wait until a participant has left and send a new bot.',
    codes: ['CANNOT_JOIN_MEETING'],
    platforms: ALL,
  },
  ended: {
    title: 'The meeting had ended',
    host: 'The meeting ended before the bot was in.',
    developer: 'The page said that the meeting ended, or that all people left it.',
    setting: 'Send the bot to the next meeting, or earlier.',
    codes: ['EXITING_MEETING_BEFORE_RECORD', 'MEETING_ENDED_PREMATURELY'],
    platforms: ALL,
  },
  ejected_as_unverified: {
    title: 'Unverified participants are removed',
    host: 'The meeting removes participants who are not signed in, as it does with a watermark.',
    developer: 'The page named a watermark or a missing verification when the bot was sent out.',
    setting: 'Turn the watermark off, or give the bot the session of an account (browser_state).',
    codes: ['BOT_NOT_ACCEPTED', 'BOT_REMOVED', 'BOT_REMOVED_TOO_EARLY'],
    platforms: ['meet'],
  },
  rtms_required: {
    title: 'Zoom wants bots to use RTMS',
    host: 'Zoom does not let automated participants into this meeting from a browser.',
    developer: 'Zoom showed its wall for bots, which names its Realtime Media Streams (RTMS).',
    setting:
      "Join through the Meeting SDK with an on-behalf-of token (conf_config), or ask the host to change the account's setting.",
    codes: ['BOT_NOT_ACCEPTED'],
    platforms: ['zoom'],
  },
  captcha: {
    title: 'The platform wants a captcha solved',
    host: 'The platform asked the bot to prove that it is a person, which it does not do.',
    developer: 'The page showed a captcha. Standin does not solve any.',
    setting: 'Turn the captcha for guests off, or give the bot the session of an account (browser_state).',
    codes: ['CANNOT_JOIN_MEETING', 'BOT_NOT_ACCEPTED'],
    platforms: ['meet', 'teams', 'zoom'],
  },
  operator_network: {
    title: "The bot's network failed",
    host: 'The bot did not reach the meeting. You cannot change that.',
    developer: "The network of the bot's machine failed; error_help.cause says how.",
    setting: 'The operator checks name servers, route, proxy and firewall with `standin doctor`.',
    codes: ['CANNOT_JOIN_MEETING'],
    platforms: ALL,
  },
  page_unknown: {
    title: 'The page is unknown',
    host: 'The platform showed a page that the bot does not know. You cannot change that.',
    developer: 'The page has words or parts that this version does not know; the evidence has what it said.',
    setting: 'Update Standin, and report the page with the folder debug/ of the recording.',
    codes: ['CANNOT_JOIN_MEETING', 'BOT_NOT_ACCEPTED'],
    platforms: ALL,
  },
  unknown: {
    title: 'Nothing says why',
    host: 'The bot could not join, and the platform did not say why.',
    developer: 'Neither the page nor the timing shows the cause; error_code and error_message say what happened.',
    setting: 'Open the link in a browser, and compare it with what the bot saw.',
    codes: [
      ...(['BOT_NOT_ACCEPTED', 'CANNOT_JOIN_MEETING', 'LOGIN_REQUIRED'] as const),
      ...(['TIMEOUT_WAITING_TO_START', 'WAITING_FOR_HOST_TIMEOUT', 'MEETING_ENDED_PREMATURELY'] as const),
    ],
    platforms: ALL,
  },
}

/** The reason of a join that failed: a failure of these codes without a known reason says so, others need none. */
export function reasonOfFailure(code: string, seen: Reason | undefined): Reason | undefined {
  return seen ?? (REASON_TABLE.unknown.codes.some((known) => known === code) ? 'unknown' : undefined)
}

/** After so many seconds the platform itself ends the waiting; a longer limit of the caller cannot be reached. */
export const PLATFORM_WAIT_SECONDS = { meet: 600, teams: 1800 } as const satisfies Partial<Record<PlatformName, number>>
