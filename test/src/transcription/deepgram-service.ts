/**
 * A server that speaks Deepgram's `/v1/listen`, both ways: POST for files, a WebSocket for live sound. Shapes are those
 * of its API reference, "Pre-Recorded Audio" and "Live Audio".
 */
import { createEar, type LiveSession, type SessionListener, serveSession } from './live-session.ts'
import { type Answer, startService } from './service.ts'
import { listen, type SphinxWord } from './sphinx.ts'

interface FileAsked {
  query: URLSearchParams
  authorization: string | undefined
  sound: Buffer
}

export interface DeepgramScript extends SessionListener {
  file?(asked: FileAsked, number: number): Answer | Promise<Answer>
  /** Status with which a WebSocket is refused, or null. */
  refuse?(number: number): number | null
}

export async function startDeepgram(script: DeepgramScript) {
  const asked: FileAsked[] = []
  const sessions: LiveSession[] = []
  const placeOf = (url = '/') => new URL(url, 'http://localhost')
  let dials = 0
  const port = await startService({
    answer({ url, headers: { authorization } }, sound) {
      const entry = { query: placeOf(url).searchParams, authorization, sound }
      asked.push(entry)
      return script.file?.(entry, asked.length) ?? { status: 404, body: {} }
    },
    refuse: ({ url }) => (placeOf(url).pathname === '/v1/listen' ? (script.refuse?.(++dials) ?? null) : 404),
    onSocket: (socket, { url, headers: { authorization } }) =>
      sessions.push(serveSession(socket, { authorization, query: placeOf(url).searchParams }, script)),
  })
  return { url: `http://127.0.0.1:${port}`, asked, sessions }
}

export function results(words: readonly SphinxWord[], isFinal: boolean, start = 0, duration = 1) {
  return {
    type: 'Results',
    channel_index: [0, 1],
    start,
    duration,
    is_final: isFinal,
    speech_final: isFinal,
    channel: { alternatives: [alternativeOf(words)] },
    metadata: { request_id: '1', model_info: { name: 'nova-3', version: '1', arch: 'nova-3' }, model_uuid: '1' },
  }
}

export function fileAnswer(words: readonly SphinxWord[]) {
  return {
    metadata: { request_id: '1', duration: 1, channels: 1 },
    results: { channels: [{ detected_language: 'en', alternatives: [alternativeOf(words)] }] },
  }
}

function alternativeOf(words: readonly SphinxWord[]) {
  return {
    transcript: words.map(({ word }) => word).join(' '),
    confidence: 0.9,
    languages: ['en'],
    words: words.map(({ word, probability, ...times }) => ({
      ...{ word, punctuated_word: word, ...times, confidence: probability },
    })),
  }
}

/** Recognizes for real, both ways. */
export function recognizing(): DeepgramScript {
  const ears = new WeakMap<LiveSession, ReturnType<typeof createEar>>()
  return {
    begin: (session) => void ears.set(session, createEar(session.sampleRate)),
    async sound(session, samples) {
      const words = await ears.get(session)!.recognize(samples)
      if (words !== null) session.say(results(words, true))
    },
    async text(session, { type }) {
      if (type !== 'CloseStream') return
      session.say(results(await ears.get(session)!.rest(), true))
      session.say({ type: 'Metadata', request_id: '1', duration: session.seconds, channels: 1 })
      session.socket.close(1000)
    },
    file: async ({ sound }) => ({ body: fileAnswer(await listen(sound)) }),
  }
}
