/** Checks of a bot's request that both generations make, and the refusals of its creation. */
import { randomUUID } from 'node:crypto'
import { problemOfAgent, toolAddresses } from '@standin/wire/agent.ts'
import { pagesOf } from '@standin/wire/bot-fields.ts'
import { imagesOf, transcriptionProvider } from '@standin/wire/job.ts'
import { type MeetingLink, readMeeting } from '@standin/wire/meeting-links/index.ts'
import { type PlatformName, problemOfPagesOn } from '@standin/wire/platforms.ts'
import { problemOfLanguage, problemOfMode } from '@standin/wire/speech-access.ts'
import type { FastifyRequest } from 'fastify'
import type { NewBot } from '../bots/actions/create-bot.ts'
import { type BotRequest, problemOfTokenExtra, problemOfZoomToken, requestOf } from '../bots/request.ts'
import { hasAccount } from '../store/accounts/accounts.ts'
import type { Refusal } from '../store/bots/admission-checks.ts'
import { connectionsOfUser, readConnection } from '../store/connections/connections.ts'
import type { Database, Tx } from '../store/database.ts'
import type { BotRow } from '../store/rows/index.ts'
import type { ApiDependencies } from './dependencies.ts'
import { type ApiError, refusals } from './http/errors.ts'
import { callerOf } from './http/generation.ts'

type Asked = Pick<NewBot, 'generation' | 'request' | 'joinAt'> & { meetingUrl: string }

/** The bot with its caller and its meeting. Rejects with 400 if an address must not be used or the link is no meeting. */
export function newBot(
  { meetingUrl, ...asked }: Asked,
  request: FastifyRequest,
  dependencies: Pick<ApiDependencies, 'client' | 'settings'>,
): NewBot {
  const { keyId, teamId } = callerOf(request)
  checkRequest(asked.generation, asked.request, dependencies)
  const meeting = meetingOf(meetingUrl, dependencies)
  checkZoomApp(asked.generation, meeting.platform, asked.request, dependencies)
  checkPage(meeting.platform, asked.request)
  return {
    ...asked,
    id: randomUUID(),
    teamId,
    apiKeyId: keyId,
    isCompat: request.generation?.isCompat ?? false,
    meeting,
    traceparent: request.span?.traceparent ?? null,
  }
}

/** Rejects with 400 if the bot has a token of Zoom, but no app that the token could be used with. */
export function checkZoomApp(
  generation: NewBot['generation'],
  platform: string,
  request: Partial<BotRequest>,
  { settings }: Pick<ApiDependencies, 'settings'>,
): void {
  const problem = settings.hasZoomApp ? null : problemOfZoomToken(platform, request)
  if (problem !== null) throw refusals.zoomAppMissing(generation, problem)
}

/** Rejects with 400 if the bot is to show a page where bots show none. */
export function checkPage(platform: string, { output_media: media }: Partial<BotRequest>): void {
  const problem = media ? problemOfPagesOn(platform as PlatformName) : null
  if (problem !== null) throw refusals.validation(`body/output_media: ${problem}`)
}

/** Rejects with 400 if the link is of no supported platform. */
export function meetingOf(meetingUrl: string, { settings }: Pick<ApiDependencies, 'settings'>): MeetingLink {
  const meeting = readMeeting(meetingUrl, settings)
  if ('problem' in meeting) throw refusals.meetingPlatform(meeting.problem)
  return meeting
}

/** Rejects with 400 what no bot can do; a change names only some fields. */
export function checkRequest(
  generation: NewBot['generation'],
  asked: Partial<BotRequest>,
  { client, settings }: Pick<ApiDependencies, 'client' | 'settings'>,
): void {
  const problem = addressProblem(client, asked)
  if (problem !== null) throw refusals.validation(`body/${problem}`)
  const mode = asked.transcription && problemOfMode(asked.transcription)
  if (mode) throw refusals.validation(`body/transcription_config/mode: ${mode}`)
  checkAgent(asked, settings)
  checkSpeech(generation === 'v2' ? 'transcription_config' : 'speech_to_text', asked.transcription, settings)
}

/** Rejects with 400 what the worker would refuse; a change that names the agent alone cannot be judged. */
function checkAgent(asked: Partial<BotRequest>, { agentProviders }: ApiDependencies['settings']): void {
  const { agent, transcription } = asked
  const problem = agent && transcription !== undefined ? problemOfAgent(asked) : null
  if (problem !== null) throw refusals.validation(`body/${PLACES[problem.path] ?? problem.path}: ${problem.message}`)
  if (agent && !agent.url && !agent.api_key && agentProviders?.includes(agent.provider) === false)
    throw refusals.validation('body/agent/api_key is missing: the operator has no key of this provider')
}

const PLACES: Readonly<Record<string, string>> = {
  'agent.address': 'agent/address',
  'agent.provider': 'agent/provider',
  'streaming.audio_frequency': 'streaming_config/audio_frequency',
}

/** Rejects with 400 if the provider of the transcript is not configured: the bot would find it out after the meeting. */
export function checkSpeech(
  field: string,
  transcription: BotRequest['transcription'],
  { speech }: Pick<ApiDependencies['settings'], 'speech'>,
): void {
  if (!transcription || transcription.provider === 'captions') return
  const problems = speech?.()
  const foreign =
    transcription.provider === 'Default' && problems
      ? problemOfLanguage(transcription.custom_params, problems.languages)
      : null
  if (foreign !== null) throw refusals.validation(`body/${field}/custom_params/language: ${foreign}`)
  const problem = problems?.[transcription.provider][transcription.api_key ? 'withKey' : 'withoutKey']
  if (!problem) return
  const { path, message } = problem
  const place = path === 'transcription.api_key' ? `${field}/api_key` : field
  throw refusals.validation(`body/${place} ${path.startsWith('STANDIN') ? `${path} ` : ''}${message}`)
}

/** The provider of a repeated transcript: the one in the request, else that of the first one; captions exist only during the meeting. */
export function speechAgain(
  bot: BotRow,
  given: { provider: string; api_key?: string | null | undefined } | null | undefined,
): NonNullable<BotRequest['transcription']> {
  const { transcription, sealed } = requestOf(bot)
  if (given) return { provider: transcriptionProvider(given.provider) ?? 'Default', api_key: given.api_key }
  if (!transcription || transcription.provider === 'captions') return { provider: 'Default' }
  return { ...transcription, api_key: sealed?.includes('transcriptionApiKey') ? 'sealed' : null }
}

/** Place and sentence of the first address that must not be used, such as `callback_config/url is on a private network`. */
function addressProblem(client: ApiDependencies['client'], asked: Partial<BotRequest>): string | null {
  const { streaming, agent, callback, webhook_url, conf_config: conf, output_media: media } = asked
  const named: [place: string, url: string | null | undefined][] = [
    ...imagesOf(asked).map((url): [string, string] => ['bot_image', url]),
    ['streaming_config/input_url', streaming?.input],
    ['streaming_config/output_url', streaming?.output],
    ...pagesOf(media).map(([target, url]): [string, string] => [`output_media/${target}/url`, url]),
    ['agent/url', agent?.url],
    ...toolAddresses(agent).map((url): [string, string] => ['agent/tools', url]),
    ['callback_config/url', callback?.url],
    ['webhook_url', webhook_url],
    ['conf_config/obf_token_url', conf?.obf_token_url],
    ['conf_config/zak_token_url', conf?.zak_token_url],
  ]
  for (const [place, url] of named) {
    if (url === null || url === undefined) continue
    // The rules are the same for WebSockets, whose addresses the client does not know.
    const problem = client.problemOf(url.replace(/^ws(s?):/i, 'http$1:'))
    if (problem !== null) return `${place}: ${problem}`
  }
  // `extra` is sent to the addresses of tokens, within them.
  return (conf?.obf_token_url ?? conf?.zak_token_url) ? problemOfTokenExtra(asked.extra) : null
}

/**
 * Rejects if the bot names a credential that the team does not have, or a user of more than one, or if it wants an account
 * and the team has none. `platform`: null if it is not known yet.
 */
export async function checkCredential(
  database: Database | Tx,
  teamId: string,
  { conf_config: conf, account = 'never', account_pool: pool = null }: Partial<BotRequest>,
  platform: string | null = null,
): Promise<void> {
  if (account !== 'never' && !(await hasAccount(database, teamId, platform, pool)))
    throw refusals.noAccount(platform, pool)
  if (conf?.credential_id) {
    if ((await readConnection(database, teamId, conf.credential_id)) === undefined)
      throw refusals.credentialNotFound(conf.credential_id)
  } else if (conf?.credential_user_id) {
    // A missing connection is reported at the join time: the user may be connected until then.
    const found = await connectionsOfUser(database, teamId, conf.credential_user_id)
    if (found.length > 1) throw refusals.credentialUser(found.length)
  }
}

/** Rejects with 403 if the plan of the team has no transcripts with the caller's own key. */
export function checkOwnKey(request: FastifyRequest, { transcription }: Pick<Partial<BotRequest>, 'transcription'>) {
  if (transcription?.api_key && !callerOf(request).byokTranscription) throw refusals.byokTranscription()
}

export function errorOfRefusal(refusal: Refusal): ApiError {
  switch (refusal.code) {
    case 'BYOK_TRANSCRIPTION_NOT_ENABLED_ON_PLAN':
      return refusals.byokTranscription()
    case 'DAILY_BOT_CAP_REACHED':
      return refusals.dailyCap(refusal.created, refusal.retryAfterSeconds ?? undefined)
    case 'INSUFFICIENT_TOKENS':
      return refusals.insufficientTokens(refusal.available, refusal.required)
    case 'BOT_ALREADY_EXISTS':
      return refusal.why === 'recent' ? refusals.botAlreadyExists() : refusals.deduplicationKey()
  }
}
