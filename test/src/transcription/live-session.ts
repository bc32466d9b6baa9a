/** Shared by the servers of live recognition: a session of incoming sound, and stretches of speech in it. */
import type { WebSocket } from 'ws'
import { listen, type SphinxWord } from './sphinx.ts'

const QUIET = 300
const PAUSE_SECONDS = 0.7

export interface LiveSession {
  authorization: string | undefined
  query: URLSearchParams
  sampleRate: number
  /** Seconds of sound so far. */
  seconds: number
  /** Text messages so far. */
  texts: Record<string, unknown>[]
  socket: WebSocket
  say(message: object): void
}

export interface SessionListener {
  begin?(session: LiveSession): void
  /** After each message of sound. */
  sound?(session: LiveSession, samples: Buffer): void | Promise<void>
  text?(session: LiveSession, message: Record<string, unknown>): void | Promise<void>
}

/** Serves one connection. Messages are taken one after the other, as a service does. */
export function serveSession(
  socket: WebSocket,
  given: Pick<LiveSession, 'authorization' | 'query'>,
  listener: SessionListener,
): LiveSession {
  const session: LiveSession = {
    ...given,
    sampleRate: Number(given.query.get('sample_rate')),
    seconds: 0,
    texts: [],
    socket,
    say: (message) => socket.send(JSON.stringify(message)),
  }
  let order: Promise<unknown> = Promise.resolve()
  socket.on('message', (data: Buffer, isBinary) => {
    order = order.then(async () => {
      if (isBinary) {
        session.seconds += data.byteLength / 2 / session.sampleRate
        await listener.sound?.(session, data)
      } else {
        const message = JSON.parse(data.toString()) as Record<string, unknown>
        session.texts.push(message)
        await listener.text?.(session, message)
      }
    })
  })
  listener.begin?.(session)
  return session
}

/** Recognizes speech for real: what was said between two pauses, with times of the session. */
export function createEar(sampleRate: number) {
  const speech: Buffer[] = []
  let startsAt = 0
  let quietFor = 0
  let seconds = 0
  async function words(): Promise<SphinxWord[]> {
    const sound = Buffer.concat(speech.splice(0))
    quietFor = 0
    const heard = await listen(sound, ['-f', 's16le', '-ar', String(sampleRate), '-ac', '1'])
    return heard.map((word) => ({ ...word, start: word.start + startsAt, end: word.end + startsAt }))
  }
  return {
    /** The words of a stretch of speech, when it ended with this piece of sound; else null. */
    async recognize(samples: Buffer): Promise<SphinxWord[] | null> {
      const length = samples.byteLength / 2 / sampleRate
      let peak = 0
      for (let at = 0; at < samples.byteLength; at += 2) peak = Math.max(peak, Math.abs(samples.readInt16LE(at)))
      if (speech.length === 0) startsAt = seconds
      seconds += length
      if (peak < QUIET) {
        if (speech.length === 0) return null
        quietFor += length
      } else quietFor = 0
      speech.push(samples)
      return quietFor >= PAUSE_SECONDS ? words() : null
    },
    /** Of a stretch that has not ended. */
    rest: () => (speech.length === 0 ? Promise.resolve([]) : words()),
  }
}
