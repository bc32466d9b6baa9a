/**
 * An encoder that runs before it is known whether there is anything to record. Its output stays in memory. The recording
 * can begin with it, at any moment that the encoder has captured.
 */
import { endsWithin, within } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../packages/core/logger.ts'
import type { Clock } from '../packages/core/ports.ts'
import type { Capture, CaptureListener } from './capture.ts'
import { HeldSegment, type SegmentPart, type SegmentStart } from './held-segment.ts'

/** A fresh encoder takes the place of one of this age: only at first can it be cut at nearly any picture. */
const RENEW_MS = 50_000
/** A proof that came before the fresh one ran is known after so long. */
const OVERLAP_MS = 3_000
const FIRST_MS = 5_000

/** An encoder whose span has begun. */
export interface Begun {
  capture: Capture
  start: SegmentStart
  /** From now on its news goes here, its silences since the start first; its times are still those of the encoder. */
  sendTo(listener: CaptureListener): void
}

export interface StandByParts {
  hasPicture: boolean
  start(onBytes: (bytes: Uint8Array) => Promise<void>, listener: CaptureListener, signal: AbortSignal): Promise<Capture>
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn'>
  renewMs?: number
  overlapMs?: number
}

export class StandBy {
  readonly #parts: StandByParts
  /** The oldest first; two only while one takes the place of the other. */
  #standing: Standing[] = []
  #over: AbortController | null = null
  #loop: Promise<void> = Promise.resolve()
  #added: Promise<void> = Promise.resolve()

  constructor(parts: StandByParts) {
    this.#parts = parts
  }

  /** Starts to stand by, or restarts. `mayRenew` answers whether there is no proof of admission yet. Never rejects. */
  begin(mayRenew: () => boolean): void {
    const earlier = this.end()
    const over = new AbortController()
    this.#over = over
    this.#loop = earlier
      .then(() => this.#run(mayRenew, over.signal))
      .catch((error) => {
        if (!over.signal.aborted) this.#parts.logger.warn('No encoder stands by', { error })
      })
  }

  /**
   * The encoder whose recording begins at `from` (UTC milliseconds) or as soon after as one has seen; null if there is
   * none. The others end, and nothing stands by any more. Never rejects.
   */
  async takeOver(from: number, limitMs: number, sink: (part: SegmentPart) => Promise<void>): Promise<Begun | null> {
    await this.#firstRuns()
    await this.#stop()
    const alive = this.#standing.filter(({ hasFailed }) => !hasFailed)
    const chosen = alive.findLast(({ capture }) => capture.startedAt <= from) ?? alive[0] ?? null
    const others = this.#standing.filter((standing) => standing !== chosen)
    this.#standing = []
    for (const other of others) other.end()
    if (chosen === null) return null
    try {
      const start = await chosen.begin(from, sink, this.#parts.clock, limitMs)
      return { capture: chosen.capture, start, sendTo: (listener) => chosen.sendTo(listener, start.seconds) }
    } catch (error) {
      this.#parts.logger.warn('The advance recording is lost', { error })
      chosen.end()
      return null
    }
  }

  /** Repeatable, never rejects. */
  async end(): Promise<void> {
    await this.#stop()
    await Promise.all(this.#standing.splice(0).map((standing) => standing.end()))
  }

  /** One that starts already is there sooner than a fresh one. */
  async #firstRuns(): Promise<void> {
    if (this.#over === null || this.#standing.length > 0) return
    const { clock } = this.#parts
    await endsWithin(clock, FIRST_MS, this.#added).catch(() => {})
  }

  async #stop(): Promise<void> {
    this.#over?.abort(new Error('Nothing stands by any more'))
    this.#over = null
    await this.#loop
  }

  async #run(mayRenew: () => boolean, signal: AbortSignal): Promise<void> {
    const { clock, logger, renewMs = RENEW_MS, overlapMs = OVERLAP_MS } = this.#parts
    this.#added = this.#add(signal)
    this.#added.catch(() => {})
    await this.#added
    logger.info('An encoder stands by')
    for (;;) {
      await clock.sleep(renewMs, signal)
      if (!mayRenew()) return
      await this.#add(signal)
      await clock.sleep(overlapMs, signal)
      // If admission was proven meanwhile, the older one has captured it from the first moment.
      const [older] = this.#standing
      const isOlderWanted = !mayRenew() && older?.hasFailed === false
      for (const standing of this.#standing.splice(isOlderWanted ? 1 : 0, 1)) void standing.end()
      if (isOlderWanted) return
    }
  }

  async #add(signal: AbortSignal): Promise<void> {
    const held = new HeldSegment(this.#parts.hasPicture)
    const news = new News()
    const capture = await this.#parts.start(held.append, news, signal)
    this.#standing.push(new Standing(capture, held, news))
  }
}

class Standing {
  readonly capture: Capture
  readonly #held: HeldSegment
  readonly #news: News

  constructor(capture: Capture, held: HeldSegment, news: News) {
    this.capture = capture
    this.#held = held
    this.#news = news
  }

  get hasFailed(): boolean {
    return this.#news.failure !== null
  }

  async begin(
    from: number,
    sink: (part: SegmentPart) => Promise<void>,
    clock: Clock,
    limitMs: number,
  ): Promise<SegmentStart> {
    const begun = this.#held.begin((from - this.capture.startedAt) / 1000, sink)
    const late = () => new Error(`The encoder that stood by gave nothing within ${limitMs / 1000} s`)
    return within(clock, limitMs, begun, late)
  }

  sendTo(listener: CaptureListener, fromSeconds: number): void {
    this.#news.passOn(listener, fromSeconds)
  }

  /** Discards the advance recording. Never rejects. */
  end(): Promise<void> {
    const stopped = this.capture.stop()
    this.capture.kill()
    return stopped
  }
}

/** Reports of an encoder that stands by, kept until the recording listens: whether it is silent, and that it failed. */
class News implements CaptureListener {
  #listener: CaptureListener | null = null
  readonly #silences: { isSilent: boolean; seconds: number }[] = []
  failure: { error: Error; isTaken: boolean } | null = null

  passOn(listener: CaptureListener, fromSeconds: number): void {
    this.#listener = listener
    const before = this.#silences.findLast(({ seconds }) => seconds <= fromSeconds)
    if (before?.isSilent) listener.silence(true, fromSeconds)
    for (const { isSilent, seconds } of this.#silences) if (seconds > fromSeconds) listener.silence(isSilent, seconds)
    if (this.failure !== null) listener.failed(this.failure.error, this.failure.isTaken)
  }

  progress: CaptureListener['progress'] = (progress) => this.#listener?.progress(progress)

  silence: CaptureListener['silence'] = (isSilent, seconds) => {
    if (this.#listener === null) this.#silences.push({ isSilent, seconds })
    else this.#listener.silence(isSilent, seconds)
  }

  report: CaptureListener['report'] = (line) => this.#listener?.report(line)

  failed: CaptureListener['failed'] = (error, isTaken) => {
    this.failure = { error, isTaken }
    this.#listener?.failed(error, isTaken)
  }
}
