/**
 * A server that speaks AssemblyAI's upload, transcript and streaming interfaces. Shapes are those of its API reference
 * and of "Message Sequence" in its streaming documentation.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { makeCertificate } from '../../../packages/mock/shared/certificate.ts'
import { createEar, type LiveSession, type SessionListener, serveSession } from './live-session.ts'
import { type Answer, startService } from './service.ts'
import { listen, type SphinxWord } from './sphinx.ts'

export interface AssemblyAiScript extends SessionListener {
  upload?(sound: Buffer, number: number): Answer
  submit?(request: Record<string, unknown>, number: number): Answer
  poll?(number: number): Answer | Promise<Answer>
  refuse?(number: number): number | null
}

/** The package speaks to live recognition with encryption only, so the servers have a certificate that is trusted here. */
const certificate = await makeCertificate(['localhost'])
setDefaultCACertificates([...getCACertificates(), certificate.cert])

export async function startAssemblyAi(script: AssemblyAiScript) {
  const asked: { path: string; authorization: string | undefined; body: Buffer }[] = []
  const sessions: LiveSession[] = []
  const counts = { upload: 0, submit: 0, poll: 0, dials: 0 }
  const placeOf = (url = '/') => new URL(url, 'https://localhost')
  const port = await startService({
    tls: certificate,
    answer({ method, url: asking, headers: { authorization } }, body): Answer | Promise<Answer> {
      const path = `${method} ${asking}`
      asked.push({ path, authorization, body })
      if (path === 'POST /v2/upload')
        return script.upload?.(body, ++counts.upload) ?? { body: { upload_url: `${url}/upload/1` } }
      if (path === 'POST /v2/transcript') {
        const usual = { body: { id: 't-1', status: 'queued' } }
        return script.submit?.(JSON.parse(body.toString()), ++counts.submit) ?? usual
      }
      const isPoll = path === 'GET /v2/transcript/t-1' && script.poll
      return isPoll ? script.poll!(++counts.poll) : { status: 404, body: { error: 'not found' } }
    },
    refuse: ({ url }) => (placeOf(url).pathname === '/v3/ws' ? (script.refuse?.(++counts.dials) ?? null) : 404),
    onSocket(socket, { url, headers: { authorization } }) {
      socket.send(JSON.stringify({ type: 'Begin', id: 's-1', expires_at: Math.round(Date.now() / 1000) + 3600 }))
      sessions.push(serveSession(socket, { authorization, query: placeOf(url).searchParams }, script))
    },
  })
  const url = `https://localhost:${port}`
  return { url, liveUrl: `wss://localhost:${port}`, certificate: certificate.cert, asked, sessions }
}

export function turn(order: number, words: readonly SphinxWord[], state: { ends: boolean; isFormatted: boolean }) {
  return {
    type: 'Turn',
    turn_order: order,
    turn_is_formatted: state.isFormatted,
    end_of_turn: state.ends,
    transcript: words.map(({ word }) => word).join(' '),
    end_of_turn_confidence: state.ends ? 0.9 : 0.1,
    words: wordsOf(words).map((word) => ({ ...word, word_is_final: state.ends })),
    utterance: '',
    language_code: 'en',
  }
}

/** Its times are milliseconds. */
export function wordsOf(words: readonly SphinxWord[]) {
  return words.map(({ word, start, end, probability }) => ({
    text: word,
    start: Math.round(start * 1000),
    end: Math.round(end * 1000),
    confidence: probability,
  }))
}

/** Recognizes for real, both ways. */
export function recognizing(): AssemblyAiScript {
  const ears = new WeakMap<LiveSession, ReturnType<typeof createEar>>()
  let order = 0
  let sound: Buffer = Buffer.alloc(0)
  const emit = (session: LiveSession, words: SphinxWord[]) => {
    session.say(turn(order, words, { ends: true, isFormatted: false }))
    session.say(turn(order++, words, { ends: true, isFormatted: true }))
  }
  return {
    begin: (session) => void ears.set(session, createEar(session.sampleRate)),
    async sound(session, samples) {
      const words = await ears.get(session)!.recognize(samples)
      if (words !== null) emit(session, words)
    },
    async text(session, { type }) {
      if (type !== 'Terminate') return
      emit(session, await ears.get(session)!.rest())
      session.say({ type: 'Termination', audio_duration_seconds: session.seconds, session_duration_seconds: 1 })
      session.socket.close(1000)
    },
    upload(given) {
      sound = given
      return { body: { upload_url: 'https://localhost/upload/1' } }
    },
    async poll(number) {
      if (number === 1) return { body: { id: 't-1', status: 'processing' } }
      const words = wordsOf(await listen(sound))
      return { body: { id: 't-1', status: 'completed', language_code: 'en', words } }
    },
  }
}
