/**
 * Words during the meeting: sound goes to a provider, words come back with the instants at which they were said.
 * A connection that breaks is opened again, and sound that has no words yet is sent once more.
 */

import { messageOf } from '@standin/wire/text/error-text.ts'
import { backoff } from '@standin/wire/time/backoff.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock } from '../../packages/core/ports.ts'
import { ProviderError } from './providers/provider-error.ts'
import { SoundClock } from './sound-clock.ts'
import type { HeardWords, LiveConnection, LiveRecognition } from './types.ts'

export interface LiveWordsOptions {
  recognition: LiveRecognition
  clock: Clock
  logger: Logger
  /** Sends a notice of one sentence to the bot's events. */
  notice(message: string): void
  /**
   * `start` and `end` are UTC milliseconds. Final words come once, and replace those that were not. `turn` counts the
   * finals: words that replace each other have the same number.
   */
  onWords(heard: Omit<HeardWords, 'until' | 'ahead'> & { turn: number }): void
}

/** Sound that was recorded and has no words, in UTC milliseconds. */
export interface Hole {
  from: number
  to: number
}

/** So much sound waits for a connection, or to be sent again; 2 MB at 16 kHz. */
const KEPT_SECONDS = 60
/** After a break, sound goes out faster than it comes in, but not all at once: a service refuses a flood. */
const MESSAGES_AT_ONCE = 5
const SEND_EVERY_MS = 100
/** Deepgram hangs up after ten seconds without a word from us (its documentation, "Audio Keep Alive"). */
const KEEP_ALIVE_MS = 4_000
const FINISH_MS = 4_000
const RETRY_MS = { first: 500, max: 8_000, jitter: 0.3 }
/** Words that were final reach a little into the ones that follow when sound is sent again. */
const OVERLAP_SECONDS = 0.05
const ROUNDING = 0.001

interface Message {
  /** Seconds of all sound so far, pauses left out. */
  start: number
  end: number
  samples: Uint8Array
}

export class LiveWords {
  readonly #options: LiveWordsOptions
  readonly #times = new SoundClock()
  readonly #over = new AbortController()
  readonly #work: Promise<void>
  #kept: Message[] = []
  #connection: LiveConnection | null = null
  #heard = 0
  #sent = 0
  #isSending = false
  /** Seconds at which turns end. */
  #cuts: number[] = []
  /** Words up to here are final. */
  #finalEnd = 0
  #finals = 0
  #lastSentAt = 0
  readonly #holes: Hole[] = []
  #failure: string | null = null

  constructor(options: LiveWordsOptions) {
    this.#options = options
    this.#work = this.#stayConnected()
    void this.#stayAlive()
  }

  /** Why there are no words from some moment on, in one sentence; null if there is no such reason. */
  get failure(): string | null {
    return this.#failure
  }

  get holes(): readonly Hole[] {
    return this.#holes
  }

  /** The last of `samples` was heard at this UTC instant; absent: just now. */
  send(samples: Uint8Array, at = this.#options.clock.now()): void {
    const start = this.#heard
    this.#heard += samples.byteLength / 2 / this.#options.recognition.sampleRate
    this.#times.add(start, this.#heard, at)
    this.#kept.push({ start, end: this.#heard, samples })
    this.#forget()
    void this.#sendKept()
  }

  /** Another person speaks from here on, or the speaker pauses. */
  cut(): void {
    this.#cuts.push(this.#heard)
    if (this.#sent >= this.#heard) this.#connection?.cut?.()
  }

  /** The next sound does not continue the previous one. `lost`: sound between them. */
  break(lost?: Hole): void {
    this.#times.break()
    if (lost !== undefined) this.#holes.push(lost)
  }

  /** Requests the words of the remaining sound. Repeatable, never rejects. */
  async close(): Promise<void> {
    if (!this.#over.signal.aborted) {
      const connection = this.#connection
      if (connection !== null) this.#send(Number.POSITIVE_INFINITY)
      const hasAll = connection !== null && (await connection.finish(AbortSignal.timeout(FINISH_MS)))
      if (!hasAll) for (const { start, end } of this.#kept) if (end > this.#finalEnd) this.#lose(start, end)
      this.#over.abort()
    }
    await this.#work
  }

  async #stayConnected(): Promise<void> {
    const { recognition, clock, logger, notice } = this.#options
    const { signal } = this.#over
    let failures = 0
    while (!signal.aborted) {
      let reason: string
      try {
        const lost = Promise.withResolvers<{ reason: string; isForGood: boolean }>()
        // Counted from the first sound that this connection gets.
        let base = 0
        const connection = await recognition.open(
          {
            heard: (words) => {
              failures = 0
              this.#onWords(words, base)
            },
            lost: (why, isForGood = false) => lost.resolve({ reason: why, isForGood }),
          },
          signal,
        )
        base = this.#kept[0]?.start ?? this.#heard
        this.#sent = base
        this.#connection = connection
        void this.#sendKept()
        const onOver = () => lost.resolve({ reason: '', isForGood: false })
        signal.addEventListener('abort', onOver, { once: true })
        // Not every service is left while it opens.
        if (signal.aborted) onOver()
        const end = await lost.promise
        reason = end.reason
        signal.removeEventListener('abort', onOver)
        connection.close()
        if (end.isForGood) {
          this.#connection = null
          this.#giveUp(`Live recognition was given up: ${reason}.`)
          return
        }
      } catch (error) {
        reason = messageOf(error)
        if (!signal.aborted && error instanceof ProviderError && !error.isTransient) {
          this.#giveUp(`Live recognition is not possible: ${reason}.`)
          return
        }
      }
      this.#connection = null
      if (signal.aborted) return
      logger.warn('Live recognition broke off and is begun again', { reason, failures })
      if (failures === 0) notice(`Live recognition was interrupted: ${reason}.`)
      failures++
      await clock.sleep(backoff(RETRY_MS, failures), signal).catch(() => {})
    }
  }

  #giveUp(sentence: string): void {
    this.#failure = sentence
    this.#options.notice(sentence)
  }

  async #stayAlive(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#over
    while (!signal.aborted) {
      await clock.sleep(KEEP_ALIVE_MS, signal).catch(() => {})
      if (clock.now() - this.#lastSentAt >= KEEP_ALIVE_MS) this.#connection?.keepAlive()
    }
  }

  /** Sound that waits goes out also while none comes in. */
  async #sendKept(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    const { signal } = this.#over
    for (;;) {
      this.#send(MESSAGES_AT_ONCE)
      if (this.#connection === null || this.#sent >= this.#heard || signal.aborted) break
      await this.#options.clock.sleep(SEND_EVERY_MS, signal).catch(() => {})
    }
    this.#isSending = false
  }

  #send(most: number): void {
    const connection = this.#connection
    if (connection === null) return
    let left = most
    for (const { start, end, samples } of this.#kept) {
      if (start < this.#sent) continue
      if (left-- <= 0) return
      connection.send(samples)
      if (this.#cuts.some((cut) => cut > start && cut <= end)) connection.cut?.()
      this.#sent = end
      this.#lastSentAt = this.#options.clock.now()
    }
  }

  /** Of sound that a provider has, some is kept for the case that it breaks off before its words are final. */
  #forget(): void {
    while (this.#kept.length > 0 && this.#heard - this.#kept[0]!.start > KEPT_SECONDS) {
      const { start, end } = this.#kept.shift()!
      if (this.#connection === null || start >= this.#sent) this.#lose(start, end)
    }
    const oldest = this.#kept[0]?.start ?? this.#heard
    if (this.#cuts[0] !== undefined && this.#cuts[0] < oldest) this.#cuts = this.#cuts.filter((cut) => cut >= oldest)
  }

  #lose(start: number, end: number): void {
    const [from, to] = [this.#times.instant(start), this.#times.instant(end)]
    const last = this.#holes.at(-1)
    if (last !== undefined && from >= last.from && from - last.to < 1000) last.to = Math.max(last.to, to)
    else this.#holes.push({ from, to })
  }

  #onWords({ isFinal, words, language, raw, until, ahead = 0 }: HeardWords, base: number): void {
    // Repeated sound begins exactly at the last `until`; without one, a little of the words before may be recognized again.
    const known = until === undefined ? this.#finalEnd + (base > 0 ? OVERLAP_SECONDS : 0) : Number.NEGATIVE_INFINITY
    const fresh = words
      .map((word) => ({ ...word, start: word.start + base, end: word.end + base }))
      .filter(({ start, end }) => (start + end) / 2 > known)
    const turn = this.#finals + ahead
    if (isFinal) {
      const end = until === undefined ? fresh.reduce((latest, { end }) => Math.max(latest, end), 0) : base + until
      this.#finalEnd = Math.max(this.#finalEnd, end)
      this.#kept = this.#kept.filter(({ end }) => end > this.#finalEnd + ROUNDING)
      this.#finals++
    }
    const timed = fresh.map((word) => {
      const start = this.#times.instant(word.start)
      return { ...word, start, end: Math.max(start, this.#times.instant(word.end)) }
    })
    this.#options.onWords({ isFinal, words: timed, language, raw, turn })
  }
}
