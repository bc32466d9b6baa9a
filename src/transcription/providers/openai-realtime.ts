/**
 * A session of OpenAI's Realtime interface that only transcribes, at OpenAI or at another server that speaks it. Source:
 * OpenAI's guide "Realtime transcription", and "Realtime" in its API reference.
 */
import { parseJson } from '@standin/wire/text/json-text.ts'
import { WebSocket } from 'ws'
import { z } from 'zod'
import type { OpenSession, RecognizerSession, SessionListener } from '../turn-connection.ts'
import { causeOf, excerpt, isTransientStatus, ProviderError, refusedStatus } from './provider-error.ts'

export interface RealtimeOptions {
  /** Such as `wss://api.openai.com/v1/realtime?intent=transcription`. */
  url: string
  key: string | null
  model: string
  /** Fields of `audio.input.transcription`, as the caller gave them; they override ours. */
  customParams: Readonly<Record<string, unknown>>
  /** How long a session lasts if the server does not say; tests shorten it. */
  sessionMs?: number
}

/** The only rate of the interface. Hertz. */
export const REALTIME_SAMPLE_RATE = 24_000
const OPEN_MS = 10_000
/** A server that confirms no configuration is believed after this. */
const CONFIRM_MS = 2_000
const SESSION_MS = 60 * 60_000
const MAX_MESSAGE_BYTES = 1_000_000
/** So much waits for a server that does not read: half a minute of sound. */
const MAX_UNSENT_BYTES = 2_000_000

const answerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['session.created', 'session.updated']), session: z.looseObject({}).optional().catch({}) }),
  z.object({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string().nullish().catch(null), message: z.string().nullish().catch(null) }),
  }),
])

export function realtimeSessions({
  url,
  key,
  model,
  customParams,
  sessionMs = SESSION_MS,
}: RealtimeOptions): OpenSession {
  const { host } = new URL(url)
  const transcription = { model, ...customParams }
  const format = { type: 'audio/pcm', rate: REALTIME_SAMPLE_RATE }
  const session = { type: 'transcription', audio: { input: { format, transcription, turn_detection: null } } }

  return (listener: SessionListener, signal: AbortSignal) => {
    const opened = Promise.withResolvers<RecognizerSession>()
    const socket = new WebSocket(url, {
      headers: key === null ? {} : { authorization: `Bearer ${key}` },
      handshakeTimeout: OPEN_MS,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      // A key must not travel to where the operator did not send it.
      followRedirects: false,
    })
    let endsAt = Date.now() + sessionMs
    /** Of the recognizer of this machine only. */
    let endsEarlier = false
    let isOpen = false
    let isOver = false
    const end = (reason: string, isTransient = true) => {
      if (isOver) return
      isOver = true
      signal.removeEventListener('abort', close)
      socket.terminate()
      if (isOpen) listener.onLost(reason)
      else opened.reject(new ProviderError(`${host} ${reason}`, { isTransient }))
    }
    const close = () => {
      if (!isOpen) return end('was left')
      isOver = true
      socket.close()
      setTimeout(() => socket.terminate(), CONFIRM_MS).unref()
    }
    const send = (event: object) => {
      if (isOver) return
      if (socket.bufferedAmount > MAX_UNSENT_BYTES) end('does not take the sound')
      else socket.send(JSON.stringify(event))
    }
    const begin = () => {
      if (isOpen || isOver) return
      isOpen = true
      signal.removeEventListener('abort', close)
      const ping = () => socket.readyState === WebSocket.OPEN && socket.ping()
      opened.resolve({ endsAt, endsEarlier, send, ping, close })
    }
    signal.addEventListener('abort', close, { once: true })
    if (signal.aborted) close()
    socket.on('open', () => {
      send({ type: 'session.update', session })
      setTimeout(begin, CONFIRM_MS).unref()
    })
    socket.on('message', (data: Buffer, isBinary) => {
      if (isOver || isBinary) return
      const event = parsed(data.toString())
      const { data: answer } = answerSchema.safeParse(event)
      if (answer?.type === 'error' && !isOpen) {
        const isTransient = answer.error.type === 'server_error'
        return end(`refused the session: ${excerpt(answer.error.message ?? '', key)}`, isTransient)
      }
      const expiresAt = Number(answer?.type !== 'error' && answer?.session?.expires_at)
      if (expiresAt > Date.now() / 1000) endsAt = Math.min(endsAt, expiresAt * 1000)
      if (answer?.type === 'session.created') endsEarlier = answer.session?.ends_earlier === true
      if (answer?.type === 'session.updated') begin()
      if (isOpen) listener.onEvent(event)
    })
    socket.on('error', (error) => {
      const refusal = refusedStatus(error)
      if (refusal === null) end(`could not be reached: ${excerpt(causeOf(error), key)}`)
      else end(`answered with status ${refusal}`, isTransientStatus(refusal))
    })
    socket.on('close', (code, reason) => end(`closed the connection (${code} ${excerpt(String(reason), key)})`))
    return opened.promise
  }
}

function parsed(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return null
  }
}
