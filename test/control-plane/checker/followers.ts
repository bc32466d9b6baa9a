/** Those who follow bots: a stream for each bot and one for each team. They note what came, and come back after each fault. */
import { setTimeout as sleep } from 'node:timers/promises'
import { createStandinClient, followEvents, followTeam, StandinApiError } from '../../../packages/client/index.ts'

/** Ids of events of one bot in the order in which they came. */
export interface Heard {
  stream: string[]
  team: string[]
}

export class Followers {
  readonly heard = new Map<string, Heard>()
  /** Errors that ended a follower. */
  readonly ended: string[] = []
  readonly #url: string
  readonly #over = new AbortController()
  readonly #streams = new Set<Promise<void>>()
  readonly #teams: Promise<void>[] = []

  constructor(url: string) {
    this.#url = url
  }

  /** Streams whose bot is not over yet. */
  get streams(): number {
    return this.#streams.size
  }

  followTeam(apiKey: string): void {
    const { v2 } = createStandinClient({ baseUrl: this.#url, apiKey })
    const { signal } = this.#over
    const follow = async () => {
      for await (const { bot_id, id } of followTeam(v2, { signal, cursor: '0' })) this.#of(bot_id).team.push(id)
    }
    this.#teams.push(this.#noteEnd(insist(follow), 'the stream of a team'))
  }

  followBot(apiKey: string, botId: string): void {
    const { v2 } = createStandinClient({ baseUrl: this.#url, apiKey })
    const { signal } = this.#over
    const follow = async () => {
      for await (const { id } of followEvents(v2, botId, { signal })) this.#of(botId).stream.push(id)
    }
    const stream = this.#noteEnd(insist(follow), `the stream of bot ${botId}`).finally(() =>
      this.#streams.delete(stream),
    )
    this.#streams.add(stream)
  }

  async close(): Promise<void> {
    this.#over.abort()
    await Promise.all([...this.#streams, ...this.#teams])
  }

  #of(botId: string): Heard {
    const heard = this.heard.get(botId) ?? { stream: [], team: [] }
    this.heard.set(botId, heard)
    return heard
  }

  async #noteEnd(following: Promise<void>, name: string): Promise<void> {
    await following.catch((error: unknown) => this.ended.push(`followers: ${name} ended: ${String(error)}`))
  }
}

/** The client tries again by itself once its first connection was accepted. */
async function insist(follow: () => Promise<void>): Promise<void> {
  try {
    await follow()
  } catch (error) {
    if (!(error instanceof StandinApiError) || (error.status !== 0 && error.status !== 503)) throw error
    await sleep(200)
    await insist(follow)
  }
}
