/** Follows the events of a bot, over as many connections as it takes. */
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Client } from 'openapi-fetch'
import { answerOf, StandinApiError } from './index.ts'
import type { components, paths } from './v2.ts'

type BotEvent = components['schemas']['BotEvent']

export interface FollowOptions {
  /** Default: all. */
  types?: readonly BotEvent['type'][]
  /** `cursor` of the last event that is known; absent: from the first event. */
  cursor?: string
  /** Gets words that may still change: those with the same `data.id` replace each other, until they come as an event. */
  onPartial?: (words: BotEvent) => void
  /** Aborted to follow no longer. */
  signal?: AbortSignal
  /** Called before each pause after a connection that failed. */
  onTrouble?: (error: Error) => void
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000

/**
 * Gives each event of the bot once and in order, with the cursor after it, until the bot has ended or `signal` is aborted.
 * Connections that fail are opened again. Throws `StandinApiError` if the service refuses the first connection, or
 * a later one for good.
 */
export async function* followEvents(
  client: Client<paths>,
  botId: string,
  { types, cursor, onPartial, signal, onTrouble }: FollowOptions = {},
): AsyncGenerator<BotEvent & { cursor: string }> {
  let last = cursor
  let isFirst = true
  let failures = 0
  while (!signal?.aborted) {
    try {
      const body = await open(last)
      if (body === null) return
      isFirst = false
      for await (const { id = '', event, data } of until(body, signal)) {
        failures = 0
        if (event === 'end') return
        if (event === 'partial') {
          onPartial?.(JSON.parse(data) as BotEvent)
          continue
        }
        last = id
        yield { ...(JSON.parse(data) as BotEvent), cursor: id }
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
  async function open(after: string | undefined) {
    const request = client.GET('/v2/bots/{bot_id}/events/stream', {
      params: {
        path: { bot_id: botId },
        query: {
          ...(types && { types: types.join(',') }),
          ...(after !== undefined && { cursor: after }),
          ...(onPartial && { partials: 'true' as const }),
        },
      },
      parseAs: 'stream',
      ...(signal && { signal }),
    })
    const { response } = await request
    if (response.status === 204) return null
    const stream = (await answerOf(request)) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>
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

export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
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
