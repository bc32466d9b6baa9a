/** Logs of bots that are being stopped: their node removes them with the pod, so they are read up to the last line. */
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
    let onOpen = () => {}
    const opened = new Promise<void>((resolve) => {
      onOpen = resolve
      setTimeout(resolve, OPEN_MS).unref()
    })
    const patienceMs = graceSeconds * 1000 + READ_MS
    this.#followed.set(bot, readLog(this.#cluster, this.#place(pod), { follows: true, patienceMs, onOpen }))
    await opened
  }

  /** Reads the end of the log of a bot that has ended. */
  async of(bot: string, pod: string): Promise<string | null> {
    const late = new Promise<null>((resolve) => setTimeout(resolve, READ_MS, null).unref())
    const followed = await Promise.race([this.#followed.get(bot) ?? null, late])
    if (followed !== null) return followed
    return readLog(this.#cluster, this.#place(pod), { follows: false, patienceMs: READ_MS })
  }

  drop(bot: string): void {
    this.#followed.delete(bot)
  }

  #place(name: string) {
    return { namespace: this.#namespace, name }
  }
}
