/** `standin bots send`, `list`, `get`, `leave` and `chat`: one request each, and its answer for people or programs. */

import { answerOf, type Schemas, StandinApiError, type StandinClient } from '@standin/client/index.ts'
import type { PageTarget } from '@standin/wire/bot-fields.ts'
import type { RecordingMode } from '@standin/wire/codes.ts'
import { DEFAULT_BOT_NAME } from '@standin/wire/codes.ts'
import type { TranscriptionProvider } from '@standin/wire/job.ts'
import { CommandMistake, type Output, table } from '@standin/wire/process/command-output.ts'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { readGivenFile } from '../job-options.ts'
import { isBotId } from '../option-kinds.ts'
import { fileProblem, shownDuration, shownText } from '../shown-text.ts'
import { STATUS_WORDS } from '../view.ts'

type Client = StandinClient['v2']

export interface SendFlags {
  name?: string
  mode?: RecordingMode
  entryMessage?: string
  at?: string
  transcribe?: boolean
  captions?: boolean
  transcriptionProvider?: TranscriptionProvider
  extra?: Record<string, string>
  request?: string
  idempotencyKey?: string
}

const of = (botId: string) => ({ params: { path: { bot_id: botId } } })

/** The answer, if it is about a bot, and about the one that was asked for. */
function withId<T extends { bot_id: string }>(answer: T, asked = answer.bot_id): T {
  if (isBotId(answer.bot_id) && answer.bot_id.toLowerCase() === asked.toLowerCase()) return answer
  throw new Error(`The service answered about another bot: ${shownText(JSON.stringify(answer.bot_id), 100)}`)
}

/** Resolves with the id of the bot. */
export async function sendBot(client: Client, meetingUrl: string | undefined, flags: SendFlags): Promise<string> {
  const body = requestOf(meetingUrl, flags) as Schemas['CreateBotInput']
  const headers = flags.idempotencyKey === undefined ? {} : { 'idempotency-key': flags.idempotencyKey }
  const answer =
    flags.at === undefined
      ? await answerOf(client.POST('/v2/bots', { body, headers }))
      : await answerOf(client.POST('/v2/bots/scheduled', { body: { ...body, join_at: flags.at }, headers }))
  return withId(answer.data).bot_id
}

/** The body of the request: that of `--request`, whose fields the other options replace. */
function requestOf(meetingUrl: string | undefined, flags: SendFlags): Record<string, unknown> {
  const request = flags.request === undefined ? {} : givenRequest(flags.request)
  const provider = flags.transcriptionProvider ?? (flags.captions ? 'captions' : flags.transcribe ? 'Default' : null)
  const options = {
    meeting_url: meetingUrl,
    bot_name: flags.name ?? request.bot_name ?? DEFAULT_BOT_NAME,
    recording_mode: flags.mode,
    entry_message: flags.entryMessage,
    ...(provider !== null && {
      transcription_enabled: true,
      transcription_config: { provider: provider.toLowerCase() },
    }),
    ...(flags.extra && { extra: { ...(request.extra as object | undefined), ...flags.extra } }),
  }
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined))
  const whole: Record<string, unknown> = { ...request, ...given }
  if (whole.meeting_url === undefined) throw new CommandMistake('The link of the meeting is missing')
  return whole
}

function givenRequest(file: string): Record<string, unknown> {
  try {
    const request = parseJson(readGivenFile(file))
    if (typeof request === 'object' && request !== null && !Array.isArray(request))
      return request as Record<string, unknown>
  } catch (error) {
    throw new CommandMistake(`--request: ${fileProblem(error, file)}`)
  }
  throw new CommandMistake('--request: the request is not a JSON object')
}

export interface ListFlags {
  status?: string
  name?: string
  platform?: string
  since?: string
  scheduled?: boolean
  limit: number
}

export async function listBots(client: Client, flags: ListFlags): Promise<Schemas['BotItem'][]> {
  const { status, name, platform, since } = flags
  const filters = known({ status, bot_name: name, meeting_platform: platform, created_after: since })
  return wholeList<Schemas['BotItem']>(250, flags.limit, (page) =>
    answerOf(client.GET('/v2/bots', { params: { query: { ...filters, ...page } } })),
  )
}

/** Bots that have not joined yet, if no other status is asked for; the next one first. */
export async function listScheduled(client: Client, flags: ListFlags): Promise<Schemas['ScheduledBotItem'][]> {
  const { status = 'scheduled', name, platform, since } = flags
  const filters = known({ status, bot_name: name, meeting_platform: platform, scheduled_after: since })
  return wholeList<Schemas['ScheduledBotItem']>(100, flags.limit, (page) =>
    answerOf(client.GET('/v2/bots/scheduled', { params: { query: { ...filters, ...page } } })),
  )
}

/** The API checks the words of filters. */
const known = (filters: Record<string, string | undefined>) =>
  Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined)) as Record<string, never>

/** Page after page, of which the API gives at most `longest` bots. */
async function wholeList<Bot extends { bot_id: string }>(
  longest: number,
  limit: number,
  ask: (page: { limit: number; cursor?: string }) => Promise<{ data: Bot[]; cursor: string | null }>,
): Promise<Bot[]> {
  const bots: Bot[] = []
  let cursor: string | null = null
  do {
    const page: { data: Bot[]; cursor: string | null } = await ask({
      limit: Math.min(longest, limit - bots.length),
      ...(cursor !== null && { cursor }),
    })
    bots.push(...page.data.map((bot) => withId(bot)))
    cursor = page.cursor
  } while (cursor !== null && bots.length < limit)
  return bots
}

/** In UTC, to the minute. */
export const shownTime = (iso: string) => new Date(iso).toISOString().slice(0, 16).replace('T', ' ')

export function tableOf(bots: readonly Schemas['BotItem'][]): readonly string[] {
  return table(
    ['bot id', 'created (UTC)', 'status', 'platform', 'length', 'name'],
    bots.map((bot) => [
      bot.bot_id,
      shownTime(bot.created_at),
      bot.error_code === null ? words(bot.status) : `${bot.status}: ${bot.error_code}`,
      bot.meeting_platform,
      bot.duration === null ? null : shownDuration(bot.duration),
      shownText(bot.bot_name, 40),
    ]),
    'There are no such bots.',
  )
}

export function tableOfScheduled(bots: readonly Schemas['ScheduledBotItem'][]): readonly string[] {
  return table(
    ['bot id', 'joins (UTC)', 'status', 'platform', 'name'],
    bots.map((bot) => [
      bot.bot_id,
      shownTime(bot.join_at),
      words(bot.status),
      bot.meeting_platform,
      shownText(bot.bot_name, 40),
    ]),
    'There are no such bots.',
  )
}

const words = (status: string) => STATUS_WORDS[status] ?? shownText(status)

export type Bot = Awaited<ReturnType<typeof readBot>>

export async function readBot(client: Client, botId: string) {
  return withId((await answerOf(client.GET('/v2/bots/{bot_id}', of(botId)))).data, botId)
}

/** A bot before its time; afterwards it is a bot like any other. */
export async function readScheduled(client: Client, botId: string) {
  return withId((await answerOf(client.GET('/v2/bots/scheduled/{bot_id}', of(botId)))).data, botId)
}

export function describeScheduled(bot: Awaited<ReturnType<typeof readScheduled>>): string[] {
  const lines = [
    `Bot      ${bot.bot_id} (${shownText(bot.bot_name, 60)})`,
    `Meeting  ${shownText(bot.meeting_url, 300)}`,
  ]
  return [...lines, `Status   ${words(bot.status)}`, `Joins    ${shownText(bot.join_at)}`]
}

/** Asks for a bot, and if it is not there, for a scheduled one. */
export async function orScheduled<T>(ask: Promise<T>, askScheduled: () => Promise<T>): Promise<T> {
  return ask.catch((error) => {
    if (!(error instanceof StandinApiError) || error.status !== 404) throw error
    return askScheduled().catch(() => {
      throw error
    })
  })
}

/** Fields of a bot that are links to files, and how the files are called in a recording's own folder. */
export const FILES = {
  video: 'video.mp4',
  audio: 'audio.m4a',
  transcription: 'transcription.json',
  raw_transcription: 'raw_transcription.json',
  diarization: 'diarization.jsonl',
  chat_messages: 'chat_messages.json',
} as const
export const filesOf = (bot: Bot) => (Object.keys(FILES) as (keyof typeof FILES)[]).filter((name) => bot[name] !== null)

export function describe(bot: Bot): string[] {
  const names = (people: Bot['participants']) => people.map(({ name }) => shownText(name, 60)).join(', ')
  const files = filesOf(bot)
  const facts: [string, string | null][] = [
    ['Bot', `${bot.bot_id} (${shownText(bot.bot_name, 60)})`],
    ['Meeting', `${shownText(bot.meeting_url, 300)} (${bot.meeting_platform})`],
    ['Status', words(bot.status)],
    ['Error', bot.error_code === null ? null : `${bot.error_code}: ${shownText(bot.error_message ?? '', 500)}`],
    ['Reason', bot.reason_help && shownText(`${bot.reason_help.title}. ${bot.reason_help.setting}`, 600)],
    ['Help', bot.error_help ? shownText(bot.error_help.cure, 500) : null],
    ['Created', bot.created_at],
    ['Joined', bot.joined_at],
    ['Left', bot.exited_at],
    ['Length', bot.duration_seconds === null ? null : shownDuration(bot.duration_seconds)],
    ['People', names(bot.participants) || null],
    ['Files', files.join(', ') || null],
  ]
  const lines = facts.flatMap(([label, text]) => (text === null ? [] : [`${label.padEnd(9)}${shownText(text, 1000)}`]))
  if (files.length > 0) lines.push('', `Next: standin bots download ${bot.bot_id}`)
  return lines
}

export async function makeLeave(client: Client, botIds: readonly string[], output: Output): Promise<void> {
  for (const botId of botIds) {
    await answerOf(client.POST('/v2/bots/{bot_id}/leave', { ...of(botId), body: undefined }))
    output.answer({ bot_id: botId }, [`Bot ${botId} was asked to leave.`])
  }
}

export async function writeChat(client: Client, botId: string, message: string): Promise<void> {
  await answerOf(client.POST('/v2/bots/{bot_id}/send-chat-message', { ...of(botId), body: { message } }))
}

/** Resolves when it was said or cut. */
export async function saySomething(
  client: Client,
  botId: string,
  body: { text: string; interrupt: boolean; replace: boolean },
  output: Output,
): Promise<void> {
  const { data } = await answerOf(client.POST('/v2/bots/{bot_id}/say', { ...of(botId), body }))
  const { outcome, heard_words: heard, words, heard_text: text } = data
  output.answer(
    { bot_id: botId, ...data },
    outcome === 'said'
      ? ['It was said.']
      : [`It was ${outcome} after ${heard} of ${words} words: ${shownText(text, 500)}`],
  )
}

export async function switchAgent(client: Client, botId: string, enabled: boolean): Promise<void> {
  await answerOf(client.POST('/v2/bots/{bot_id}/agent', { ...of(botId), body: { enabled } }))
}

export async function stopSaying(client: Client, botId: string): Promise<void> {
  await answerOf(client.POST('/v2/bots/{bot_id}/stop-saying', { ...of(botId), body: undefined }))
}

/** Null: the bot shows no page there. */
export async function showPage(client: Client, botId: string, target: PageTarget, url: string | null): Promise<void> {
  const path = '/v2/bots/{bot_id}/output-media'
  if (url === null) await answerOf(client.DELETE(path, { params: { ...of(botId).params, query: { target } } }))
  else await answerOf(client.POST(path, { ...of(botId), body: { [target]: { kind: 'webpage' as const, url } } }))
}
