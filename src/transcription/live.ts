/** A transcript that is made during the meeting: from its sound, by a provider, or from the platform's captions. */

import type { Person, Transcript } from '@standin/wire/events.ts'
import type { Logger } from '../../packages/core/logger.ts'
import { OWN_ID } from '../../packages/core/meeting/meeting.ts'
import type {
  CaptureEnvironment,
  Clock,
  LiveTranscript,
  ParticipantAudio,
  RecordedTime,
  SpokenTurn,
} from '../../packages/core/ports.ts'
import { restartLoop } from '../../packages/core/process/restart-loop.ts'
import { CaptionAssembler, type CaptionWords } from './captions.ts'
import { type Hole, LiveWords, type LiveWordsOptions } from './live-words.ts'
import { inOneBreath, joined, utterancesOf } from './speakers.ts'
import type { LiveRecognition, Turn, Utterance, Word } from './types.ts'
import { Voices } from './voices.ts'

type Heard = Parameters<LiveWordsOptions['onWords']>[0]

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
  /** The platform gives the voices apart, so that each has a separate recognizer. */
  hearsVoices: boolean
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
  utterances: Utterance[]
  /** Those of a recognizer, which hears people mixed. Seconds of the recording. */
  words: Word[]
  languages: string[]
  /** The provider's final messages, unchanged. */
  raw: unknown[]
  /** Why the transcript is not whole, in one sentence; null if all words are there, but for those in the holes. */
  gap: string | null
  /** Seconds of the recording without words; `userId`: of this person only. */
  holes: { start: number; end: number; userId: number | null }[]
}

/** Partial words more often than this are more than people can read. */
const PARTIAL_EVERY_MS = 150
/** Holes that are nearer than this are one. Seconds. */
const NEAR = 1
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
  readonly #holes: LiveResult['holes'] = []
  readonly #partials = new Map<string, Transcript>()
  readonly #shown = new Set<string>()
  readonly #notices = new Set<string>()
  #isPacing = false
  #live: LiveWords | null = null
  #voices: Voices | null = null
  /** Null where voices do not come apart anyway. */
  #captureMixed: (() => void) | null = null
  #speaker: string | null = null
  #time: RecordedTime | null = null
  #isPaused = false
  #areCaptionsOn: boolean | null = null
  #closing: Promise<void> | null = null

  constructor(options: LiveOptions) {
    this.#options = options
  }

  start(environment: CaptureEnvironment, time: RecordedTime): void {
    if (this.#time !== null || this.#closing !== null) return
    this.#time = time
    const { recognition } = this.#options
    if (recognition === null) void this.#keepTicking()
    else if (this.#options.hearsVoices) {
      const onWords = (participantId: string, session: number, heard: Heard) =>
        this.#takeHeard(heard, `v${session}.`, participantId)
      this.#voices = new Voices({ ...this.#options, recognition, notice: this.#noticeOnce, onWords })
      this.#captureMixed = () => this.#captureMix(environment, recognition)
    } else this.#captureMix(environment, recognition)
  }

  onSpeaker(participantId: string, isSpeaking: boolean): void {
    if (!isSpeaking || participantId === this.#speaker) return
    this.#speaker = participantId
    this.#live?.cut()
  }

  takeVoice(voice: ParticipantAudio): void {
    // The recording has no sound of a pause.
    if (!this.#isPaused && this.#live === null) this.#voices?.add(voice)
  }

  hearMixed(since: number): void {
    if (this.#captureMixed === null || this.#live !== null || this.#closing !== null) return
    this.#options.logger.warn('A voice does not come apart; the live transcript hears them mixed')
    const [start, end] = [since, this.#options.clock.now()].map((at) => this.#time!.offset(at) ?? 0)
    this.#holes.push({ start: start!, end: end!, userId: null })
    this.#captureMixed()
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
    const mixed = utterancesOf(this.#words, this.#turns(), [...this.#languages][0] ?? null)
    return {
      utterances: inOneBreath([...this.#utterances, ...mixed]),
      words: this.#words.toSorted((one, other) => one.start - other.start),
      languages: [...this.#languages],
      raw: this.#raw,
      gap: isByCaptions ? noCaptions : this.#failure,
      holes: this.#holes,
    }
  }

  get #failure(): string | null {
    if (this.#live === null && this.#voices === null) return 'Nothing was recorded.'
    return this.#live?.failure ?? this.#voices?.failure ?? null
  }

  readonly #noticeOnce = (sentence: string) => {
    if (this.#notices.has(sentence)) return
    this.#notices.add(sentence)
    this.#options.notice(sentence)
  }

  #captureMix(environment: CaptureEnvironment, recognition: LiveRecognition): void {
    this.#live = new LiveWords({ ...this.#options, recognition, onWords: (heard) => this.#takeHeard(heard, 'm', null) })
    void this.#keepHearing(environment, this.#live, recognition.sampleRate)
  }

  async #close(): Promise<void> {
    this.#over.abort()
    await Promise.all([this.#live?.close(), this.#voices?.close()])
    this.#captions.finish()
    for (const hole of this.#live?.holes ?? []) this.#addHole(hole, null)
    for (const hole of this.#voices?.holes ?? [])
      this.#addHole(hole, this.#time?.person(hole.participantId, '')?.id ?? null)
    const { length: words } = this.#words
    this.#options.logger.info('The live transcript ends', { words, utterances: this.#utterances.length })
  }

  #addHole({ from, to }: Hole, userId: number | null): void {
    const [place] = this.#recorded([{ word: '', start: from, end: to, confidence: null }])
    if (place === undefined) return
    const { start, end } = place
    const known = this.#holes.find((hole) => hole.userId === userId && start <= hole.end + NEAR && end >= hole.start)
    if (known === undefined) this.#holes.push({ start, end, userId })
    else Object.assign(known, { start: Math.min(known.start, start), end: Math.max(known.end, end) })
  }

  #keepHearing(environment: CaptureEnvironment, live: LiveWords, sampleRate: number): Promise<void> {
    const { clock, logger, capture, folder } = this.#options
    const { signal } = this.#over
    let deafSince: number | null = null
    const start = () =>
      capture(environment, sampleRate, folder, (message) => {
        if (signal.aborted || this.#isPaused) return
        if (deafSince !== null) live.break({ from: deafSince, to: clock.now() })
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

  #takeHeard({ isFinal, words: heard, language, raw, turn }: Heard, prefix: string, voice: string | null): void {
    if (isFinal && this.#raw.length < MAX_RAW) this.#raw.push(raw)
    if (isFinal && language !== null) this.#languages.add(language)
    const id = `${prefix}${turn}`
    const words = this.#recorded(heard)
    if (words.length === 0) {
      if (isFinal) this.#takeBack(id)
      return
    }
    const person = voice === null ? null : (this.#time?.person(voice, '') ?? null)
    const turns = person === null ? this.#turnsNear(words[0]!.start) : turnOf(person, words)
    const utterances = utterancesOf(words, turns, language)
    const personOf = (utterance: Utterance) => person ?? this.#personOf(utterance)
    if (!isFinal) {
      this.#emitPartial(id, words, personOf(utterances.at(-1)!), language)
      return
    }
    for (const [index, utterance] of utterances.entries())
      this.#emitFinal(index === 0 ? id : `${id}.${index}`, utterance, personOf(utterance))
    if (voice === null) this.#words.push(...words)
    else this.#utterances.push(...utterances)
  }

  #takeCaptionWords({ id, speaker, isFinal, words: shown }: CaptionWords): void {
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
      this.#emitPartial(id, words, personOf(utterances.at(-1)!), null)
      return
    }
    for (const [index, utterance] of utterances.entries())
      this.#emitFinal(index === 0 ? id : `${id}.${index}`, utterance, personOf(utterance))
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
    return this.#turns().filter(({ end }) => end > second - TURNS_BACK)
  }

  /** A recognizer never hears the bot's voice; what it hears then is a person who talks at the same time. */
  #turns(): (Turn & { person: Person })[] {
    const turns: SpokenTurn[] = this.#time?.turns() ?? []
    const hasOwn = this.#options.recognition === null
    return turns
      .filter(({ person }) => hasOwn || person.platform_id !== OWN_ID)
      .map(({ person, start, end }) => ({ person, speaker: person.name, userId: person.id, start, end }))
  }

  #personOf({ userId, start }: Utterance): Person | null {
    if (userId === null) return null
    return this.#turnsNear(start).find(({ person }) => person.id === userId)?.person ?? null
  }

  #emitFinal(id: string, { text, start, end, language }: Utterance, speaker: Person | null): void {
    this.#partials.delete(id)
    this.#shown.delete(id)
    this.#options.emit({ type: 'transcript', id, text, is_final: true, speaker, start, end, language })
  }

  #emitPartial(id: string, words: readonly Word[], speaker: Person | null, language: string | null): void {
    const { start } = words[0]!
    const { end } = words.at(-1)!
    this.#show({ type: 'transcript', id, text: joined(words), is_final: false, speaker, start, end, language })
  }

  /** Partial words turned out to be none. */
  #takeBack(id: string): void {
    this.#partials.delete(id)
    if (!this.#shown.delete(id)) return
    const nothing = { is_final: false, speaker: null, start: 0, end: 0, language: null }
    this.#options.emit({ type: 'transcript', id, text: '', ...nothing })
  }

  /** Of each turn the newest words are shown, at once if none were shown a moment ago. */
  #show(partial: Transcript): void {
    this.#partials.set(partial.id!, partial)
    if (!this.#isPacing) void this.#pace()
  }

  async #pace(): Promise<void> {
    const { clock, emit } = this.#options
    this.#isPacing = true
    while (this.#partials.size > 0) {
      for (const [id, partial] of this.#partials) {
        this.#shown.add(id)
        emit(partial)
      }
      this.#partials.clear()
      await clock.sleep(PARTIAL_EVERY_MS, this.#over.signal).catch(() => {})
    }
    this.#isPacing = false
  }
}

function turnOf({ name, id }: Person, words: readonly Word[]): Turn[] {
  return [{ speaker: name, userId: id, start: words[0]!.start, end: words.at(-1)!.end }]
}
