/**
 * Deepgram's Voice Agent. It answers whatever turn it hears, and that cannot be switched off, so it gets no sound of the
 * meeting: questions are text. Source: the types of `@deepgram/sdk`, "AgentV1…".
 */
import type { LookupFunction } from 'node:net'
import { jsonOrNull } from '@standin/wire/text/json-text.ts'
import { z } from 'zod'
import { openServiceSession } from '../transcription/providers/service-session.ts'
import type { ServiceSocket } from '../transcription/providers/service-socket.ts'
import { MAX_CHARACTERS, recordOf } from './lines.ts'
import { MAX_TOOL_CALLS, TextTalk } from './text-talk.ts'
import type { AgentListener, AgentProvider, Question } from './types.ts'

export interface DeepgramAgentOptions {
  url: string
  key: string | null
  /** Of OpenAI, which Deepgram asks. */
  model: string
  voice: string
  instructions: string
  dialing?: { lookup?: LookupFunction }
}

const SAMPLE_RATE = 24_000

const text = z.string().max(20_000)
const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['Welcome', 'SettingsApplied', 'AgentAudioDone']) }),
  z.object({ type: z.literal('ConversationText'), role: z.string().max(20), content: text }),
  z.object({
    type: z.literal('FunctionCallRequest'),
    functions: z
      .array(
        z.object({ id: z.string().max(200), name: z.string().max(100), arguments: text, client_side: z.boolean() }),
      )
      .max(MAX_TOOL_CALLS),
  }),
  z.object({ type: z.literal('InjectionRefused'), message: text }),
  z.object({ type: z.enum(['Error', 'Warning']), code: z.string().max(200), description: text }),
])
type ServerEvent = z.infer<typeof eventSchema>

export function deepgramAgent(options: DeepgramAgentOptions): AgentProvider {
  const { url, key, dialing = {} } = options
  return {
    ...{ sampleRate: SAMPLE_RATE, host: new URL(url).host, hears: false },
    open(tools, listener, signal) {
      const format = { encoding: 'linear16', sample_rate: SAMPLE_RATE }
      const settings = {
        type: 'Settings',
        audio: { input: format, output: { ...format, container: 'none' } },
        agent: {
          think: {
            provider: { type: 'open_ai', model: options.model },
            prompt: options.instructions,
            ...(tools.length > 0 && { functions: tools }),
          },
          speak: { provider: { type: 'deepgram', model: options.voice } },
        },
      }
      return openServiceSession<Talk>({
        ...{ url, key, dialing, headers: key === null ? {} : { authorization: `Token ${key}` }, signal },
        begin(message, socket, open) {
          const event = eventOf(message)
          if (event?.type === 'SettingsApplied') open(new Talk(socket, listener, options.instructions))
          else if (event?.type === 'Welcome') socket.send(JSON.stringify(settings))
          else if (event?.type === 'Error') socket.end(`refused the session (${event.code})`, false)
        },
      })
    },
  }
}

class Talk extends TextTalk {
  readonly endsAt = Number.POSITIVE_INFINITY
  readonly #instructions: string
  #record = ''

  constructor(socket: ServiceSocket, listener: AgentListener, instructions: string) {
    super(socket, listener)
    this.#instructions = instructions
  }

  /** Its prompt is the only place for what is no question. */
  note(text: string): void {
    this.#record = `${this.#record}\n${text}`.slice(-MAX_CHARACTERS)
    this.send({ type: 'UpdatePrompt', prompt: `${this.#instructions}\n${this.#record}` })
  }

  ask({ asker, text }: Question): void {
    this.request({ type: 'InjectUserMessage', content: recordOf({ asks_you_now: asker, text }) })
  }

  greet(text: string): void {
    this.request({ type: 'InjectAgentMessage', message: text })
  }

  keepAlive(): void {
    this.send({ type: 'KeepAlive' })
  }

  receive(message: Buffer, isBinary: boolean): void {
    const event = isBinary ? null : eventOf(message)
    if (isBinary) this.hear(message)
    switch (event?.type) {
      case 'AgentAudioDone':
        this.end()
        break
      case 'ConversationText':
        if (event.role === 'assistant') this.read(event.content)
        break
      case 'FunctionCallRequest':
        for (const { id, name, arguments: given, client_side: isOurs } of event.functions)
          if (isOurs) this.call(id, name, given)
        break
      case 'InjectionRefused':
        this.listener.onProblem('InjectionRefused', event.message)
        this.end()
        break
      case 'Error':
      case 'Warning':
        this.listener.onProblem(event.code, event.description)
    }
  }

  protected sendResult(id: string, name: string, result: string): void {
    this.send({ type: 'FunctionCallResponse', id, name, content: result })
  }
}

function eventOf(data: Buffer): ServerEvent | null {
  return eventSchema.safeParse(jsonOrNull(String(data))).data ?? null
}
