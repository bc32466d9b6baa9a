/** One WebSocket to a speech service, with bounds for both sides, until it is lost. */
import type { LookupFunction } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { causeOf, excerpt, isTransientStatus, refusedStatus } from './provider-error.ts'

export interface ServiceSocketOptions {
  url: string
  headers: Readonly<Record<string, string>>
  /** Hidden in what the service says; null if there is none. */
  key: string | null
  /** How the address is resolved, where it is a caller's. */
  dialing?: { lookup?: LookupFunction }
  onOpen?(): void
  onMessage(data: Buffer, isBinary: boolean): void
  /** The connection failed or is over, and not because we closed it; called once at most. `reason` continues a sentence. */
  onEnd(reason: string, isTransient: boolean): void
}

export interface ServiceSocket {
  send(data: string | Uint8Array): void
  ping(): void
  /** Ends it with a reason of ours, as if the service had. */
  end(reason: string, isTransient?: boolean): void
  /** Without a call of `onEnd`. */
  close(): void
}

const OPEN_MS = 10_000
const CLOSE_MS = 2_000
const MAX_MESSAGE_BYTES = 1_000_000
/** A service that sends more in ten seconds floods the bot: it is two minutes of sound. */
const MAX_RECEIVED_BYTES = 8_000_000
const RECEIVED_MS = 10_000
/** So much waits for a service that does not read: half a minute of sound. */
const MAX_UNSENT_BYTES = 2_000_000

export function openServiceSocket(options: ServiceSocketOptions): ServiceSocket {
  const { url, headers, key, dialing = {}, onOpen, onMessage, onEnd } = options
  const socket = new WebSocket(url, {
    headers,
    handshakeTimeout: OPEN_MS,
    maxPayload: MAX_MESSAGE_BYTES,
    perMessageDeflate: false,
    // A key must not travel to where the operator did not send it.
    followRedirects: false,
    // The library hands it to the connection, though its types do not name it.
    ...(dialing as ClientOptions),
  })
  let isOver = false
  const end = (reason: string, isTransient = true) => {
    if (isOver) return
    isOver = true
    socket.terminate()
    onEnd(reason, isTransient)
  }
  let received = { bytes: 0, since: Date.now() }
  socket.on('open', () => onOpen?.())
  socket.on('message', (data: Buffer, isBinary) => {
    if (Date.now() - received.since > RECEIVED_MS) received = { bytes: 0, since: Date.now() }
    received.bytes += data.byteLength
    if (received.bytes > MAX_RECEIVED_BYTES) end('sends more than can be heard')
    if (!isOver) onMessage(data, isBinary)
  })
  socket.on('error', (error) => {
    const refusal = refusedStatus(error)
    if (refusal === null) end(`could not be reached: ${excerpt(causeOf(error), key)}`)
    else end(`answered with status ${refusal}`, isTransientStatus(refusal))
  })
  socket.on('close', (code, reason) => end(`closed the connection (${code} ${excerpt(String(reason), key)})`))
  return {
    send(data) {
      if (isOver) return
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) end('does not take the sound')
      else socket.send(data)
    },
    ping() {
      if (socket.readyState === WebSocket.OPEN) socket.ping()
    },
    end,
    close() {
      isOver = true
      socket.close()
      setTimeout(() => socket.terminate(), CLOSE_MS).unref()
    },
  }
}
