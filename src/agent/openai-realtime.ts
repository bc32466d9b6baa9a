/**
 * OpenAI's Realtime interface, spoken by OpenAI and by other servers. Its own turns and answers are off: the bot says where a
 * question ends. Source: OpenAI API reference, "Realtime".
 */
import type { LookupFunction } from 'node:net'
import { z } from 'zod'
import { openRealtimeSession, REALTIME_SAMPLE_RATE } from '../transcription/providers/openai-realtime.ts'
import type { RecognizerSession } from '../transcription/turn-connection.ts'
import { recordOf } from './lines.ts'
import type { AgentListener, AgentProvider, AgentSession, HeardPart, Question } from './types.ts'

export interface OpenAiAgentOptions {
  url: string
  key: string | null
  model: string
  voice: string | null
  instructions: string
  dialing?: { lookup?: LookupFunction }
  /** How long a session lasts if the server does not say; tests shorten it. */
  sessionMs?: number
}

/** The interface refuses a question with less sound. */
const SHORTEST_BYTES = REALTIME_SAMPLE_RATE * 2 * 0.1
/** A server that never says that a cut answer ended is asked all the same. */
const DONE_AFTER_CUT_MS = 2_000
/** Of one question; a model that calls tools for ever is stopped. */
const MAX_TOOL_ROUNDS = 6
const MAX_TOOL_CALLS = 20
/** Base64 of 20 s of sound. */
const MAX_DELTA = 1_300_000

const id = z.string().max(200)
const inAnswer = { response_id: id }
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('response.created'), response: z.object({ id }) }),
  z.object({
    type: z.enum(['response.output_audio.delta', 'response.audio.delta']),
    ...inAnswer,
    item_id: id,
    delta: z.string().max(MAX_DELTA),
  }),
  z.object({
    type: z.enum(['response.output_audio_transcript.done', 'response.audio_transcript.done']),
    ...inAnswer,
    transcript: z.string().max(20_000),
  }),
  z.object({
    type: z.literal('response.function_call_arguments.done'),
    ...inAnswer,
    call_id: id,
    name: z.string().max(100),
    arguments: z.string().max(20_000),
  }),
  z.object({
    type: z.literal('response.done'),
    response: z.object({
      id,
      status: z.string().max(40).nullish().catch(null),
      status_details: z
        .object({ error: z.object({ code: z.string().nullish(), message: z.string().nullish() }).nullish() })
        .nullish()
        .catch(null),
    }),
  }),
  z.object({
    type: z.literal('error'),
    error: z.object({
      code: z.string().nullish().catch(null),
      type: z.string().nullish().catch(null),
      message: z.string().nullish().catch(null),
    }),
  }),
])
type ServerEvent = z.infer<typeof eventSchema>

/** What the server says where both sides did the same at the same time. */
const HARMLESS = new Set(['response_cancel_not_active', 'input_audio_buffer_commit_empty', 'item_truncate_invalid'])

export function openAiRealtime(options: OpenAiAgentOptions): AgentProvider {
  const { url, key, model, voice, instructions, dialing, sessionMs } = options
  const address = new URL(url)
  if (!address.searchParams.has('model')) address.searchParams.set('model', model)
  const format = { type: 'audio/pcm', rate: REALTIME_SAMPLE_RATE }
  const session = {
    ...{ type: 'realtime', output_modalities: ['audio'], instructions },
    audio: { input: { format, turn_detection: null }, output: { format, ...(voice !== null && { voice }) } },
  }
  return {
    sampleRate: REALTIME_SAMPLE_RATE,
    host: address.host,
    hears: true,
    async open(tools, listener, signal) {
      let talk: Talk | null = null
      const open = openRealtimeSession({
        ...{ url: address.href, key, ...(dialing && { dialing }), ...(sessionMs && { sessionMs }) },
        session: { ...session, tools: tools.map((tool) => ({ type: 'function', ...tool })) },
      })
      const server = await open(
        { onEvent: (event) => talk?.take(event), onLost: (reason) => talk?.lose(reason) },
        signal,
      )
      talk = new Talk(server, listener)
      return talk
    },
  }
}

class Talk implements AgentSession {
  readonly #server: RecognizerSession
  readonly #listener: AgentListener
  /** Sound of a question that is not complete. */
  #heardBytes = 0
  /** The answer that people may hear; null while the server has not begun it. */
  #answer: string | null = null
  /** Requests for answers that the server has not begun, in their order. */
  #requests: { isWanted: boolean }[] = []
  /** Answers that the server has not ended. */
  readonly #open = new Set<string>()
  #whenFree: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #calls = new Set<string>()
  #isAnswerOver = false
  #hasCalled = false
  #rounds = 0
  #callCount = 0

  constructor(server: RecognizerSession, listener: AgentListener) {
    this.#server = server
    this.#listener = listener
  }

  get endsAt(): number {
    return this.#server.endsAt
  }

  listen(sound: Buffer): void {
    this.#heardBytes += sound.byteLength
    this.#server.send({ type: 'input_audio_buffer.append', audio: sound.toString('base64') })
  }

  forget(): void {
    if (this.#heardBytes > 0) this.#server.send({ type: 'input_audio_buffer.clear' })
    this.#heardBytes = 0
  }

  note(text: string): void {
    const content = [{ type: 'input_text', text }]
    this.#server.send({ type: 'conversation.item.create', item: { type: 'message', role: 'user', content } })
  }

  ask({ asker }: Question): void {
    this.note(recordOf({ asks_you_now: asker }))
    if (this.#heardBytes >= SHORTEST_BYTES) this.#server.send({ type: 'input_audio_buffer.commit' })
    else this.forget()
    this.#heardBytes = 0
    this.#rounds = 0
    this.#callCount = 0
    this.#request()
  }

  greet(text: string): void {
    this.#request(`Say exactly this, and nothing else: ${JSON.stringify(text)}`)
  }

  cut(heard: readonly HeardPart[]): void {
    const isUnderWay = this.#answer !== null && !this.#isAnswerOver
    if (isUnderWay || this.#requests.length > 0) this.#server.send({ type: 'response.cancel' })
    for (const { item, ms } of heard)
      this.#server.send({ type: 'conversation.item.truncate', item_id: item, content_index: 0, audio_end_ms: ms })
    this.#whenFree = null
    for (const request of this.#requests) request.isWanted = false
    this.#answer = null
    this.#hasCalled = false
    this.#calls.clear()
  }

  giveResult(call: string, output: string): void {
    if (!this.#calls.delete(call)) return
    this.#server.send({
      type: 'conversation.item.create',
      item: { type: 'function_call_output', call_id: call, output },
    })
    this.#mayEnd()
  }

  keepAlive(): void {
    this.#server.ping()
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#server.close()
  }

  lose(reason: string): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#listener.onLost(reason)
  }

  take(raw: unknown): void {
    const parsed = eventSchema.safeParse(raw)
    if (!parsed.success) return
    const event = parsed.data
    if (event.type === 'response.created') this.#begin(event.response.id)
    else if (event.type === 'response.done') this.#end(event.response)
    else if (event.type === 'error') this.#fail(event.error)
    else if (event.response_id === this.#answer) this.#grow(event)
  }

  /** The server takes one request at a time. */
  #request(instructions?: string): void {
    const send = () => {
      this.#whenFree = null
      this.#requests.push({ isWanted: true })
      this.#isAnswerOver = false
      this.#answer = null
      this.#server.send({ type: 'response.create', ...(instructions && { response: { instructions } }) })
    }
    if (this.#isFree) send()
    else {
      this.#whenFree = send
      if (this.#timer !== null) clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#whenFree?.(), DONE_AFTER_CUT_MS)
    }
  }

  get #isFree(): boolean {
    return this.#open.size === 0 && this.#requests.length === 0
  }

  #begin(answer: string): void {
    this.#open.add(answer)
    if (this.#requests.shift()?.isWanted) this.#answer = answer
    // Cut before it began, or one that nothing asked for.
    else this.#server.send({ type: 'response.cancel', response_id: answer })
  }

  #end({
    id: answer,
    status,
    status_details: details,
  }: Extract<ServerEvent, { response: { status?: unknown } }>['response']): void {
    this.#open.delete(answer)
    if (answer === this.#answer) {
      if (status === 'failed')
        this.#listener.onProblem(
          details?.error?.code ?? 'answer_failed',
          details?.error?.message ?? 'An answer failed.',
        )
      this.#isAnswerOver = true
      this.#mayEnd()
    }
    if (this.#isFree) this.#whenFree?.()
  }

  #grow(event: Extract<ServerEvent, { response_id: string }>): void {
    if ('delta' in event) this.#listener.onSound(event.item_id, Buffer.from(event.delta, 'base64'))
    else if ('transcript' in event) this.#listener.onText(event.transcript)
    else if (++this.#callCount <= MAX_TOOL_CALLS) {
      this.#calls.add(event.call_id)
      this.#hasCalled = true
      this.#listener.onToolCall({ id: event.call_id, name: event.name, argumentsText: event.arguments })
    }
  }

  /** The model goes on once it has the results of all its calls. */
  #mayEnd(): void {
    if (!this.#isAnswerOver || this.#calls.size > 0 || this.#answer === null) return
    const goesOn = this.#hasCalled && ++this.#rounds <= MAX_TOOL_ROUNDS
    this.#hasCalled = false
    this.#answer = null
    if (goesOn) this.#request()
    else this.#listener.onAnswered()
  }

  #fail({ code, type, message }: Extract<ServerEvent, { type: 'error' }>['error']): void {
    const name = code ?? type ?? 'error'
    if (!HARMLESS.has(name)) this.#listener.onProblem(name, message ?? '')
    // A request that was refused is answered by nothing else.
    if (this.#open.size > 0 || HARMLESS.has(name) || !this.#requests.shift()?.isWanted) return
    this.#listener.onAnswered()
  }
}
