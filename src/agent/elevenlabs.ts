/**
 * ElevenLabs Agents. An agent is made there, with its prompt, voice and tools, and its detection of turns cannot be switched
 * off, so it gets no sound of the meeting: questions are text. Sources: "Events", "Authentication" and "Overrides" in the
 * documentation of ElevenLabs Agents; `agent.asyncapi.yaml` of elevenlabs/packages; `ClientEvent` of elevenlabs-js.
 */
import type { LookupFunction } from 'node:net'
import { guardedLookup, mayBePublic } from '@standin/wire/network/public-addresses.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { jsonOrNull, jsonText } from '@standin/wire/text/json-text.ts'
import { aborted } from '@standin/wire/time/deadline.ts'
import { z } from 'zod'
import { createResampler } from '../../packages/core/meeting/resampler.ts'
import { fetchPublic, mayPass } from '../../packages/core/network/safe-fetch.ts'
import { addSecrets, secretsIn } from '../../packages/core/process/known-secrets.ts'
import { ProviderError } from '../transcription/providers/provider-error.ts'
import { openServiceSession } from '../transcription/providers/service-session.ts'
import type { ServiceSocket } from '../transcription/providers/service-socket.ts'
import { recordOf } from './lines.ts'
import { TextTalk } from './text-talk.ts'
import type { AgentListener, AgentProvider, Question } from './types.ts'

export interface ElevenLabsAgentOptions {
  /** Of conversations; `get-signed-url` is below it. */
  url: string
  /** Null for an agent that needs none. */
  key: string | null
  agentId: string
  instructions: string
  /** They replace the prompt of the agent, which has to permit it; else the agent gets them beside its own. */
  replacesPrompt: boolean
  /** Null: the agent's own. */
  model: string | null
  voice: string | null
  /** The operator permits the address even if it is private. */
  isPermitted: boolean
  dialing?: { lookup?: LookupFunction }
  /** So long after its sound an answer is over, if the server does not end it before; tests shorten it. */
  quietMs?: number
}

const SAMPLE_RATE = 24_000
/** The server ends a conversation after this, unless the agent's `max_duration_seconds` is another one. */
const SESSION_MS = 600_000
/** Only agents that have `agent_response_complete` among their client events send it. */
const QUIET_MS = 10_000
const SIGNING = { maxBytes: 10_000, timeoutMs: 10_000, accept: 'application/json' }
/** Close code for a mistake in what was asked. */
const MISTAKE = 1008

const text = z.string().max(20_000)
const brief = z.string().max(200)
const signedSchema = z.object({ signed_url: z.url({ protocol: /^wss?$/ }).max(4_000) })
const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('conversation_initiation_metadata'),
    conversation_initiation_metadata_event: z.object({ agent_output_audio_format: brief }),
  }),
  z.object({ type: z.literal('audio'), audio_event: z.object({ audio_base_64: z.string().max(1_000_000) }) }),
  z.object({ type: z.literal('agent_response'), agent_response_event: z.object({ agent_response: text }) }),
  z.object({ type: z.literal('agent_response_complete') }),
  z.object({
    type: z.literal('client_tool_call'),
    client_tool_call: z.object({
      tool_call_id: brief,
      tool_name: brief,
      parameters: z.looseObject({}).nullish(),
      expects_response: z.boolean().default(true),
    }),
  }),
  z.object({ type: z.literal('ping'), ping_event: z.object({ event_id: z.int() }) }),
  z.object({
    type: z.enum(['error', 'client_error']),
    error_event: z.object({
      code: z.union([z.int(), brief]).nullish().catch(null),
      error_type: brief.nullish().catch(null),
      message: text.nullish().catch(null),
      reason: text.nullish().catch(null),
    }),
  }),
])
type ServerEvent = z.infer<typeof eventSchema>

export function elevenLabsAgent(options: ElevenLabsAgentOptions): AgentProvider {
  const { instructions, replacesPrompt, model, voice, quietMs = QUIET_MS } = options
  const prompt = { ...(replacesPrompt && { prompt: instructions }), ...(model !== null && { llm: model }) }
  const override = {
    ...(Object.keys(prompt).length > 0 && { agent: { prompt } }),
    ...(voice !== null && { tts: { voice_id: voice } }),
  }
  return {
    ...{ sampleRate: SAMPLE_RATE, host: new URL(options.url).host, hears: false },
    async open(_, listener, signal) {
      const left = aborted(signal).then(() => Promise.reject(signal.reason))
      const address = await Promise.race([addressOf(options), left])
      return openServiceSession<Talk>({
        ...{ ...address, key: secretsIn(address.url)[0] ?? null, headers: {}, signal },
        onConnected: (socket) =>
          socket.send(
            JSON.stringify({ type: 'conversation_initiation_client_data', conversation_config_override: override }),
          ),
        begin(message, socket, open) {
          const event = eventOf(message)
          if (event?.type === 'error' || event?.type === 'client_error') {
            const { code, sentence, isMistake } = problemOf(event)
            socket.end(`refused the session (${code}: ${sentence.slice(0, 200)})`, !isMistake)
          }
          if (event?.type !== 'conversation_initiation_metadata') return
          const { agent_output_audio_format: format } = event.conversation_initiation_metadata_event
          const rate = Number(/^pcm_(\d{4,5})$/.exec(format)?.[1])
          if (!rate) return socket.end(`speaks ${format}: the agent needs an output format of PCM`, false)
          const talk = new Talk(socket, listener, rate, quietMs)
          if (!replacesPrompt) talk.note(instructions)
          open(talk)
        },
      })
    },
  }
}

class Talk extends TextTalk {
  readonly endsAt = Date.now() + SESSION_MS
  readonly #toOurRate: (sound: Buffer) => Buffer
  readonly #quietMs: number
  /** When the sound that is there would be played, in UTC milliseconds. */
  #soundUntil = 0

  constructor(socket: ServiceSocket, listener: AgentListener, rate: number, quietMs: number) {
    super(socket, listener)
    this.#toOurRate = converter(rate)
    this.#quietMs = quietMs
  }

  note(text: string): void {
    this.send({ type: 'contextual_update', text })
  }

  ask({ asker, text }: Question): void {
    this.#say(recordOf({ asks_you_now: asker, text }))
  }

  /** The first message of an agent is set before a session begins, and said in each. */
  greet(text: string): void {
    this.#say(`Say exactly this, and nothing else: ${jsonText(text)}`)
  }

  /** Else the agent asks after some seconds whether its user is still there. */
  keepAlive(): void {
    this.send({ type: 'user_activity' })
  }

  /** No message ends an answer, so a new session follows, which has only the record. */
  override cut(): void {
    const isUnderWay = this.isWanted
    super.cut()
    if (isUnderWay) this.listener.onLost(null)
  }

  receive(message: Buffer): void {
    const event = eventOf(message)
    switch (event?.type) {
      case 'audio':
        this.#play(Buffer.from(event.audio_event.audio_base_64, 'base64'))
        break
      case 'agent_response':
        this.read(event.agent_response_event.agent_response)
        break
      case 'agent_response_complete':
        this.end()
        break
      case 'client_tool_call': {
        const { tool_call_id: id, tool_name: name, parameters, expects_response: isAwaited } = event.client_tool_call
        this.call(id, name, jsonText(parameters ?? {}), isAwaited)
        break
      }
      case 'ping':
        this.send({ type: 'pong', event_id: event.ping_event.event_id })
        break
      case 'error':
      case 'client_error': {
        const { code, sentence } = problemOf(event)
        this.listener.onProblem(code, sentence)
      }
    }
  }

  protected sendResult(id: string, _name: string, result: string): void {
    this.send({ type: 'client_tool_result', tool_call_id: id, result, is_error: false })
    this.#awaitEnd()
  }

  #say(text: string): void {
    this.request({ type: 'user_message', text })
  }

  #play(given: Buffer): void {
    const sound = this.#toOurRate(given)
    this.#soundUntil = Math.max(this.#soundUntil, Date.now()) + (sound.byteLength / 2 / SAMPLE_RATE) * 1000
    this.hear(sound)
    this.#awaitEnd()
  }

  #awaitEnd(): void {
    this.endAfter(Math.max(0, this.#soundUntil - Date.now()) + this.#quietMs)
  }
}

/** Where a conversation is dialed. With a key that is a signed address, a secret, which holds for fifteen minutes. */
async function addressOf({ url, key, agentId, isPermitted, dialing = {} }: ElevenLabsAgentOptions) {
  const address = new URL(url)
  address.searchParams.set('agent_id', agentId)
  if (key === null) return { url: address.href, dialing }
  const signing = new URL(address)
  signing.protocol = address.protocol === 'ws:' ? 'http:' : 'https:'
  signing.pathname = `${address.pathname.replace(/\/$/, '')}/get-signed-url`
  const given = await fetchPublic(signing.href, { ...SIGNING, headers: { 'xi-api-key': key } }, isPermitted).catch(
    (error) => {
      throw new ProviderError(messageOf(error), { isTransient: mayPass(error), cause: error })
    },
  )
  const signed = signedSchema.safeParse(jsonOrNull(String(Buffer.from(given))))
  if (!signed.success) throw new ProviderError(`${address.host} signed no address`, { isTransient: false })
  const { signed_url } = signed.data
  addSecrets(signed_url)
  const { host, hostname, protocol } = new URL(signed_url)
  if (host === address.host && protocol === address.protocol) return { url: signed_url, dialing }
  if (protocol === 'wss:' && mayBePublic(hostname)) return { url: signed_url, dialing: { lookup: guardedLookup() } }
  throw new ProviderError(`${address.host} signed an address on ${host}, which is not public`, { isTransient: false })
}

/** Mono, signed 16 bit little-endian. */
function converter(rate: number): (sound: Buffer) => Buffer {
  const resample = createResampler(rate, SAMPLE_RATE)
  return (given) => {
    if (rate === SAMPLE_RATE) return given
    const samples = resample(Float32Array.from({ length: given.byteLength >> 1 }, (_, at) => given.readInt16LE(at * 2)))
    const sound = Buffer.alloc(samples.length * 2)
    for (const [at, sample] of samples.entries()) sound.writeInt16LE(Math.round(sample), at * 2)
    return sound
  }
}

function problemOf({
  error_event: { code, error_type, message, reason },
}: Extract<ServerEvent, { error_event: unknown }>) {
  return {
    code: String(error_type ?? code ?? 'error'),
    sentence: message ?? reason ?? '',
    isMistake: code === MISTAKE,
  }
}

function eventOf(data: Buffer): ServerEvent | null {
  return eventSchema.safeParse(jsonOrNull(String(data))).data ?? null
}
