/** Follows the events of a bot or of a team, over as many connections as it takes. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Client } from 'openapi-fetch'
import { answerOf, StandinApiError } from './answers.ts'
import type { components, paths } from './v2.ts'

type BotEvent = components['schemas']['BotEvent']

export interface FollowTeamOptions {
  /** Default: all. */
  types?: readonly BotEvent['type'][]
  /** `cursor` of the last event that is known. */
  cursor?: string
  /** Aborted to follow no longer. */
  signal?: AbortSignal
  /** Called before each pause after a connection that failed. */
  onTrouble?: (error: Error) => void
}

export interface FollowOptions extends FollowTeamOptions {
  /** Gets words that may still change: those with the same `data.id` replace each other, until they come as an event. */
  onPartial?: (words: BotEvent) => void
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

/**
 * Gives each event of the bot once and in order, with the cursor after it, from the first event or behind `cursor`, until the bot
 * has ended or `signal` is aborted. Connections that fail are opened again. Throws `StandinApiError` if the service
 * refuses the first connection, or a later one for good.
 */
export async function* followEvents(
  client: Client<paths>,
  botId: string,
  options: FollowOptions = {},
): AsyncGenerator<BotEvent & { cursor: string }> {
  const { onPartial } = options
  const messages = follow(options, (query, signal) =>
    client.GET('/v2/bots/{bot_id}/events/stream', {
      params: { path: { bot_id: botId }, query: { ...query, ...(onPartial && { partials: 'true' as const }) } },
      parseAs: 'stream',
      ...(signal && { signal }),
    }),
  )
  for await (const { event, data, cursor } of messages) {
    if (event === 'end') return
    const said = JSON.parse(data) as BotEvent
    if (event === 'partial') onPartial?.(said)
    else yield { ...said, cursor }
  }
}

/**
 * Gives the events of all bots of the team in the same way: what is new, or everything behind `cursor`, until `signal` is
 * aborted.
 */
export async function* followTeam(
  client: Client<paths>,
  options: FollowTeamOptions = {},
): AsyncGenerator<BotEvent & { bot_id: string; cursor: string }> {
  const messages = follow(options, (query, signal) =>
    client.GET('/v2/events/stream', { params: { query }, parseAs: 'stream', ...(signal && { signal }) }),
  )
  for await (const { event, data, cursor } of messages)
    if (event !== 'place') yield { ...(JSON.parse(data) as BotEvent & { bot_id: string }), cursor }
}

type Request = (
  query: { types?: BotEvent['type'][]; cursor?: string },
  signal: AbortSignal | undefined,
) => Promise<{ data?: unknown; error?: unknown; response: Response }>

/** The messages of one stream after another, each with the last cursor, until there is nothing more to ask for. */
async function* follow({ types, cursor, signal, onTrouble }: FollowTeamOptions, request: Request) {
  let last = cursor
  let isFirst = true
  let failures = 0
  while (!signal?.aborted) {
    try {
      const body = await open()
      if (body === null) return
      isFirst = false
      for await (const { id, event, data } of until(body, signal)) {
        failures = 0
        last = id || last
        yield { event, data, cursor: last ?? '' }
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof StandinApiError && (isFirst || isForGood(error))) throw error
      isFirst = false
      onTrouble?.(error as Error)
      await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++), signal)
    }
  }

  /** Null: the bot has ended, and all of it is known. */
  async function open() {
    const query = { ...(types && { types: [...types] }), ...(last !== undefined && { cursor: last }) }
    const answer = request(query, signal)
    const { response } = await answer
    if (response.status === 204) return null
    const stream = (await answerOf(answer)) as ReadableStream<Uint8Array<ArrayBuffer>>
    return stream.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  }
}

/**
 * The messages until `signal` is aborted. The signal of the request does not end its answer once the request was garbage
 * collected, so the answer is cancelled here.
 */
async function* until<T>(body: ReadableStream<T>, signal: AbortSignal | undefined): AsyncGenerator<T> {
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => {})
  signal?.addEventListener('abort', leave)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

const isForGood = ({ status }: StandinApiError) => status >= 400 && status < 500 && status !== 429

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })
}
