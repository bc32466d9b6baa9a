/** The connection to an agent's server: kept open, opened again when it is lost, and renewed before the server ends it. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { backoff } from '@standin/wire/time/backoff.ts'
import { aborted } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock } from '../../packages/core/ports.ts'
import { ProviderError } from '../transcription/providers/provider-error.ts'
import type { AgentListener, AgentProvider, AgentSession, ToolDescription } from './types.ts'

const RETRY_MS = { first: 1_000, max: 30_000, jitter: 0.3 }
/** Failures in a row, together about four minutes; then the agent is given up. */
const MAX_FAILURES = 12
/** A session that lasted so long was a good one. */
const LASTS_MS = 30_000
/** From so long before the server's end on, the first quiet moment is used. A session of minutes has a share of its time. */
const RENEW_BEFORE_MS = 5 * 60_000
const RENEW_SHARE = 0.1
/** A session that ends sooner is a fault, and not renewed. */
const RENEW_AFTER_MS = 2_000
const LOOK_EVERY_MS = 500
/** Deepgram hangs up after ten seconds without a word from us. */
const KEEP_ALIVE_MS = 5_000

export interface ConnectionParts {
  provider: AgentProvider
  tools: readonly ToolDescription[]
  listener: Omit<AgentListener, 'onLost'>
  clock: Clock
  logger: Logger
  /** A new session is open, and knows nothing of the ones before. */
  onOpen(session: AgentSession): void
  onLost(): void
  /** `isForGood`: it is not tried again. */
  onProblem(sentence: string, isForGood: boolean): void
  /** Whether the session is not needed for a moment. */
  isIdle(): boolean
}

export class AgentConnection {
  readonly #parts: ConnectionParts
  readonly #over = new AbortController()
  readonly #work: Promise<void>
  #session: AgentSession | null = null
  #end: (reason: string | null) => void = () => {}

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    this.#work = this.#stayConnected()
  }

  /** Null while none is open. */
  get session(): AgentSession | null {
    return this.#session
  }

  /** The server does not do what it should: another session may be better. */
  renew(reason: string): void {
    this.#end(reason)
  }

  /** Repeatable. */
  async close(): Promise<void> {
    this.#over.abort()
    await this.#work
  }

  async #stayConnected(): Promise<void> {
    const { provider, clock, logger, onProblem, onLost } = this.#parts
    const { signal } = this.#over
    let failures = 0
    while (!signal.aborted) {
      const openedAt = clock.now()
      let reason: string | null
      let isForGood = false
      try {
        reason = await this.#live()
      } catch (error) {
        reason = messageOf(error)
        isForGood = error instanceof ProviderError && !error.isTransient
      }
      this.#session = null
      if (signal.aborted) return
      onLost()
      // Renewed in time.
      if (reason === null) continue
      failures = clock.now() - openedAt >= LASTS_MS ? 1 : failures + 1
      isForGood ||= failures >= MAX_FAILURES
      logger.warn('The session of the agent ended', { host: provider.host, reason, failures })
      if (failures === 1 || isForGood) onProblem(reason, isForGood)
      if (isForGood) return
      await clock.sleep(Math.round(backoff(RETRY_MS, failures)), signal).catch(() => {})
    }
  }

  /** Resolves with the reason of the end; null if a new session is to follow at once. */
  async #live(): Promise<string | null> {
    const { provider, tools, listener, clock, onOpen, isIdle } = this.#parts
    const { signal } = this.#over
    const lost = Promise.withResolvers<string | null>()
    this.#end = (reason) => {
      // What is asked in the same moment waits for the next one.
      this.#session = null
      lost.resolve(reason)
    }
    const session = await provider.open(tools, { ...listener, onLost: this.#end }, signal)
    this.#session = session
    const openedAt = clock.now()
    const marginMs = Math.min(RENEW_BEFORE_MS, (session.endsAt - openedAt) * RENEW_SHARE)
    const renewFrom = Math.max(session.endsAt - marginMs, openedAt + RENEW_AFTER_MS)
    const ended = new AbortController()
    const quiet = async () => {
      let aliveAt = openedAt
      while (clock.now() < renewFrom || !isIdle()) {
        await clock.sleep(LOOK_EVERY_MS, ended.signal)
        if (clock.now() - aliveAt < KEEP_ALIVE_MS) continue
        aliveAt = clock.now()
        session.keepAlive()
      }
      return null
    }
    try {
      onOpen(session)
      return await Promise.race([lost.promise, quiet(), aborted(signal).then(() => null)])
    } finally {
      ended.abort()
      session.close()
    }
  }
}
