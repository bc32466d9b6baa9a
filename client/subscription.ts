/** Follows a subscription of a team, over as many WebSockets as it takes. */
import { pause } from './follow.ts'
import { StandinApiError, type StandinClientOptions } from './index.ts'
import type { components } from './v2.ts'

type EventsMessage = components['schemas']['EventsMessage']
type BotEvent = components['schemas']['BotEvent']

export interface SubscriptionOptions extends Pick<StandinClientOptions, 'baseUrl' | 'headers'> {
  apiKey: string
  /** Of the subscription (`POST /v2/event-subscriptions`). */
  name: string
  /** Aborted to follow no longer. */
  signal?: AbortSignal
  /** Called before each pause after a connection that failed. */
  onTrouble?: (error: Error) => void
  /** Default: the global one, which Node has from version 22 on. It has to take `headers`, as that one does. */
  webSocket?: new (
    url: string,
    options: { headers: Record<string, string> },
  ) => WebSocket
}

const FIRST_PAUSE_MS = 500
const MAX_PAUSE_MS = 15_000
/** Close code by which the service asks for a new connection, of the registry of IANA. */
const RESTART = 1012
/** Close codes that do not pass: a wrong message, a deleted subscription, another follower. */
const FOR_GOOD = new Set([1008, 4001])

class Restart extends Error {}

/**
 * Gives the events of all bots that are not acknowledged, those of each bot in order. An event is acknowledged when the next
 * one is asked for, so one whose processing throws comes again with the next connection. Connections that fail are opened
 * again. Throws `StandinApiError` if there is no such subscription, another program follows it, or the key is refused.
 */
export async function* followSubscription(options: SubscriptionOptions): AsyncGenerator<BotEvent & { bot_id: string }> {
  const { signal, onTrouble } = options
  let failures = 0
  while (!signal?.aborted) {
    const connection = connect(options)
    try {
      for await (const { bot_id, events } of connection.messages()) {
        failures = 0
        for (const event of events) {
          yield { ...event, bot_id }
          connection.acknowledge(event.id)
        }
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof StandinApiError) throw error
      if (error instanceof Restart) continue
      await throwRefusal(options)
      onTrouble?.(error as Error)
      await pause(Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures++), signal)
    } finally {
      connection.close()
    }
  }
}

function connect({ baseUrl, apiKey, name, headers, signal, webSocket = WebSocket as never }: SubscriptionOptions) {
  const address = `${baseUrl.replace(/^http/, 'ws').replace(/\/$/, '')}/v2/event-subscriptions/${name}/socket`
  const socket = new webSocket(address, { headers: { 'x-service-api-key': apiKey, ...headers } })
  const close = () => socket.close()
  signal?.addEventListener('abort', close, { once: true })
  const waiting: EventsMessage[] = []
  let ended: Error | null = null
  let wake = () => {}
  const end = (error: Error) => {
    ended ??= error
    wake()
  }
  socket.addEventListener('message', ({ data }) => {
    waiting.push(JSON.parse(String(data)))
    wake()
  })
  socket.addEventListener('error', () => end(new Error('The connection failed')))
  socket.addEventListener('close', ({ code, reason }) => {
    const message = reason || `The connection was closed (${code})`
    if (FOR_GOOD.has(code)) end(new StandinApiError(message, { status: 0, code: null, retryAfter: null }))
    else end(code === RESTART ? new Restart(message) : new Error(message))
  })
  return {
    async *messages(): AsyncGenerator<EventsMessage> {
      for (;;) {
        // Those that wait then come again.
        if (ended) throw ended
        const message = waiting.shift()
        if (message) yield message
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
    acknowledge: (id: string) => {
      if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ type: 'ack', id }))
    },
    close: () => {
      signal?.removeEventListener('abort', close)
      socket.close()
    },
  }
}

/** The refusal of a WebSocket has no body that a program can read; the same request without one has it. */
async function throwRefusal({ baseUrl, apiKey, name, headers, signal }: SubscriptionOptions): Promise<void> {
  const address = `${baseUrl.replace(/\/$/, '')}/v2/event-subscriptions/${name}/socket`
  const answer = await fetch(address, {
    headers: { 'x-service-api-key': apiKey, ...headers },
    ...(signal && { signal }),
  }).catch(() => null)
  if (answer === null || ![400, 401, 403, 404].includes(answer.status)) return
  const { message, code } = (await answer.json()) as { message: string; code: string }
  throw new StandinApiError(message, { status: answer.status, code, retryAfter: null })
}
