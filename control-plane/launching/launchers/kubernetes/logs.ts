/** Logs of bots that are being stopped: their node removes them with the pod, so they are read up to the last line. */
import { endsWithin, systemClock } from '@standin/wire/time/deadline.ts'
import { type Cluster, readLog } from './cluster.ts'

/** Limit for one read. */
const READ_MS = 20_000
/** How long a stop waits for a log to open before it continues without it. */
const OPEN_MS = 3_000
/** Logs that are kept at once, 64 KiB each. */
const MAX_LOGS = 1_000

export class LogKeeper {
  readonly #cluster: Cluster
  readonly #namespace: string
  /** By the name of the bot. */
  readonly #followed = new Map<string, Promise<string | null>>()

  constructor(cluster: Cluster, namespace: string) {
    this.#cluster = cluster
    this.#namespace = namespace
  }

  /** Resolves when the log comes, and keeps what comes until the bot has ended. */
  async follow(bot: string, pod: string, graceSeconds: number): Promise<void> {
    if (this.#followed.has(bot) || this.#followed.size >= MAX_LOGS) return
    const { promise: opened, resolve: onOpen } = Promise.withResolvers<void>()
    const patienceMs = graceSeconds * 1000 + READ_MS
    this.#followed.set(bot, readLog(this.#cluster, this.#place(pod), { follows: true, patienceMs, onOpen }))
    await endsWithin(systemClock, OPEN_MS, opened)
  }

  /** Reads the end of the log of a bot that has ended. */
  async of(bot: string, pod: string): Promise<string | null> {
    const following = this.#followed.get(bot)
    const text = following && (await endsWithin(systemClock, READ_MS, following)) ? await following : null
    if (text !== null) return text
    return readLog(this.#cluster, this.#place(pod), { follows: false, patienceMs: READ_MS })
  }

  drop(bot: string): void {
    this.#followed.delete(bot)
  }

  #place(name: string) {
    return { namespace: this.#namespace, name }
  }
}
