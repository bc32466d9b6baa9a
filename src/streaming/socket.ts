/** One streaming socket, from dialing to its close, dialed again whenever it is lost. */
import type { IncomingMessage } from 'node:http'
import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { backoff } from '@standin/wire/time/backoff.ts'
import { endsWithin } from '@standin/wire/time/deadline.ts'
import { type ClientOptions, WebSocket } from 'ws'
import { readBody } from '../../packages/core/bounded-body.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock } from '../../packages/core/ports.ts'

export const SOCKET_TIMING = {
  /** After the first loss; doubled after each further one, up to the longest. */
  reconnectMinMs: 1_000,
  reconnectMaxMs: 60_000,
  /** From dialing to an open WebSocket. */
  handshakeMs: 10_000,
  /** A connection that was open for so long was a good one: the next loss is the first again. */
  lastsMs: 10_000,
  /** A peer that answers no ping for this long is gone. */
  pingEveryMs: 15_000,
  /** From our close to the peer's. */
  closeMs: 2_000,
}

export type SocketTiming = Readonly<typeof SOCKET_TIMING>

/** Spreads the bots whose receiver was restarted. */
const JITTER = 0.3

/** Of what a server says when it refuses; more than a sentence is a page. */
const MAX_REFUSAL_BYTES = 300
const REFUSAL_MS = 1_000

/** The largest message that is taken: twenty seconds of sound at the highest rate. */
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024

export interface SocketListener {
  onOpen(): void
  onSound(samples: Buffer): void
  onText(text: string): void
  onLost(reason: string): void
}

export class StreamSocket {
  readonly #address: string
  readonly #listener: SocketListener
  readonly #parts: { clock: Clock; logger: Logger; timing: SocketTiming; dialing: { lookup?: LookupFunction } }
  readonly #over = new AbortController()
  #socket: WebSocket | null = null
  /** In a row, without a connection that lasted between them. */
  #losses = 0
  readonly #firstThatLasts = Promise.withResolvers<void>()
  /** A connection was open for `lastsMs`, now or before. */
  hasLasted = false
  /** Why the last attempt failed, for people; never holds the address's path or query, which may carry secrets. */
  lastReason = 'it was not tried'

  constructor(
    address: string,
    listener: SocketListener,
    parts: { clock: Clock; logger: Logger; timing: SocketTiming; dialing: { lookup?: LookupFunction } },
  ) {
    this.#address = address
    this.#listener = listener
    this.#parts = parts
    void this.#stayConnected()
  }

  get host(): string {
    return hostOf(this.#address)
  }

  /** Resolves when a connection has lasted for `lastsMs`: a receiver that accepts and closes has refused. */
  get whenLasting(): Promise<void> {
    return this.#firstThatLasts.promise
  }

  get isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  /** Bytes that the peer has not taken yet. */
  get backlog(): number {
    return this.#socket?.bufferedAmount ?? 0
  }

  /** False if the socket is not open. */
  send(data: string | Uint8Array): boolean {
    if (!this.isOpen) return false
    this.#socket!.send(data)
    return true
  }

  /** Closes the socket gracefully and for good. Repeatable, never rejects. */
  async close(): Promise<void> {
    this.#over.abort()
    const socket = this.#socket
    if (socket === null || socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    if (socket.readyState === WebSocket.OPEN) socket.close(1000, 'The bot has left')
    else socket.terminate()
    await endsWithin(this.#parts.clock, this.#parts.timing.closeMs, closed)
    socket.terminate()
  }

  async #stayConnected(): Promise<void> {
    const { clock, logger, timing } = this.#parts
    while (!this.#over.signal.aborted) {
      const reason = await this.#live()
      if (this.#over.signal.aborted) return
      this.lastReason = reason
      this.#losses++
      const { reconnectMinMs: first, reconnectMaxMs: max } = timing
      const waitMs = Math.round(backoff({ first, max, jitter: JITTER }, this.#losses))
      logger.warn('The streaming socket is dialed again', { host: this.host, reason, waitMs })
      await clock.sleep(waitMs, this.#over.signal).catch(() => {})
    }
  }

  /** Resolves with the reason of the end. */
  #live(): Promise<string> {
    const { clock, timing, dialing } = this.#parts
    return new Promise((resolve) => {
      let reason: string | null = null
      let hasOpened = false
      let socket: WebSocket
      try {
        socket = new WebSocket(this.#address, {
          handshakeTimeout: timing.handshakeMs,
          followRedirects: false,
          maxPayload: MAX_MESSAGE_BYTES,
          // Sound does not get smaller, and what waits to be compressed comes late.
          perMessageDeflate: false,
          // The library hands it to the connection, though its types do not name it.
          ...(dialing as ClientOptions),
        })
      } catch (error) {
        resolve(messageOf(error))
        return
      }
      this.#socket = socket
      let isAlive = true
      const pulse = setInterval(() => {
        if (!isAlive) {
          reason = 'the peer does not answer'
          socket.terminate()
        } else if (socket.readyState === WebSocket.OPEN) {
          isAlive = false
          socket.ping()
        }
      }, timing.pingEveryMs)
      const closed = new AbortController()
      socket.on('open', () => {
        hasOpened = true
        this.#listener.onOpen()
        const lasted = () => {
          this.#losses = 0
          this.hasLasted = true
          this.#firstThatLasts.resolve()
        }
        clock.sleep(timing.lastsMs, closed.signal).then(lasted, () => {})
      })
      socket.on('pong', () => {
        isAlive = true
      })
      socket.on('message', (data, isBinary) => {
        isAlive = true
        if (isBinary) this.#listener.onSound(data as Buffer)
        else this.#listener.onText(String(data))
      })
      socket.on('unexpected-response', (_request, response) => {
        reason = `the server answered ${response.statusCode} instead of opening a WebSocket`
        void wordsOf(response).then((words) => {
          reason += words && ` (${words})`
          // Destroying the request emits no `close` when the answer is already complete.
          socket.terminate()
        })
      })
      socket.on('error', (error) => {
        reason ??= error.message || (error as NodeJS.ErrnoException).code || 'the connection failed'
      })
      socket.on('close', (code, said) => {
        clearInterval(pulse)
        closed.abort()
        const words = plain(String(said))
        const why = withoutSecretsOf(this.#address, reason ?? `it was closed with ${code}${words && ` (${words})`}`)
        if (hasOpened && !this.#over.signal.aborted) this.#listener.onLost(why)
        resolve(why)
      })
    })
  }
}

/** What a server says in plain text or JSON with its refusal; empty if that is nothing, a page, or comes too late. */
async function wordsOf(response: IncomingMessage): Promise<string> {
  if (!/json|^text\/plain/.test(response.headers['content-type'] ?? '')) return ''
  const body = readBody(response, MAX_REFUSAL_BYTES).then(String, () => '')
  return plain(await Promise.race([body, sleep(REFUSAL_MS, '', { ref: false })]))
}

/** A receiver may repeat the token with which it was dialed. */
function withoutSecretsOf(address: string, text: string): string {
  if (!URL.canParse(address)) return text
  const { username, password, pathname, searchParams, hash } = new URL(address)
  const parts = [username, password, hash.slice(1), ...searchParams.values()].filter(({ length }) => length >= 6)
  // Shorter pieces of a path are words.
  const secrets = [...parts, ...pathname.split('/').filter(({ length }) => length >= 16)]
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '[redacted]'), text)
}

/** Foreign words as part of a line. */
const plain = (text: string) => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ').trim()

export function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : 'an address that cannot be read'
}
