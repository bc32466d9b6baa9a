/**
 * Who can change that a bot failed, and what helps. `docs/errors.md`, `error_help` of the API and its webhooks, and the
 * worker's evidence are made from these tables.
 */
import type { EndCause, ErrorCode } from './codes.ts'

/** The caller, people in the meeting, the meeting's platform, or the operator of the bots' machines. */
export const WHO = ['caller', 'host', 'platform', 'operator'] as const
export type Who = (typeof WHO)[number]

interface Help {
  who: Who
  /** One or two sentences. */
  cure: string
}

const by = (who: Who) => (cure: string) => ({ who, cure })
const [caller, host, platform, operator] = [by('caller'), by('host'), by('platform'), by('operator')]

/** Every error code of the interface. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, Help>> = {
  BOT_NOT_ACCEPTED: host('Ask the host to admit the bot by its name, or invite a signed-in account.'),
  TIMEOUT_WAITING_TO_START: host('Ask the host to admit the bot in time, or raise waiting_room_timeout.'),
  CANNOT_JOIN_MEETING: platform('Open the link in a browser to see whether the meeting still exists.'),
  BOT_REMOVED_TOO_EARLY: host('Agree with the host on the recording before the meeting.'),
  INVALID_MEETING_URL: caller('Give the full link of an existing meeting.'),
  STREAMING_SETUP_FAILED: caller('Check that the streaming address accepts WebSocket connections.'),
  LOGIN_REQUIRED: caller(
    'The meeting admits only people who are signed in. Give the bot the stored session of an account (browser_state).',
  ),
  INTERNAL_ERROR: operator('Report it with the log and the folder debug/ of the recording.'),
  OOM_KILLED: operator('Give the container of the bot more memory.'),
  SIGTERM: operator(
    'The machine or its scheduler stopped the bot. The service sends it back into the meeting; without the service, send another bot.',
  ),
  FORCE_KILLED: operator('The bot was killed. Allow more time between stop and kill.'),
  GENERAL_ERROR: operator('Report it with the log and the folder debug/ of the recording.'),
  EXITING_MEETING_BEFORE_RECORD: caller('The bot was asked to leave, or the meeting ended, before it recorded.'),
  TRANSCRIPTION_FAILED: platform('The recording is complete. Ask for the transcript again.'),
  WAITING_FOR_HOST_TIMEOUT: host('The host did not start the meeting in time.'),
  WAITING_FOR_AUTHORIZED_USER_TIMEOUT: host('The user who authorized the bot has to be in the meeting.'),
  UNABLE_JOIN_EXTERNAL_MEETING: caller('Meetings of other accounts need an on-behalf-of token.'),
  RECORDING_RIGHTS_NOT_GRANTED: host('Ask the host to allow recording.'),
  CANNOT_REQUEST_RECORDING_RIGHT: host('The host has to allow requests for recording.'),
  MEETING_ENDED_PREMATURELY: host('The meeting ended before the bot could record.'),
  SET_CONF_ID_AND_PWD_TOGETHER: caller('Give conf_sdk_id and conf_sdk_pwd together.'),
  CANNOT_GET_JWT_TOKEN: caller('Check the SDK credentials.'),
  SDK_AUTH_FAILED: caller('Check the SDK credentials and the app they belong to.'),
  CONF_ACCESS_TOKEN_ERROR: caller('Check the address that gives the access-key token.'),
  CONF_OBF_TOKEN_ERROR: caller('Check the on-behalf-of token or the address that gives it.'),
  RECORDING_START_TIMEOUT: host('The host did not answer the request to record in time.'),
  HOST_CLIENT_CANNOT_GRANT_PERMISSION: host(
    "The host's Zoom client cannot show the request to record. The host needs a newer client.",
  ),
  INSUFFICIENT_TOKENS: caller('The team has too few tokens left. Grant it more.'),
  DAILY_BOT_CAP_REACHED: caller(
    'The team created as many bots in the last 24 hours as daily_cap allows. Wait, or raise daily_cap.',
  ),
  BOT_ALREADY_EXISTS: caller(
    'A bot already runs for this meeting. Use allow_multiple_bots or another deduplication_key to send a second one.',
  ),
  UNKNOWN_ERROR: operator('Report it with the log and the folder debug/ of the recording.'),
}

/** What failed, in one word: to people it says more than a code. */
type CauseLabel = 'machine' | 'network' | 'process'

/** The cure of a cause counts before that of the error code. */
export const CAUSE_TABLE: Readonly<Record<EndCause, Help & { what: string; label: CauseLabel }>> = {
  MACHINE_UNFIT: {
    label: 'machine',
    what: "The bot's machine lacks something that a bot needs, or keeps it from working.",
    ...operator('Do what the message says; `standin doctor` on that machine tries every part.'),
  },
  DNS_FAILED: {
    label: 'network',
    what: "The bot's machine could not look up the name of the meeting's server.",
    ...operator("Check the name servers of the bot's machine, container or cluster. `standin doctor` tries them."),
  },
  CONNECTION_FAILED: {
    label: 'network',
    what: "The bot's machine could not connect to the meeting's server.",
    ...operator("Check that the bot's machine reaches the internet: its route, firewall and network policy."),
  },
  PROXY_FAILED: {
    label: 'network',
    what: 'The proxy of the bot did not pass the request on.',
    ...operator(
      "Check the address, the login and the rules of the proxy (STANDIN_EGRESS, or that of the bot's machine).",
    ),
  },
  TLS_INTERCEPTED: {
    label: 'network',
    what: "The certificate that came was not one of the meeting's server.",
    ...operator('A proxy or firewall inspects TLS. Exempt the hosts of the meeting platforms from it.'),
  },
  JOB_REFUSED: {
    label: 'process',
    what: "The bot's process found that its job or its settings cannot work, and ended.",
    ...operator('The last log lines in the timeline of the bot name the field or the setting. Correct it.'),
  },
  PROCESS_EXITED: {
    label: 'process',
    what: "The bot's process ended by itself, without a report.",
    ...operator('The last log lines in the timeline of the bot say where it ended. Report them.'),
  },
  PROCESS_LOST: {
    label: 'process',
    what: "The bot's process, its machine or its container is gone, and nothing says why.",
    ...operator('Check whether the machine was restarted, or its containers were removed.'),
  },
  NOT_STARTED: {
    label: 'process',
    what: 'The bot could not be started before its time was over.',
    ...operator('The timeline of the bot says why each start failed. Correct that, or give the launcher more room.'),
  },
}

/** Codes that no table has get the help for unknown errors. */
export function helpOf(code: string, cause?: string | null): Help {
  const { who, cure } = CAUSE_TABLE[cause as EndCause] ?? ERROR_TABLE[code as ErrorCode] ?? ERROR_TABLE.UNKNOWN_ERROR
  return { who, cure }
}
