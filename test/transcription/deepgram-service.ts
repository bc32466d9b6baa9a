/**
 * A server that speaks Deepgram's `/v1/listen`, both ways: POST for files, a WebSocket for live sound. Shapes are those
 * of its API reference, "Pre-Recorded Audio" and "Live Audio".
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { createEar, type LiveSession, type SessionListener, serveSession } from './live-session.ts'
import { refuseUpgrade } from './refuse-upgrade.ts'
import { listen, type SphinxWord } from './sphinx.ts'

interface FileAsked {
  query: URLSearchParams
  authorization: string | undefined
  sound: Buffer
}
type FileAnswer = { status?: number; headers?: Record<string, string>; body: unknown }

export interface DeepgramScript extends SessionListener {
  file?(asked: FileAsked, number: number): FileAnswer | Promise<FileAnswer>
  /** Status with which a WebSocket is refused, or null. */
  refuse?(number: number): number | null
}

export async function startDeepgram(script: DeepgramScript) {
  const asked: FileAsked[] = []
  const sessions: LiveSession[] = []
  const place = (request: IncomingMessage) => new URL(request.url ?? '/', 'http://localhost')
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const entry = {
      query: place(request).searchParams,
      authorization: request.headers.authorization,
      sound: Buffer.concat(chunks),
    }
    asked.push(entry)
    const { status = 200, headers = {}, body } = (await script.file?.(entry, asked.length)) ?? { status: 404, body: {} }
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify(body))
  })
  const sockets = new WebSocketServer({ noServer: true })
  let dials = 0
  server.on('upgrade', (request, socket, head) => {
    const refusal = place(request).pathname === '/v1/listen' ? (script.refuse?.(++dials) ?? null) : 404
    if (refusal !== null) {
      refuseUpgrade(socket, refusal)
      return
    }
    sockets.handleUpgrade(request, socket, head, (ws) => {
      const given = { authorization: request.headers.authorization, query: place(request).searchParams }
      sessions.push(serveSession(ws, given, script))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets.clients) socket.terminate()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, sessions }
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
    words: words.map(({ word, start, end, probability }) => ({
      word,
      punctuated_word: word,
      start,
      end,
      confidence: probability,
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
