/** One WebSocket to the control plane, from dialing to its end: who may speak, whether it lives, and what it says. */
import type { LookupFunction } from 'node:net'
import {
  type DownMessage,
  downMessageSchema,
  MAX_COMMAND_ID_LENGTH,
  MAX_DOWN_FRAME_BYTES,
} from '@standin/wire/control-link.ts'
import { type Problem, problemsOf } from '@standin/wire/job.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { type ClientOptions, WebSocket } from 'ws'
import type { LinkTiming } from './timing.ts'

/** A control plane that does not read is given no more than this. */
const MAX_BACKLOG_BYTES = 1024 * 1024
const MAX_UNREAD_BYTES = 32 * 1024 * 1024
/** A peer that says this much that is wrong is not a control plane. */
export const MAX_BAD_MESSAGES = 100

export interface ConnectionEnd {
  reason: string
  /** The control plane refused our token; trying again soon will not help. */
  isUnauthorized: boolean
}

export interface ConnectionListener {
  onOpen(): void
  onMessage(message: DownMessage): void
  /** A message that does not fit; `commandId` where it is a command that can be answered. */
  onBadMessage(problems: Problem[], commandId: string | null): void
  /** Comes once. */
  onEnd(end: ConnectionEnd): void
}

interface Address {
  url: string
  token: string
  lookup?: LookupFunction
}

export class Connection {
  readonly #socket: WebSocket | null
  readonly #listener: ConnectionListener
  readonly #timing: LinkTiming
  readonly #dialing: NodeJS.Timeout
  #lastHeardAt = performance.now()
  #pulse: NodeJS.Timeout | undefined
  #closing: NodeJS.Timeout | undefined
  #reason: string | null = null
  #isUnauthorized = false
  #badMessages = 0
  #hasEnded = false

  /** Dials immediately. Every failure is reported as the end, never as an exception. */
  constructor(address: Address, timing: LinkTiming, listener: ConnectionListener) {
    this.#listener = listener
    this.#timing = timing
    // Our own timer: the library's timer restarts with each byte, so a server that trickles its headers would block us
    // for ever.
    this.#dialing = setTimeout(() => this.breakOff('the WebSocket did not open in time'), timing.handshakeMs)
    this.#socket = this.#dial(address)
  }

  #dial(address: Address): WebSocket | null {
    let socket: WebSocket
    try {
      socket = new WebSocket(address.url, {
        headers: { authorization: `Bearer ${address.token}` },
        // The token must not travel to where the control plane did not say it would be.
        followRedirects: false,
        maxPayload: MAX_DOWN_FRAME_BYTES,
        // Compressing costs each bot memory for a stream that is small anyway.
        perMessageDeflate: false,
        // The library hands it to the connection, though its types do not name it.
        ...((address.lookup ? { lookup: address.lookup } : {}) as ClientOptions),
      })
    } catch (error) {
      // An address or a token that no request can carry.
      this.#reason = messageOf(error)
      setImmediate(() => this.#ended())
      return null
    }
    socket.on('open', () => this.#opened())
    socket.on('message', (data, isBinary) => this.#onText(isBinary ? null : String(data)))
    socket.on('pong', () => this.#heard())
    socket.on('ping', () => this.#heard())
    socket.on('unexpected-response', (request, response) => {
      const status = response.statusCode ?? 0
      this.#isUnauthorized = status === 401 || status === 403
      this.#reason = `the control plane answered ${status} instead of opening a WebSocket`
      request.destroy()
      this.#ended()
    })
    socket.on('error', (error) => {
      this.#reason ??= error.message || (error as NodeJS.ErrnoException).code || 'the connection failed'
    })
    socket.on('close', (code, reason) => {
      this.#reason ??= `closed with ${code}${reason.length > 0 ? ` ${String(reason).slice(0, 123)}` : ''}`
      this.#ended()
    })
    return socket
  }

  get canTakeMore(): boolean {
    return this.#open !== null && this.#open.bufferedAmount < MAX_BACKLOG_BYTES
  }

  get #open(): WebSocket | null {
    return this.#socket?.readyState === WebSocket.OPEN ? this.#socket : null
  }

  /** False if the connection is not open. `onSent` is called when there is room for more. */
  send(text: string, onSent?: () => void): boolean {
    const socket = this.#open
    if (socket === null) return false
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.breakOff('the control plane does not read what it is sent')
      return false
    }
    // The next connection sends these messages again.
    socket.send(text, (error) => error || onSent?.())
    return true
  }

  /** Closes gracefully; a peer that does not answer is dropped. */
  close(code: number, reason: string): void {
    this.#reason ??= reason
    const socket = this.#open
    if (socket === null) this.breakOff(reason)
    else socket.close(code, reason)
    this.#closing ??= setTimeout(() => this.breakOff(reason), this.#timing.closeMs)
  }

  /** Ends at once. */
  breakOff(reason: string): void {
    this.#reason ??= reason
    this.#socket?.terminate()
  }

  #opened(): void {
    clearTimeout(this.#dialing)
    this.#heard()
    this.#pulse = setInterval(() => {
      if (performance.now() - this.#lastHeardAt > this.#timing.silenceMs)
        this.breakOff('nothing was heard for too long')
      else this.#open?.ping()
    }, this.#timing.pingMs)
    this.#listener.onOpen()
  }

  #heard(): void {
    this.#lastHeardAt = performance.now()
  }

  #onText(text: string | null): void {
    this.#heard()
    const content = text === null ? undefined : parseJson(text)
    if (content === undefined) {
      this.#takeBad([{ path: '', message: 'is not JSON text' }], null)
      return
    }
    const message = downMessageSchema.safeParse(content)
    if (message.success) this.#listener.onMessage(message.data)
    else this.#takeBad(problemsOf(message.error), commandIdOf(content))
  }

  #takeBad(problems: Problem[], commandId: string | null): void {
    this.#badMessages += 1
    // Commands are answered, so that their sender learns what is wrong; the rest is noise after a while.
    this.#listener.onBadMessage(problems, commandId)
    if (this.#badMessages >= MAX_BAD_MESSAGES) this.close(1008, 'too many messages do not fit the protocol')
  }

  #ended(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    clearTimeout(this.#dialing)
    clearTimeout(this.#closing)
    clearInterval(this.#pulse)
    this.#listener.onEnd({ reason: this.#reason ?? 'closed', isUnauthorized: this.#isUnauthorized })
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The id of something that means to be a command, within the bounds of an id. */
function commandIdOf(content: unknown): string | null {
  if (typeof content !== 'object' || content === null) return null
  const { type, id } = content as { type?: unknown; id?: unknown }
  return type === 'command' && typeof id === 'string' && id.length > 0 && id.length <= MAX_COMMAND_ID_LENGTH ? id : null
}
