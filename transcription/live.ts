/** A transcript that is made during the meeting: from its sound, by a provider, or from the platform's captions. */

import type { Person, Transcript } from '@standin/wire/events.ts'
import type { Logger } from '../core/logger.ts'
import type { CaptureEnvironment, Clock, LiveTranscript, RecordedTime, SpokenTurn } from '../core/ports.ts'
import { restartLoop } from '../core/process/restart-loop.ts'
import { CaptionAssembler, type CaptionWords } from './captions.ts'
import { LiveWords } from './live-words.ts'
import { inOneBreath, joined, utterancesOf } from './speakers.ts'
import type { HeardWords, LiveRecognition, Turn, Utterance, Word } from './types.ts'

/** Captures the sound server until it is stopped or fails: mono sound, signed 16 bit little-endian, 100 ms a message. */
type Hear = (
  environment: CaptureEnvironment,
  sampleRate: number,
  folder: string,
  listener: (message: Buffer) => void,
) => Promise<{ ended: Promise<{ text: string }>; stop(): Promise<unknown> }>

export interface LiveOptions {
  /** Null if words come as the platform's captions. */
  recognition: LiveRecognition | null
  capture: Hear
  /** Samples per second. */
  sampleRate: number
  /** For files of the capturing process. */
  folder: string
  clock: Clock
  logger: Logger
  /** Sends a notice of one sentence to the bot's events. */
  notice(message: string): void
  /** Final words in order, each once; partial ones a few times a second. */
  emit(transcript: Transcript): void
}

/** The result of a live transcript after the meeting. */
export interface LiveResult {
  /** Of captions, with the speakers that they name; else null. */
  utterances: Utterance[] | null
  /** Seconds of the recording. */
  words: Word[]
  languages: string[]
  /** The provider's final messages, unchanged. */
  raw: unknown[]
  /** One sentence about missing words; null if none are known to be missing. */
  gap: string | null
}

/** Partial words more often than this are more than people can read. */
const PARTIAL_EVERY_MS = 250
/** A sound process that exited is restarted after this; it exits only with the sound server, which ends the recording. */
const HEAR_AGAIN_MS = 2_000
const TICK_MS = 500
/** Turns that ended this long before a word have nothing to say about it. Seconds. */
const TURNS_BACK = 60
const MAX_RAW = 100_000

export class LiveTranscription implements LiveTranscript {
  readonly #options: LiveOptions
  readonly #over = new AbortController()
  readonly #captions = new CaptionAssembler((words) => this.#takeCaptionWords(words))
  readonly #speakers = new Map<string, Person | null>()
  readonly #words: Word[] = []
  readonly #utterances: Utterance[] = []
  readonly #languages = new Set<string>()
  readonly #raw: unknown[] = []
  #live: LiveWords | null = null
  #time: RecordedTime | null = null
  #isPaused = false
  #areCaptionsOn: boolean | null = null
  #partialReportedAt = Number.NEGATIVE_INFINITY
  #closing: Promise<void> | null = null

  constructor(options: LiveOptions) {
    this.#options = options
  }

  start(environment: CaptureEnvironment, time: RecordedTime): void {
    if (this.#time !== null || this.#closing !== null) return
    this.#time = time
    const { recognition } = this.#options
    if (recognition === null) void this.#keepTicking()
    else {
      this.#live = new LiveWords({ ...this.#options, recognition, onWords: (heard) => this.#takeHeard(heard) })
      void this.#keepHearing(environment, this.#live)
    }
  }

  takeCaption(event: Parameters<LiveTranscript['takeCaption']>[0]): void {
    if (event.type === 'captions') {
      if (!event.areOn && this.#areCaptionsOn !== false)
        this.#options.notice('Captions cannot be turned on in this meeting; there are no words from them.')
      this.#areCaptionsOn = event.areOn
      return
    }
    if (this.#time === null || this.#options.recognition !== null || this.#closing !== null) return
    this.#areCaptionsOn = true
    const { type: _, participantId, name, ...row } = event
    const speaker = participantId ?? `name:${name}`
    this.#speakers.set(speaker, this.#time.person(participantId, name))
    this.#captions.onUpdate({ ...row, speaker }, this.#options.clock.now())
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#live?.break()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** After `close`. */
  result(): LiveResult {
    const isByCaptions = this.#options.recognition === null
    const noCaptions = this.#areCaptionsOn === true ? null : 'Captions could not be turned on.'
    return {
      utterances: isByCaptions ? inOneBreath(this.#utterances) : null,
      words: this.#words.toSorted((one, other) => one.start - other.start),
      languages: [...this.#languages],
      raw: this.#raw,
      gap: isByCaptions ? noCaptions : this.#live === null ? 'Nothing was recorded.' : this.#live.gap,
    }
  }

  async #close(): Promise<void> {
    this.#over.abort()
    await this.#live?.close()
    this.#captions.finish()
    const { length: words } = this.#words
    this.#options.logger.info('The live transcript ends', { words, utterances: this.#utterances.length })
  }

  #keepHearing(environment: CaptureEnvironment, live: LiveWords): Promise<void> {
    const { clock, logger, capture, sampleRate, folder } = this.#options
    const { signal } = this.#over
    let deafSince: number | null = null
    const start = () =>
      capture(environment, sampleRate, folder, (message) => {
        if (signal.aborted || this.#isPaused) return
        if (deafSince !== null) live.break((clock.now() - deafSince) / 1000)
        deafSince = null
        live.send(message)
      })
    const onBroken = (reason: string) => {
      logger.warn('The sound for the live transcript broke off', { reason })
      deafSince ??= clock.now()
    }
    return restartLoop({ start, retryMs: HEAR_AGAIN_MS, clock, signal, onBroken })
  }

  async #keepTicking(): Promise<void> {
    const { clock } = this.#options
    const { signal } = this.#over
    while (!signal.aborted) {
      this.#captions.tick(clock.now())
      await clock.sleep(TICK_MS, signal).catch(() => {})
    }
  }

  #takeHeard({ isFinal, words: heard, language, raw }: HeardWords): void {
    if (isFinal && this.#raw.length < MAX_RAW) this.#raw.push(raw)
    if (isFinal && language !== null) this.#languages.add(language)
    const words = this.#recorded(heard)
    if (words.length === 0) return
    if (isFinal) this.#words.push(...words)
    const utterances = utterancesOf(words, this.#turnsNear(words[0]!.start), language)
    if (isFinal) for (const utterance of utterances) this.#emitFinal(utterance, this.#personOf(utterance))
    else this.#emitPartial(words, this.#personOf(utterances.at(-1)!), language)
  }

  #takeCaptionWords({ speaker, isFinal, words: shown }: CaptionWords): void {
    const words = this.#recorded(shown.map((word) => ({ ...word, confidence: null })))
    if (words.length === 0) return
    const { start } = words[0]!
    const { end } = words.at(-1)!
    const text = joined(words)
    const known = this.#speakers.get(speaker) ?? null
    const name = known?.name ?? (speaker.startsWith('name:') ? speaker.slice('name:'.length) : '')
    const named: Utterance = { speaker: name, userId: known?.id ?? null, start, end, text, language: null, words }
    // A platform that shows no names leaves it to the turns.
    const utterances = name === '' ? utterancesOf(words, this.#turnsNear(start), null) : [named]
    const personOf = (utterance: Utterance) => known ?? this.#personOf(utterance)
    if (!isFinal) {
      this.#emitPartial(words, personOf(utterances.at(-1)!), null)
      return
    }
    for (const utterance of utterances) this.#emitFinal(utterance, personOf(utterance))
    this.#utterances.push(...utterances)
    if (this.#raw.length < MAX_RAW) this.#raw.push({ speaker: name, participant: known, text, start, end })
  }

  /** UTC instants become seconds of the recording; what was said in a pause is gone. */
  #recorded(words: readonly Word[]): Word[] {
    const time = this.#time
    if (time === null) return []
    return words.flatMap((word) => {
      const start = time.offset(word.start)
      const end = time.offset(word.end)
      const length = (word.end - word.start) / 1000
      if (start === null && end === null) return []
      return { ...word, start: start ?? Math.max(0, end! - length), end: end ?? start! + length }
    })
  }

  #turnsNear(second: number): (Turn & { person: Person })[] {
    const turns: SpokenTurn[] = this.#time?.turns() ?? []
    return turns
      .filter(({ end }) => end > second - TURNS_BACK)
      .map(({ person, start, end }) => ({ person, speaker: person.name, userId: person.id, start, end }))
  }

  #personOf({ userId, start }: Utterance): Person | null {
    if (userId === null) return null
    return this.#turnsNear(start).find(({ person }) => person.id === userId)?.person ?? null
  }

  #emitFinal({ text, start, end, language }: Utterance, speaker: Person | null): void {
    this.#options.emit({ type: 'transcript', text, is_final: true, speaker, start, end, language })
    this.#partialReportedAt = Number.NEGATIVE_INFINITY
  }

  #emitPartial(words: readonly Word[], speaker: Person | null, language: string | null): void {
    const now = this.#options.clock.now()
    if (now - this.#partialReportedAt < PARTIAL_EVERY_MS) return
    this.#partialReportedAt = now
    const { start } = words[0]!
    const { end } = words.at(-1)!
    this.#options.emit({ type: 'transcript', text: joined(words), is_final: false, speaker, start, end, language })
  }
}
