/**
 * Sessions of OpenAI's Realtime interface, at OpenAI or at another server that speaks it, among them those that only
 * transcribe. Source: OpenAI's guide "Realtime transcription", and "Realtime" in its API reference.
 */
import { jsonOrNull } from '@standin/wire/text/json-text.ts'
import { z } from 'zod'
import type { OpenSession, RecognizerSession, SessionListener } from '../turn-connection.ts'
import { excerpt } from './provider-error.ts'
import { openServiceSession, type SocketSession } from './service-session.ts'
import type { ServiceSocket, ServiceSocketOptions } from './service-socket.ts'

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
/** A server that confirms no configuration is believed after this. */
const CONFIRM_MS = 2_000
const SESSION_MS = 60 * 60_000

const answerSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['session.created', 'session.updated']), session: z.looseObject({}).optional().catch({}) }),
  z.object({
    type: z.literal('error'),
    error: z.looseObject({ type: z.string().nullish().catch(null), message: z.string().nullish().catch(null) }),
  }),
])

export function realtimeSessions({ model, customParams, ...options }: RealtimeOptions): OpenSession {
  const transcription = { model, ...customParams }
  const format = { type: 'audio/pcm', rate: REALTIME_SAMPLE_RATE }
  const session = { type: 'transcription', audio: { input: { format, transcription, turn_detection: null } } }
  return openRealtimeSession({ ...options, session })
}

type Session = RecognizerSession & SocketSession

/** Any session of the interface; `session` is its configuration. */
export function openRealtimeSession({
  url,
  key,
  session,
  sessionMs = SESSION_MS,
  dialing = {},
}: Pick<RealtimeOptions, 'url' | 'key' | 'sessionMs'> &
  Pick<ServiceSocketOptions, 'dialing'> & { session: object }): OpenSession {
  return (listener: SessionListener, signal: AbortSignal) => {
    let endsAt = Date.now() + sessionMs
    /** Of the recognizer of this machine only. */
    let endsEarlier = false
    const sessionOn = ({ send, ping, close }: ServiceSocket): Session => ({
      ...{ endsAt, endsEarlier, ping, close },
      send: (event) => send(JSON.stringify(event)),
      receive: (data, isBinary) => isBinary || listener.onEvent(jsonOrNull(String(data))),
      lose: (reason) => listener.onLost(reason),
    })
    return openServiceSession<Session>({
      ...{ url, key, dialing, headers: key === null ? {} : { authorization: `Bearer ${key}` }, signal },
      onConnected(socket, open) {
        socket.send(JSON.stringify({ type: 'session.update', session }))
        setTimeout(() => open(sessionOn(socket)), CONFIRM_MS).unref()
      },
      begin(message, socket, open) {
        const { data: answer } = answerSchema.safeParse(jsonOrNull(String(message)))
        if (answer?.type === 'error') {
          const isTransient = answer.error.type === 'server_error'
          return socket.end(`refused the session: ${excerpt(answer.error.message ?? '', key)}`, isTransient)
        }
        const expiresAt = Number(answer?.session?.expires_at)
        if (expiresAt > Date.now() / 1000) endsAt = Math.min(endsAt, expiresAt * 1000)
        if (answer?.type === 'session.created') endsEarlier = answer.session?.ends_earlier === true
        if (answer?.type === 'session.updated') open(sessionOn(socket))
      },
    })
  }
}
