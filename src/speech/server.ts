/**
 * Recognition for a machine over HTTP, in the interface that `Default` speaks to every service: OpenAI's `POST
 * /v1/audio/transcriptions` for recordings, its Realtime interface for live sound. Source: OpenAI API reference.
 */
import { randomUUID, timingSafeEqual } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { problemOfLanguage } from '@standin/wire/speech-access.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { jsonOrNull } from '@standin/wire/text/json-text.ts'
import { WebSocketServer } from 'ws'
import { BodyTooLong, readBody } from '../../packages/core/bounded-body.ts'
import { LiveSession } from './live-turn.ts'
import { findModel, languagesOf } from './model.ts'
import { type RecognizerOptions, Recognizers, UnusableModel, URGENCIES } from './recognizers.ts'
import { NoSound, type SpokenTurn, turnsOfFile } from './recording.ts'

export interface SpeechServerOptions extends RecognizerOptions {
  host: string
  port: number
  /** The bearer token that every request has to carry. */
  key: string
}

export interface SpeechServer {
  /** Such as `http://127.0.0.1:4123/v1`. */
  url: string
  recognizers: Recognizers
  close(): Promise<void>
}

/** OpenAI's limit. */
const MAX_FILE_BYTES = 26_214_400
const MAX_BODY_BYTES = MAX_FILE_BYTES + 100_000
const MAX_EVENT_BYTES = 1_000_000
/** Live sessions at once: a meeting with a session for each voice has some ten. */
const MAX_SESSIONS = 200

class Refused extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

/** Rejects with UnusableModel, or with the error of the port. */
export async function startSpeechServer(options: SpeechServerOptions): Promise<SpeechServer> {
  const recognizers = new Recognizers(options)
  await recognizers.ready()
  const settings = { engine: options.engine, models: options.models }
  const languages = options.engine === 'sherpa-onnx-node' ? languagesOf(findModel(options.models)) : null
  const isKnown = ({ headers: { authorization = '' } }: IncomingMessage) => {
    const [given, known] = [authorization, `Bearer ${options.key}`].map((text) => Buffer.from(text))
    return given!.length === known!.length && timingSafeEqual(given!, known!)
  }
  const server = createServer((request, response) => {
    answer(request)
      .catch((error: unknown) => refusalOf(error))
      .then(({ status, body }) => send(response, status, body))
      .catch(() => response.destroy())
  })
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_EVENT_BYTES, perMessageDeflate: false })
  const over = new AbortController()
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const refuse = (status: string) =>
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    if (!isKnown(request)) return refuse('401 Unauthorized')
    if (pathOf(request) !== '/v1/realtime') return refuse('404 Not Found')
    if (sockets.clients.size >= MAX_SESSIONS) return refuse('503 Service Unavailable')
    sockets.handleUpgrade(request, socket, head, (client) => {
      const left = new AbortController()
      const release = recognizers.hold()
      client.on('close', () => {
        left.abort()
        release()
      })
      client.on('error', () => client.terminate())
      const session = new LiveSession(
        {
          ...{ recognizers, ...settings, signal: AbortSignal.any([left.signal, over.signal]) },
          send: (event) => client.send(JSON.stringify({ event_id: randomUUID(), ...event })),
        },
        languages,
      )
      client.on('message', (data: Buffer) => session.receive(jsonOrNull(String(data))))
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}/v1`,
    recognizers,
    async close() {
      over.abort(new Error('The speech server is closed.'))
      recognizers.close()
      for (const client of sockets.clients) client.terminate()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }

  async function answer(request: IncomingMessage): Promise<{ status: number; body: object | string }> {
    const path = pathOf(request)
    if (path === '/healthz') return { status: 200, body: { status: 'ok' } }
    if (!isKnown(request)) throw new Refused(401, 'invalid_api_key', 'The key is missing or wrong.')
    if (path === '/metrics') return { status: 200, body: metricsOf(recognizers, sockets.clients.size) }
    if (path !== '/v1/audio/transcriptions') throw new Refused(404, 'not_found', `There is no ${path}.`)
    if (request.method !== 'POST') throw new Refused(405, 'method_not_allowed', 'Use POST.')
    const { file, fields } = await formOf(request)
    const problem = problemOfLanguage({ language: fields.get('language') }, languages)
    if (problem !== null) throw new Refused(400, 'unsupported_language', problem)
    const left = new AbortController()
    const onLeft = () => left.abort(new Error('The client left.'))
    request.socket.once('close', onLeft)
    const folder = await mkdtemp(join(tmpdir(), 'standin-speech-'))
    try {
      const path = join(folder, 'sound')
      await writeFile(path, file)
      const turns: SpokenTurn[] = []
      const signal = AbortSignal.any([left.signal, over.signal])
      for await (const turn of turnsOfFile(path, { recognizers, ...settings, signal })) turns.push(turn)
      return { status: 200, body: answerOf(turns, String(fields.get('response_format') ?? 'json')) }
    } finally {
      request.socket.off('close', onLeft)
      await rm(folder, { recursive: true, force: true })
    }
  }
}

function answerOf(turns: readonly SpokenTurn[], format: string): object | string {
  const text = turns.map((turn) => turn.text).join(' ')
  if (format === 'text') return text
  if (format !== 'verbose_json') return { text }
  return {
    task: 'transcribe',
    language: turns.find(({ language }) => language !== null)?.language ?? null,
    duration: turns.at(-1)?.end ?? 0,
    text,
    segments: turns.map(({ start, end, text: said }, id) => ({ id, start, end, text: ` ${said}` })),
    words: turns.flatMap(({ words }) => words),
  }
}

async function formOf(request: IncomingMessage): Promise<{ file: Buffer; fields: FormData }> {
  if (Number(request.headers['content-length']) > MAX_BODY_BYTES) throw new BodyTooLong(MAX_BODY_BYTES)
  const body = new Uint8Array(await readBody(request, MAX_BODY_BYTES))
  const type = request.headers['content-type'] ?? ''
  const fields = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new Refused(400, 'invalid_form', 'The body is no multipart form.')
  })
  const file = fields.get('file')
  if (file === null || typeof file === 'string') throw new Refused(400, 'missing_file', 'The field file is missing.')
  return { file: Buffer.from(await file.arrayBuffer()), fields }
}

function refusalOf(error: unknown): { status: number; body: object } {
  const [status, code] =
    error instanceof Refused
      ? [error.status, error.code]
      : error instanceof BodyTooLong
        ? [413, 'too_large']
        : error instanceof NoSound
          ? [400, 'invalid_file']
          : [error instanceof UnusableModel ? 500 : 503, 'not_recognized']
  return { status, body: { error: { message: messageOf(error), type: 'invalid_request_error', code } } }
}

function send(response: ServerResponse, status: number, body: object | string): void {
  const type = typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json'
  response.writeHead(status, { 'content-type': type }).end(typeof body === 'string' ? body : JSON.stringify(body))
}

const pathOf = ({ url = '/' }: IncomingMessage) => url.split('?')[0]!

/** In the text format of Prometheus. */
function metricsOf(recognizers: Recognizers, sessions: number): string {
  const { turns, seconds, busyMs, dropped, tooLate, renewed, crashed } = recognizers.counts
  const waits = URGENCIES.map((urgency): [string, number] => [`{of="${urgency}"}`, recognizers.waited(urgency) / 1000])
  const figures: [name: string, help: string, values: number | [labels: string, value: number][]][] = [
    ['turns_total', 'Turns that were recognized.', turns],
    ['sound_seconds_total', 'Their sound.', seconds],
    ['busy_seconds_total', 'Time that they took; divided by their sound, the real-time factor.', busyMs / 1000],
    ['partials_dropped_total', 'Texts of open turns that were left out, since ends of turns waited.', dropped],
    [
      'live_given_up_total',
      'Ends of live turns that waited too long; their meetings are recognized afterwards.',
      tooLate,
    ],
    ['recognizers_renewed_total', 'Processes that were replaced because of their memory.', renewed],
    ['recognizers_crashed_total', 'Processes that ended in a turn.', crashed],
    ['wait_seconds', 'Time that the oldest turn has waited.', waits],
    ['live_sessions', 'Live sessions that are open.', sessions],
    ['memory_bytes', 'Memory of all recognizers.', recognizers.memory],
  ]
  return figures
    .map(([name, help, values]) => {
      const whole = `standin_speech_${name}`
      const lines = (typeof values === 'number' ? [['', values]] : values).map(
        ([at, value]) => `${whole}${at} ${value}\n`,
      )
      const type = name.endsWith('_total') ? 'counter' : 'gauge'
      return `# HELP ${whole} ${help}\n# TYPE ${whole} ${type}\n${lines.join('')}`
    })
    .join('')
}
