/** Those who follow bots: a stream for each bot, and a subscription of each team. They note what came, and come back after each fault. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStandinClient, followEvents, followSubscription, StandinApiError } from '../../../client/index.ts'

/** Ids of events of one bot in the order in which they came. */
export interface Heard {
  stream: string[]
  subscription: string[]
}

export const SUBSCRIPTION = 'checker'

export class Followers {
  readonly heard = new Map<string, Heard>()
  /** Errors that ended a follower. */
  readonly ended: string[] = []
  readonly #url: string
  readonly #over = new AbortController()
  readonly #streams = new Set<Promise<void>>()
  readonly #subscriptions: Promise<void>[] = []

  constructor(url: string) {
    this.#url = url
  }

  /** Streams whose bot is not over yet. */
  get streams(): number {
    return this.#streams.size
  }

  followTeam(apiKey: string): void {
    const follow = async () => {
      const { signal } = this.#over
      const options = { baseUrl: this.#url, apiKey, name: SUBSCRIPTION, signal }
      for await (const { bot_id, id } of followSubscription(options)) this.#of(bot_id).subscription.push(id)
    }
    this.#subscriptions.push(this.#noteEnd(follow(), 'a subscription'))
  }

  followBot(apiKey: string, botId: string): void {
    const { v2 } = createStandinClient({ baseUrl: this.#url, apiKey })
    const { signal } = this.#over
    const follow = async () => {
      for await (const { id } of followEvents(v2, botId, { signal })) this.#of(botId).stream.push(id)
    }
    // The client tries again by itself once its first connection was accepted.
    const insist = async (): Promise<void> => {
      try {
        await follow()
      } catch (error) {
        if (!(error instanceof StandinApiError) || (error.status !== 0 && error.status !== 503)) throw error
        await sleep(200)
        await insist()
      }
    }
    const stream = this.#noteEnd(insist(), `the stream of bot ${botId}`).finally(() => this.#streams.delete(stream))
    this.#streams.add(stream)
  }

  async close(): Promise<void> {
    this.#over.abort()
    await Promise.all([...this.#streams, ...this.#subscriptions])
  }

  #of(botId: string): Heard {
    const heard = this.heard.get(botId) ?? { stream: [], subscription: [] }
    this.heard.set(botId, heard)
    return heard
  }

  async #noteEnd(following: Promise<void>, name: string): Promise<void> {
    await following.catch((error: unknown) => this.ended.push(`followers: ${name} ended: ${String(error)}`))
  }
}
