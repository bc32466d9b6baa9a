/** Servers that speak: what every stand-in of one notes and counts, and its answers, which are tones. */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { onTestFinished } from 'vitest'
import type { WebSocket } from 'ws'
import { type Answer, openService } from '../transcription/service.ts'

export const RATE = 24_000

interface ClientEvent {
  type: string
  at: number
  [field: string]: unknown
}

export interface TalkSession {
  headers: IncomingHttpHeaders
  path: string
  socket: WebSocket
  /** All but sound. */
  events: ClientEvent[]
  /** Bytes of sound that are no question yet. */
  heard: number
  /** Sends an event. */
  say(event: object): void
}

/** Of every protocol. */
export interface TalkScript {
  refuse?(dial: number): number | null
  /** Milliseconds of sound of each answer, and by how much faster it comes than it plays. */
  answerMs?: number
  speed?: number
  /** A function that is called in place of an answer. */
  call?(number: number): { name: string; arguments: string } | null
}

interface Protocol<Session extends TalkSession> {
  path: string
  /** Begins a session; the result takes what the client sends, and ends the answer with the connection. */
  onSession(session: Session, nextAnswer: () => number): { take(event: ClientEvent): void; stop(): void }
  /** Types of the messages that open a session and that ask a question. */
  opens: string
  asks: string
  /** Of an event: its text, the result of a function, and the names of the functions that it offers. */
  textOf(event: ClientEvent): string
  resultOf(event: ClientEvent): unknown
  toolsOf(event: ClientEvent): { name: string }[] | undefined
  /** Over HTTP. */
  answer?(request: IncomingMessage, service: AgentService): Answer
}

export type AgentService<Session extends TalkSession = TalkSession> = Awaited<
  ReturnType<typeof startAgentService<Session>>
>

export async function startAgentService<Session extends TalkSession>(
  { refuse }: TalkScript,
  { path, onSession, opens, asks, textOf, resultOf, toolsOf, answer }: Protocol<Session>,
) {
  const sessions: Session[] = []
  let dials = 0
  let answers = 0
  const { port, close } = await openService({
    refuse: () => refuse?.(++dials) ?? null,
    ...(answer && { answer: (request: IncomingMessage) => answer(request, service as AgentService) }),
    onSocket(socket, request) {
      const session = {
        ...{ headers: request.headers, path: request.url ?? '', socket, events: [] as ClientEvent[], heard: 0 },
        say: (event: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(event)),
      } as unknown as Session
      sessions.push(session)
      const { take, stop } = onSession(session, () => ++answers)
      socket.on('close', stop)
      socket.on('message', (data: Buffer, isBinary) => {
        const event = isBinary ? null : (JSON.parse(data.toString()) as ClientEvent)
        const text = event?.audio ?? event?.user_audio_chunk
        const sound = typeof text === 'string' ? Buffer.from(text, 'base64') : event === null && data
        if (sound) session.heard += sound.byteLength
        else {
          session.events.push({ ...event!, at: Date.now() })
          take(event!)
        }
      })
    },
  })
  onTestFinished(close)
  const events = () => sessions.flatMap((session) => session.events)
  const of = (type: string) => events().filter((event) => event.type === type)
  const service = {
    url: `ws://127.0.0.1:${port}${path}`,
    sessions,
    /** Of all sessions, in their order. */
    events,
    of,
    opened: () => of(opens).length,
    asked: () => of(asks).length,
    /** All text that it got, or that of one session. */
    told: (session?: TalkSession) => (session ? session.events : events()).map(textOf).join('\n'),
    results: () => events().flatMap((event) => resultOf(event) ?? []),
    toolsOf: () => (toolsOf(events()[0]!) ?? []).map(({ name }) => name),
  }
  return service
}

/** A tone, so that a meeting hears it. */
function tone(ms: number): Buffer {
  const sound = Buffer.alloc(Math.round((ms * RATE) / 1000) * 2)
  for (let at = 0; at < sound.length / 2; at++)
    sound.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / RATE)), at * 2)
  return sound
}

/** Gives the sound of an answer as its script has it. Returns what stops it. */
export function playTone(
  { answerMs = 600, speed = 10 }: TalkScript,
  onSound: (sound: Buffer, sentMs: number) => void,
  onEnd: () => void,
): () => void {
  let sent = 0
  const timer = setInterval(() => {
    const ms = Math.min(100 * speed, answerMs - sent)
    sent += ms
    onSound(tone(ms), sent)
    if (sent < answerMs) return
    clearInterval(timer)
    onEnd()
  }, 100)
  return () => clearInterval(timer)
}
