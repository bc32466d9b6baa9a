/**
 * A server that speaks the transcription sessions of OpenAI's Realtime interface. Its recognizer reads words from the
 * sound itself, `wordSound` of this file, so that what it answers depends on what it was sent and on nothing else.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { onTestFinished } from 'vitest'
import type { WebSocket } from 'ws'
import { openService } from './service.ts'

export const RATE = 24_000
/** Samples of a word: a level that stands for it, between a few samples of silence. */
const WORD_SAMPLES = 0.3 * RATE
export const LEVEL = 200

/** Three tenths of a second that are recognized as the word of this number, from 1 on. */
export function wordSound(number: number): Buffer {
  const sound = Buffer.alloc(WORD_SAMPLES * 2)
  for (let at = 60; at < WORD_SAMPLES - 60; at++) sound.writeInt16LE(number * LEVEL, at * 2)
  return sound
}

export const silence = (seconds: number) => Buffer.alloc(Math.round(seconds * RATE) * 2)

/** Words whose end is in the sound; a word that was cut in two belongs to the part with more of it. */
export function wordsIn(sound: Buffer): string[] {
  const words: string[] = []
  for (let at = 0, run = 0, level = 0; at + 1 < sound.byteLength + 2; at += 2) {
    const sample = at + 1 < sound.byteLength ? sound.readInt16LE(at) : 0
    const number = sample % LEVEL === 0 ? sample / LEVEL : 0
    if (number === level) run++
    else {
      if (level > 0 && run > (WORD_SAMPLES - 120) / 2) words.push(`w${level}`)
      level = number
      run = 1
    }
  }
  return words
}

interface RealtimeSession {
  headers: IncomingHttpHeaders
  path: string
  socket: WebSocket
  configuration: { audio: { input: { transcription: Record<string, unknown> } } } | null
  /** Sound that is not committed. */
  buffer: Buffer
  /** Seconds of all sound. */
  seconds: number
  commits: number
  say(event: object): void
}

export interface RealtimeScript {
  /** Status with which a WebSocket is refused, or null. */
  refuse?(number: number): number | null
  /** Fields of `session.created`. */
  session?(number: number): object
  /** Instead of the usual answer; true: that was all. */
  update?(session: RealtimeSession): boolean
  append?(session: RealtimeSession, number: number): boolean
  commit?(session: RealtimeSession, words: string[], id: string): boolean
  /** From the end of a word to its delta, and from a commit to the whole text. Milliseconds. */
  delayMs?: number
  /** Words come one by one before the commit. */
  isStreaming?: boolean
}

const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

export async function openRealtime(script: RealtimeScript = {}) {
  const sessions: RealtimeSession[] = []
  let dials = 0
  let items = 0
  const later = (work: () => void) => (script.delayMs ? void setTimeout(work, script.delayMs) : work())
  const { port, close } = await openService({
    refuse() {
      dials++
      return script.refuse?.(dials) ?? null
    },
    onSocket(ws, request) {
      const number = dials
      const session: RealtimeSession = {
        ...{ headers: request.headers, path: request.url ?? '', socket: ws, configuration: null },
        ...{ buffer: Buffer.alloc(0), seconds: 0, commits: 0 },
        say: (event) => ws.readyState === ws.OPEN && ws.send(JSON.stringify(event)),
      }
      sessions.push(session)
      session.say({ type: 'session.created', session: { type: 'transcription', ...script.session?.(number) } })
      let said = 0
      let item = `item_${++items}`
      ws.on('message', (data: Buffer) => {
        const event = JSON.parse(data.toString()) as { type: string; session?: never; audio?: string }
        if (event.type === 'session.update') {
          session.configuration = event.session!
          if (!script.update?.(session)) session.say({ type: 'session.updated', session: event.session })
        } else if (event.type === 'input_audio_buffer.append') {
          const sound = Buffer.from(event.audio!, 'base64')
          session.buffer = Buffer.concat([session.buffer, sound])
          session.seconds += sound.byteLength / 2 / RATE
          if (script.append?.(session, number) || !script.isStreaming) return
          // A word counts once its end was heard.
          const isInWord =
            session.buffer.byteLength > 0 && session.buffer.readInt16LE(session.buffer.byteLength - 2) !== 0
          const words = wordsIn(session.buffer).slice(0, isInWord ? -1 : undefined)
          const id = item
          for (const word of words.slice(said))
            later(() => session.say({ type: `${TRANSCRIPTION}.delta`, item_id: id, delta: `${word} ` }))
          said = Math.max(said, words.length)
        } else if (event.type === 'input_audio_buffer.commit') {
          session.commits++
          if (session.buffer.byteLength < RATE * 0.1 * 2) {
            const error = { type: 'invalid_request_error', code: 'input_audio_buffer_commit_empty' }
            session.say({ type: 'error', error })
            return
          }
          const words = wordsIn(session.buffer)
          session.buffer = Buffer.alloc(0)
          const id = item
          item = `item_${++items}`
          said = 0
          if (script.commit?.(session, words, id)) return
          session.say({ type: 'input_audio_buffer.committed', item_id: id })
          later(() => session.say({ type: `${TRANSCRIPTION}.completed`, item_id: id, transcript: words.join(' ') }))
        }
      })
    },
  })
  return { url: `ws://127.0.0.1:${port}/v1/realtime?intent=transcription`, sessions, close }
}

/** For one test: it is closed when the test is over. */
export async function startRealtime(script: RealtimeScript = {}) {
  const { close, ...service } = await openRealtime(script)
  onTestFinished(close)
  return service
}
