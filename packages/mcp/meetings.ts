/** The calls of the tools to the service, over its public API. */
import { answerOf, type Schemas, type StandinClient } from '@standin/client/index.ts'
import type { PageTarget } from '@standin/wire/bot-fields.ts'
import type { BotCommand, Said } from '@standin/wire/commands.ts'

/** The fields of a bot that the tools show. */
export type Bot = Pick<
  Schemas['Bot'],
  | 'bot_id'
  | 'bot_name'
  | 'meeting_url'
  | 'meeting_platform'
  | 'status'
  | 'duration_seconds'
  | 'participants'
  | 'speakers'
  | 'video'
  | 'audio'
  | 'transcription'
  | 'chat_messages'
  | 'error_code'
  | 'error_message'
>
export type BotItem = Schemas['BotItem']
export type BotEvent = Schemas['BotEvent']

/** An utterance of a finished transcript; times in seconds of the recording. */
export interface Utterance {
  speaker: string
  start: number
  text: string
}

/** The fields of a new bot that the tools set. */
export interface BotRequest extends Partial<Schemas['CreateBotInput']> {
  meeting_url: string
  bot_name: string
  /** Reads the meeting's own captions, so that words can be read while the meeting runs. */
  captions: boolean
  /** Seconds with other bots only before the bot leaves. */
  only_bots_timeout: number
}

export interface Meetings {
  send(request: BotRequest): Promise<string>
  bot(botId: string): Promise<Bot>
  list(filter: { status?: string; limit: number; cursor?: string }): Promise<{ bots: BotItem[]; cursor: string | null }>
  /** Events behind the cursor, oldest first. */
  events(
    botId: string,
    options: { cursor: string | null; types?: readonly BotEvent['type'][] },
  ): Promise<{ events: BotEvent[]; cursor: string | null }>
  writeChat(botId: string, text: string): Promise<void>
  say(botId: string, request: Omit<Extract<BotCommand, { type: 'say' }>, 'type'>): Promise<Said>
  showPage(botId: string, target: PageTarget, url: string): Promise<void>
  stopPage(botId: string, target: PageTarget): Promise<void>
  switchAgent(botId: string, enabled: boolean): Promise<void>
  leave(botId: string): Promise<void>
  /** One sentence a line. */
  timeline(botId: string): Promise<string>
  /** Null if the bot has none, or not yet. */
  transcript(bot: Pick<Bot, 'transcription'>): Promise<Utterance[] | null>
}

const EVENTS_A_PAGE = 500
const MAX_TRANSCRIPT_BYTES = 32 * 1024 * 1024
const FILE_TIMEOUT_MS = 30_000

/** `fetchFile` reads the signed links that the service gives. */
export function createMeetings({ v2 }: StandinClient, fetchFile: typeof fetch = fetch): Meetings {
  const of = (botId: string) => ({ params: { path: { bot_id: botId } } })
  return {
    async send({ captions, only_bots_timeout, ...fields }) {
      const body = {
        ...fields,
        transcription_enabled: captions,
        transcription_config: captions ? { provider: 'captions' as const } : null,
        timeout_config: { only_bots_timeout },
        extra: { sent_by: 'mcp' },
      }
      return (await answerOf(v2.POST('/v2/bots', { body }))).data.bot_id
    },
    async bot(botId) {
      return (await answerOf(v2.GET('/v2/bots/{bot_id}', of(botId)))).data
    },
    async list({ status, limit, cursor }) {
      const query = {
        limit,
        ...(status && { status: status.split(',') as BotItem['status'][] }),
        ...(cursor && { cursor }),
      }
      const answer = await answerOf(v2.GET('/v2/bots', { params: { query } }))
      return { bots: answer.data, cursor: answer.cursor }
    },
    async events(botId, { cursor, types }) {
      const query = {
        limit: EVENTS_A_PAGE,
        ...(types && { types: [...types] }),
        ...(cursor !== null && { cursor }),
      }
      const answer = await answerOf(v2.GET('/v2/bots/{bot_id}/events', { params: { ...of(botId).params, query } }))
      return { events: answer.data, cursor: answer.cursor }
    },
    async writeChat(botId, message) {
      await answerOf(v2.POST('/v2/bots/{bot_id}/send-chat-message', { ...of(botId), body: { message } }))
    },
    async say(botId, body) {
      return (await answerOf(v2.POST('/v2/bots/{bot_id}/say', { ...of(botId), body }))).data
    },
    async showPage(botId, target, url) {
      const body = { [target]: { kind: 'webpage' as const, url } }
      await answerOf(v2.POST('/v2/bots/{bot_id}/output-media', { ...of(botId), body }))
    },
    async stopPage(botId, target) {
      const params = { ...of(botId).params, query: { target } }
      await answerOf(v2.DELETE('/v2/bots/{bot_id}/output-media', { params }))
    },
    async switchAgent(botId, enabled) {
      await answerOf(v2.POST('/v2/bots/{bot_id}/agent', { ...of(botId), body: { enabled } }))
    },
    async leave(botId) {
      await answerOf(v2.POST('/v2/bots/{bot_id}/leave', { ...of(botId), body: undefined }))
    },
    async timeline(botId) {
      const options = { params: { ...of(botId).params, query: { format: 'text' as const } }, parseAs: 'text' as const }
      return answerOf<string>(v2.GET('/v2/bots/{bot_id}/timeline', options) as never)
    },
    async transcript({ transcription }) {
      if (transcription === null) return null
      const response = await fetchFile(transcription, { signal: AbortSignal.timeout(FILE_TIMEOUT_MS) })
      if (response.status === 404) return null
      if (!response.ok) throw new Error(`The transcript could not be read: the storage answered ${response.status}`)
      return utterancesOf(JSON.parse(await boundedText(response)))
    },
  }
}

/** Utterances in the documented form; other parts of the file are left out. */
function utterancesOf(file: unknown): Utterance[] {
  const utterances = (file as { result?: { utterances?: unknown } } | null)?.result?.utterances
  if (!Array.isArray(utterances)) return []
  return utterances.flatMap((utterance: Record<string, unknown> | null) => {
    const { speaker, start, text } = utterance ?? {}
    return typeof speaker === 'string' && typeof start === 'number' && typeof text === 'string'
      ? [{ speaker, start, text }]
      : []
  })
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_TRANSCRIPT_BYTES) throw new Error(`The transcript is larger than ${MAX_TRANSCRIPT_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
