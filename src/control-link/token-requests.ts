/** Asks the control plane for fresh tokens: each request has one answer, or an end in time. */
import { randomUUID } from 'node:crypto'
import type { FreshToken, TokenRequest } from '@standin/wire/control-link.ts'

/** The control plane has half a minute for the provider. */
const ANSWER_MS = 45_000

interface Waiting {
  resolve(answer: FreshToken): void
  reject(error: Error): void
}

export class TokenRequests {
  /** False if the link is down. */
  readonly #send: (request: TokenRequest) => boolean
  readonly #waiting = new Map<string, Waiting>()

  constructor(send: (request: TokenRequest) => boolean) {
    this.#send = send
  }

  async ask(): Promise<FreshToken> {
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<FreshToken>()
    const timer = setTimeout(() => reject(new Error('the control plane did not answer in time')), ANSWER_MS)
    this.#waiting.set(id, { resolve, reject })
    try {
      if (!this.#send({ type: 'token_request', id })) throw new Error('the link to the control plane is down')
      return await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  receive(answer: FreshToken): void {
    this.#waiting.get(answer.id)?.resolve(answer)
  }

  /** The connection that the requests went over is gone, and no answer comes any more. */
  linkEnded(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the link to the control plane broke'))
  }
}
