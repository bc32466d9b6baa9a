/**
 * A session with a server that gets no sound of the meeting: it reads questions, and decides itself what an answer is. Of
 * its answers one is heard at a time, and only what was asked for.
 */
import type { SocketSession } from '../transcription/providers/service-session.ts'
import type { ServiceSocket } from '../transcription/providers/service-socket.ts'
import type { AgentListener, AgentSession, Question } from './types.ts'

/** A server that never says that an answer ended is asked all the same. */
const DONE_AFTER_CUT_MS = 2_000
/** Of one question; a model that calls tools for ever is stopped. */
export const MAX_TOOL_CALLS = 20

export abstract class TextTalk implements AgentSession, SocketSession {
  abstract readonly endsAt: number
  protected readonly listener: AgentListener
  readonly #socket: ServiceSocket
  /** People hear the answer. */
  #isWanted = false
  /** The server sends sound of an answer. */
  #isSending = false
  #whenFree: (() => void) | null = null
  #late: NodeJS.Timeout | undefined
  #quiet: NodeJS.Timeout | undefined
  /** Names of the functions that are called, by the ids of the calls. */
  readonly #calls = new Map<string, string>()
  #answers = 0
  /** Of this answer. */
  #callCount = 0

  constructor(socket: ServiceSocket, listener: AgentListener) {
    this.#socket = socket
    this.listener = listener
  }

  abstract receive(message: Buffer, isBinary: boolean): void
  abstract note(text: string): void
  abstract ask(question: Question): void
  abstract greet(text: string): void
  abstract keepAlive(): void
  protected abstract sendResult(id: string, name: string, result: string): void

  listen(): void {}
  forget(): void {}

  cut(): void {
    this.#isWanted = false
    this.#whenFree = null
    this.#calls.clear()
  }

  giveResult(id: string, result: string): void {
    const name = this.#calls.get(id)
    if (name === undefined) return
    this.#calls.delete(id)
    this.sendResult(id, name, result)
  }

  close(): void {
    this.#stopTimers()
    this.#socket.close()
  }

  lose(reason: string): void {
    this.#stopTimers()
    this.listener.onLost(reason)
  }

  /** An answer was asked for, and has not ended. */
  protected get isWanted(): boolean {
    return this.#isWanted
  }

  protected send(message: object): void {
    this.#socket.send(JSON.stringify(message))
  }

  /** Asks for an answer. What is left of the one before comes first, and is not heard. */
  protected request(message: object): void {
    const send = () => {
      this.#stopTimers()
      this.#whenFree = null
      this.#isWanted = true
      this.#isSending = false
      this.#answers++
      this.#callCount = 0
      this.send(message)
    }
    if (!this.#isSending) send()
    else {
      this.#whenFree = send
      clearTimeout(this.#late)
      this.#late = setTimeout(() => this.#whenFree?.(), DONE_AFTER_CUT_MS)
    }
  }

  protected hear(sound: Buffer): void {
    this.#isSending = true
    if (this.#isWanted) this.listener.onSound(`answer_${this.#answers}`, sound)
  }

  protected read(text: string): void {
    if (this.#isWanted) this.listener.onText(text)
  }

  /** `isAwaited`: the answer goes on with its result. */
  protected call(id: string, name: string, argumentsText: string, isAwaited = true): void {
    if (!this.#isWanted || ++this.#callCount > MAX_TOOL_CALLS) return
    if (isAwaited) this.#calls.set(id, name)
    this.listener.onToolCall({ id, name, argumentsText })
  }

  /** For a server that may not say that its answer has ended: that is so if it sends nothing more for this long. */
  protected endAfter(ms: number): void {
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.end(), ms)
  }

  /** The server has sent all of its answer. */
  protected end(): void {
    clearTimeout(this.#quiet)
    this.#isSending = false
    if (this.#isWanted && this.#calls.size === 0) {
      this.#isWanted = false
      this.listener.onAnswered()
    }
    this.#whenFree?.()
  }

  #stopTimers(): void {
    clearTimeout(this.#late)
    clearTimeout(this.#quiet)
  }
}
