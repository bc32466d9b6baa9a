/**
 * Deepgram's Voice Agent. It answers whatever turn it hears, and that cannot be switched off, so it gets no sound of the
 * meeting: questions are text. Source: the types of `@deepgram/sdk`, "AgentV1…".
 */
import type { LookupFunction } from 'node:net'
import { parseJson } from '@standin/wire/text/json-text.ts'
import { z } from 'zod'
import { ProviderError } from '../transcription/providers/provider-error.ts'
import { openServiceSocket, type ServiceSocket } from '../transcription/providers/service-socket.ts'
import { MAX_CHARACTERS, recordOf } from './lines.ts'
import type { AgentListener, AgentProvider, AgentSession, Question } from './types.ts'

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
const OPEN_MS = 10_000
/** A server that never says that an answer ended is asked all the same. */
const DONE_AFTER_CUT_MS = 2_000
const MAX_TOOL_CALLS = 20

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
  const { host } = new URL(url)
  return {
    ...{ sampleRate: SAMPLE_RATE, host, hears: false },
    open(tools, listener, signal) {
      const opened = Promise.withResolvers<AgentSession>()
      let talk: Talk | null = null
      const format = { encoding: 'linear16', sample_rate: SAMPLE_RATE }
      const socket = openServiceSocket({
        ...{ url, key, dialing, headers: key === null ? {} : { authorization: `Token ${key}` } },
        onMessage(data, isBinary) {
          if (isBinary) return talk?.hear(data)
          const event = eventOf(data)
          if (event?.type === 'Welcome') socket.send(JSON.stringify(settings))
          else if (event?.type === 'SettingsApplied') {
            clearTimeout(late)
            talk ??= new Talk(socket, listener, options.instructions)
            opened.resolve(talk)
          } else if (event?.type === 'Error' && talk === null) socket.end(`refused the session (${event.code})`, false)
          else if (event !== null) talk?.take(event)
        },
        onEnd(reason, isTransient) {
          clearTimeout(late)
          if (talk === null) opened.reject(new ProviderError(`${host} ${reason}`, { isTransient }))
          else talk.lose(reason)
        },
      })
      const late = setTimeout(() => socket.end('opened no session'), OPEN_MS)
      const leave = () => socket.end('was left')
      signal.addEventListener('abort', leave, { once: true })
      void opened.promise.finally(() => signal.removeEventListener('abort', leave)).catch(() => {})
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
      return opened.promise
    },
  }
}

class Talk implements AgentSession {
  readonly endsAt = Number.POSITIVE_INFINITY
  readonly #socket: ServiceSocket
  readonly #listener: AgentListener
  readonly #instructions: string
  #record = ''
  /** People hear the answer. */
  #isWanted = false
  /** The server sends sound of an answer. */
  #isSending = false
  #whenFree: (() => void) | null = null
  #timer: NodeJS.Timeout | null = null
  /** Names of the functions that are called, by the ids of the calls. */
  readonly #calls = new Map<string, string>()
  #answers = 0
  /** Of this answer. */
  #callCount = 0

  constructor(socket: ServiceSocket, listener: AgentListener, instructions: string) {
    this.#socket = socket
    this.#listener = listener
    this.#instructions = instructions
  }

  listen(): void {}
  forget(): void {}

  /** Its prompt is the only place for what is no question. */
  note(text: string): void {
    this.#record = `${this.#record}\n${text}`.slice(-MAX_CHARACTERS)
    this.#send({ type: 'UpdatePrompt', prompt: `${this.#instructions}\n${this.#record}` })
  }

  ask({ asker, text }: Question): void {
    this.#request({ type: 'InjectUserMessage', content: recordOf({ asks_you_now: asker, text }) })
  }

  greet(text: string): void {
    this.#request({ type: 'InjectAgentMessage', message: text })
  }

  cut(): void {
    this.#isWanted = false
    this.#whenFree = null
    this.#calls.clear()
  }

  giveResult(id: string, result: string): void {
    const name = this.#calls.get(id)
    if (!this.#calls.delete(id)) return
    this.#send({ type: 'FunctionCallResponse', id, name, content: result })
  }

  keepAlive(): void {
    this.#send({ type: 'KeepAlive' })
  }

  close(): void {
    this.#stopTimer()
    this.#socket.close()
  }

  lose(reason: string): void {
    this.#stopTimer()
    this.#listener.onLost(reason)
  }

  hear(sound: Buffer): void {
    this.#isSending = true
    if (this.#isWanted) this.#listener.onSound(`answer_${this.#answers}`, sound)
  }

  take(event: ServerEvent): void {
    switch (event.type) {
      case 'AgentAudioDone':
        this.#end()
        break
      case 'ConversationText':
        if (this.#isWanted && event.role === 'assistant') this.#listener.onText(event.content)
        break
      case 'FunctionCallRequest':
        for (const call of event.functions) this.#call(call)
        break
      case 'InjectionRefused':
        this.#listener.onProblem('InjectionRefused', event.message)
        this.#end()
        break
      case 'Error':
      case 'Warning':
        this.#listener.onProblem(event.code, event.description)
    }
  }

  /** What is left of the answer before comes first, and is not heard. */
  #request(message: object): void {
    const send = () => {
      this.#whenFree = null
      this.#isWanted = true
      this.#isSending = false
      this.#answers++
      this.#callCount = 0
      this.#send(message)
    }
    if (!this.#isSending) send()
    else {
      this.#whenFree = send
      this.#stopTimer()
      this.#timer = setTimeout(() => this.#whenFree?.(), DONE_AFTER_CUT_MS)
    }
  }

  #end(): void {
    this.#isSending = false
    if (this.#isWanted && this.#calls.size === 0) {
      this.#isWanted = false
      this.#listener.onAnswered()
    }
    this.#whenFree?.()
  }

  #call({ id, name, arguments: argumentsText, client_side: isOurs }: FunctionCall): void {
    if (!this.#isWanted || !isOurs || ++this.#callCount > MAX_TOOL_CALLS) return
    this.#calls.set(id, name)
    this.#listener.onToolCall({ id, name, argumentsText })
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }
}

type FunctionCall = Extract<ServerEvent, { functions: unknown }>['functions'][number]

function eventOf(data: Buffer): ServerEvent | null {
  try {
    return eventSchema.parse(parseJson(data.toString()))
  } catch {
    return null
  }
}
