/**
 * A server that speaks OpenAI's Realtime interface: it notes what it gets, and answers as its script says. It refuses what
 * the true one refuses: an empty question, a second answer at a time, a truncation beyond the sound that there is.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type { WebSocket } from 'ws'
import { openService } from '../transcription/service.ts'

export const RATE = 24_000

export interface ClientEvent {
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
}

interface RealtimeSession extends TalkSession {
  /** Seconds of each question. */
  questions: number[]
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

export interface AgentService<Session extends TalkSession = TalkSession> {
  url: string
  sessions: Session[]
  /** Of all sessions, in their order. */
  events(): ClientEvent[]
  of(type: string): ClientEvent[]
  opened(): number
  asked(): number
  /** All text that it got, or that of one session. */
  told(session?: TalkSession): string
  results(): string[]
  toolsOf(): string[]
}

export interface AgentScript extends TalkScript {
  session?(dial: number): object
  /** Instead of the usual answer; true: that was all. */
  answer?(session: RealtimeSession, number: number): boolean
}

/** A tone, so that a meeting hears it. */
export function tone(ms: number): Buffer {
  const sound = Buffer.alloc(Math.round((ms * RATE) / 1000) * 2)
  for (let at = 0; at < sound.length / 2; at++)
    sound.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 440 * at) / RATE)), at * 2)
  return sound
}

export async function startRealtimeService(script: AgentScript = {}): Promise<AgentService<RealtimeSession>> {
  const sessions: RealtimeSession[] = []
  let dials = 0
  let answers = 0
  const { port, close } = await openService({
    refuse: () => script.refuse?.(++dials) ?? null,
    onSocket(socket, request) {
      const say = (event: object) => socket.readyState === socket.OPEN && socket.send(JSON.stringify(event))
      const session: RealtimeSession = {
        ...{ headers: request.headers, path: request.url ?? '', socket, events: [], heard: 0, questions: [], say },
      }
      sessions.push(session)
      say({ type: 'session.created', session: script.session?.(sessions.length) ?? {} })
      let active: { id: string; timer?: NodeJS.Timeout } | null = null
      const lengths = new Map<string, number>()
      const error = (code: string) =>
        say({ type: 'error', error: { type: 'invalid_request_error', code, message: code } })
      const end = (status: string) => {
        if (active === null) return
        clearInterval(active.timer)
        say({ type: 'response.done', response: { id: active.id, status } })
        active = null
      }
      const answer = () => {
        if (active !== null) return error('conversation_already_has_active_response')
        const number = ++answers
        const begun: { id: string; timer?: NodeJS.Timeout } = { id: `answer_${number}` }
        active = begun
        say({ type: 'response.created', response: { id: begun.id } })
        if (script.answer?.(session, number)) {
          active = null
          return
        }
        const call = script.call?.(number)
        if (call) {
          const made = { response_id: begun.id, call_id: `call_${number}`, ...call }
          say({ type: 'response.function_call_arguments.done', ...made })
          return end('completed')
        }
        const { answerMs = 600, speed = 10 } = script
        let sent = 0
        begun.timer = setInterval(() => {
          const ms = Math.min(100 * speed, answerMs - sent)
          sent += ms
          lengths.set(`item_${number}`, sent)
          const delta = tone(ms).toString('base64')
          say({ type: 'response.output_audio.delta', response_id: begun.id, item_id: `item_${number}`, delta })
          if (sent < answerMs) return
          say({ type: 'response.output_audio_transcript.done', response_id: begun.id, transcript: `Answer ${number}.` })
          end('completed')
        }, 100)
      }
      socket.on('close', () => clearInterval(active?.timer))
      socket.on('message', (data: Buffer) => {
        const event = JSON.parse(data.toString()) as ClientEvent & { audio?: string }
        if (event.type === 'input_audio_buffer.append') {
          session.heard += Buffer.from(event.audio!, 'base64').byteLength
          return
        }
        session.events.push({ ...event, at: Date.now() })
        if (event.type === 'session.update') say({ type: 'session.updated', session: {} })
        else if (event.type === 'input_audio_buffer.clear') session.heard = 0
        else if (event.type === 'input_audio_buffer.commit') {
          if (session.heard < RATE * 0.2) return error('input_audio_buffer_commit_empty')
          session.questions.push(session.heard / 2 / RATE)
          session.heard = 0
        } else if (event.type === 'response.create') answer()
        else if (event.type === 'response.cancel') {
          if (active === null) return error('response_cancel_not_active')
          clearInterval(active.timer)
          // It takes the true server a moment.
          setTimeout(() => end('cancelled'), 100)
        } else if (event.type === 'conversation.item.truncate') {
          const most = lengths.get(String(event.item_id)) ?? -1
          if (Number(event.audio_end_ms) > most) error('truncated_too_far')
        }
      })
    },
  })
  onTestFinished(close)
  const events = () => sessions.flatMap((session) => session.events)
  const items = (session?: TalkSession) =>
    (session ? session.events : events()).flatMap(
      ({ item }) => (item as { content?: { text: string }[]; output?: string }) ?? [],
    )
  return {
    url: `ws://127.0.0.1:${port}/v1/realtime`,
    sessions,
    events,
    of: (type) => events().filter((event) => event.type === type),
    opened: () => events().filter(({ type }) => type === 'session.update').length,
    asked: () => events().filter(({ type }) => type === 'response.create').length,
    told: (session) =>
      items(session)
        .map(({ content }) => content?.map(({ text }) => text).join('') ?? '')
        .join('\n'),
    results: () => items().flatMap(({ output }) => output ?? []),
    toolsOf: () => (events()[0]!.session as { tools: { name: string }[] }).tools.map(({ name }) => name),
  }
}
