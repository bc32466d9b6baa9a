/** The worker's job of one attempt, made from what the caller asked. */
import { type Job, jobSchema, problemsOf } from '@standin/wire/job.ts'
import type { PageWords } from '@standin/wire/words.ts'
import { type BotSecrets, problemOfTokenExtra, type RequestOfRow, requestOf, timeoutsOf } from '../../bots/request.ts'
import { remainingLimits } from '../../bots/resume.ts'
import type { JoinGrant } from '../../platform/ports.ts'
import type { BotRow } from '../../store/rows/index.ts'

export interface JobParts {
  bot: Pick<
    BotRow,
    | 'id'
    | 'bot_name'
    | 'meeting_url'
    | 'meeting_platform'
    | 'recording_mode'
    | 'extra'
    | 'request'
    | 'is_scheduled'
    | 'join_at'
    | 'status'
    | 'resumes'
    | 'denials'
    | 'parts'
    | 'participants'
    | 'waiting_at'
    | 'joined_at'
    | 'recording_started_at'
    | 'updated_at'
  >
  /** Opened. */
  secrets: BotSecrets
  /** Token of the stored credential that the bot names; null if it names none. */
  grant: JoinGrant | null
  /** The proxy of the bot's browser. */
  egress?: Job['egress']
  /** The caller switched the agent of the bot off, and an attempt was lost since. */
  isAgentOff?: boolean
  /** The team has a bot that is registered at Microsoft Teams. */
  isRegistered?: boolean
  /** The operator's own app, for tokens without an app of the caller. */
  zoomApp?: ZoomApp | null
  /** Storage of the attempt, from the file store. */
  storage: Job['storage']
  /** The attempt's own address and token of the control link. */
  link: { url: string; token: string }
  /** How long the bot waits for its control plane before it asks to join. */
  waitForWelcomeSeconds: number
  /** Null: the built-in ones of the worker. */
  words?: PageWords | null
  /** Null: nothing is traced. */
  traceparent?: string | null
}

export interface ZoomApp {
  clientId: string
  clientSecret: string
}

/** A request that cannot be made into a job. It is no fault of the machine, so no further attempt would help. */
export class ImpossibleJob extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.name = 'ImpossibleJob'
    this.code = code
  }
}

/** Throws `ImpossibleJob`. */
export function jobOf(parts: JobParts): Job {
  const { bot, secrets, grant, storage, link } = parts
  const { callback, webhook_url, allow_multiple_bots, sealed, conf_config, account_pool, ...asked } = requestOf(bot)
  const goesOn = bot.resumes > 0
  // The row was just claimed, so its time is the database's.
  const left = goesOn ? remainingLimits(bot, bot.updated_at) : null
  const parsed = jobSchema.safeParse({
    ...asked,
    bot_id: bot.id,
    meeting_url: bot.meeting_url,
    not_before: bot.is_scheduled ? (bot.join_at?.toISOString() ?? null) : null,
    wait_for_welcome_seconds: parts.waitForWelcomeSeconds,
    bot_name: bot.bot_name,
    recording_mode: bot.recording_mode,
    // It was written when the first attempt began to record.
    entry_message: goesOn && bot.recording_started_at !== null ? null : asked.entry_message,
    timeout_config: {
      ...timeoutsOf(bot),
      ...(left && {
        waiting_room_timeout: Math.max(1, left.waitingRoom),
        recording_timeout: Math.max(1, left.maxRecording),
      }),
    },
    ...(goesOn && {
      continues: {
        has_seen_others: Array.isArray(bot.participants) && bot.participants.length > 0,
        is_paused: bot.status === 'recording_paused',
        // Absent otherwise: an older worker does not know it.
        ...(parts.isAgentOff && { is_agent_off: true }),
      },
    }),
    denials: bot.denials,
    teams_fresh_tokens: parts.isRegistered ?? false,
    // A receiver that is away costs its stream, not the recording.
    streaming: asked.streaming && { ...asked.streaming, is_required: false },
    transcription: asked.transcription && { ...asked.transcription, api_key: secrets.transcriptionApiKey ?? null },
    agent: asked.agent && {
      ...asked.agent,
      api_key: secrets.agentApiKey ?? null,
      webhook_secret: secrets.agentWebhookSecret ?? null,
    },
    ...conferencingOf(bot, conf_config, secrets, grant, parts.zoomApp ?? null),
    egress: parts.egress ?? null,
    storage,
    control_plane: link,
    words: parts.words ?? null,
    traceparent: parts.traceparent ?? null,
    // The older generation takes any JSON; a job takes an object, which token addresses get as a parameter.
    extra: isRecord(bot.extra) ? bot.extra : null,
  })
  if (parsed.success) return parsed.data
  const problems = problemsOf(parsed.error).map(({ path, message }) => `${path}: ${message}`)
  throw new ImpossibleJob('INTERNAL_ERROR', `The request of the bot makes no valid job. ${problems.join('; ')}`)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Only the platform with an SDK knows these fields; the worker refuses them for others. Values in the bot's own request
 * override those of a stored credential, and those the app of the operator.
 */
function conferencingOf(
  { meeting_platform: platform, extra }: JobParts['bot'],
  conf: RequestOfRow['conf_config'],
  secrets: BotSecrets,
  grant: JoinGrant | null,
  zoomApp: ZoomApp | null,
) {
  if (!conf || platform !== 'zoom') return {}
  const { obf_token_url: obfTokenUrl = null, zak_token_url: zakTokenUrl = null } = conf
  const hasToken = secrets.obfToken !== undefined || (obfTokenUrl ?? zakTokenUrl) !== null
  const own = { id: secrets.sdkId, password: secrets.sdkPassword }
  const stored = { id: grant?.sdkId, password: grant?.sdkPassword }
  const operators = { id: zoomApp?.clientId, password: zoomApp?.clientSecret }
  const { id, password } = own.id !== undefined ? own : grant !== null || !hasToken ? stored : operators
  if (id === undefined && (secrets.obfToken !== undefined || obfTokenUrl !== null))
    throw new ImpossibleJob('CONF_OBF_TOKEN_ERROR', 'An on-behalf-of token works only together with SDK credentials.')
  const tokenUrls = id !== undefined && (obfTokenUrl ?? zakTokenUrl) !== null
  const problem = tokenUrls ? problemOfTokenExtra(extra) : null
  if (problem !== null)
    throw new ImpossibleJob(
      obfTokenUrl === null ? 'CONF_ACCESS_TOKEN_ERROR' : 'CONF_OBF_TOKEN_ERROR',
      `The field ${problem}.`,
    )
  return {
    conf_sdk_id: id ?? null,
    conf_sdk_pwd: password ?? null,
    conf_obf_token: secrets.obfToken ?? grant?.obfToken ?? null,
    conf_fresh_tokens: secrets.obfToken === undefined && grant !== null && grant.obfToken !== null,
    conf_obf_token_url: obfTokenUrl,
    conf_access_token: grant?.accessKey ?? null,
    conf_access_token_url: id === undefined ? null : zakTokenUrl,
  }
}
