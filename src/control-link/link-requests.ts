/** Asks the control plane for fresh tokens, keys and accounts: each request has one answer, or an end in time. */
import { randomUUID } from 'node:crypto'
import type { AccountReport, FreshKeys, FreshToken, LeasedAccount, LinkRequest } from '@standin/wire/control-link.ts'

/** The control plane has half a minute for the provider. */
const ANSWER_MS = 45_000

/** The answer to each kind of request. */
interface Answers {
  token: FreshToken
  storage_keys: FreshKeys
  account: LeasedAccount
  account_report: AccountReport
}
type Answer = Answers[keyof Answers]

interface Waiting {
  type: keyof Answers
  resolve(answer: Answer): void
  reject(error: Error): void
}

export class LinkRequests {
  /** False if the link is down. */
  readonly #send: (request: LinkRequest) => boolean
  readonly #waiting = new Map<string, Waiting>()

  constructor(send: (request: LinkRequest) => boolean) {
    this.#send = send
  }

  /** `fields`: of the request, beside its type and id. */
  async ask<T extends keyof Answers>(type: T, fields: object = {}): Promise<Answers[T]> {
    const id = randomUUID()
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const timer = setTimeout(() => reject(new Error('the control plane did not answer in time')), ANSWER_MS)
    this.#waiting.set(id, { type, resolve, reject })
    try {
      if (!this.#send({ type: `${type}_request`, id, ...fields } as LinkRequest))
        throw new Error('the link to the control plane is down')
      return (await promise) as Answers[T]
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(id)
    }
  }

  receive(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id)
    if (waiting?.type === answer.type) waiting.resolve(answer)
  }

  /** The connection that the requests went over is gone, and no answer comes any more. */
  linkEnded(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the link to the control plane broke'))
  }
}
