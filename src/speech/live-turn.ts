/** A live session in the events of OpenAI's Realtime interface: sound comes in, the client ends turns, their words go out. */
import { randomUUID } from 'node:crypto'
import { problemOfLanguage } from '@standin/wire/speech-access.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { z } from 'zod'
import { SAMPLE_RATE } from './engine.ts'
import { type Recognizers, TooLate } from './recognizers.ts'
import { sherpa } from './sherpa.ts'
import { openDetector } from './voices.ts'

interface LiveOptions {
  recognizers: Recognizers
  engine: string
  models: string
  send(event: object): void
  signal: AbortSignal
}

/** An open turn is recognized at these lengths, so that its words are seen while it goes on. Seconds. */
const PARTIAL_AT = [1, 2, 3.5, 5.5, 8, 11, 14.5, 18.5, 23]
/** Of one message, in base64: eight seconds. */
const MAX_AUDIO = 600_000
/** A turn that is longer is ended here. Seconds. */
const MAX_TURN = 35
const RATES = [SAMPLE_RATE, 24_000]

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('session.update'),
    session: z.looseObject({
      audio: z
        .looseObject({
          input: z
            .looseObject({
              format: z.looseObject({ rate: z.number().optional() }).nullish(),
              transcription: z
                .looseObject({ language: z.union([z.string(), z.array(z.string())]).nullish() })
                .nullish(),
            })
            .nullish(),
        })
        .nullish(),
    }),
  }),
  z.object({ type: z.literal('input_audio_buffer.append'), audio: z.string().max(MAX_AUDIO) }),
  z.object({
    type: z.literal('input_audio_buffer.commit'),
    /** Ours alone: where in the sound of the turn it ended; what comes after it begins the next one. */
    audio_end_ms: z.number().min(0).optional(),
  }),
  z.object({ type: z.literal('input_audio_buffer.clear') }),
])
const TRANSCRIPTION = 'conversation.item.input_audio_transcription'

export class LiveSession {
  readonly #options: LiveOptions
  readonly #languages: readonly string[] | null
  #rate = 24_000
  #resampler: { resample(samples: Float32Array): Float32Array } | null = null
  #detector
  #wasSpeaking = false
  #turn: OpenTurn | null = null
  /** Answers come in the order of the turns. */
  #last: Promise<void> = Promise.resolve()

  constructor(options: LiveOptions, languages: readonly string[] | null) {
    this.#options = options
    this.#languages = languages
    this.#detector = openDetector(options)
    options.send({ type: 'session.created', session: { id: randomUUID(), type: 'transcription', ends_earlier: true } })
  }

  /** Answers an event that is wrong with an `error` event. */
  receive(message: unknown): void {
    const { data: event, error } = eventSchema.safeParse(message)
    if (event === undefined) this.#refuse('invalid_event', z.prettifyError(error!).slice(0, 300))
    else if (event.type === 'session.update') this.#update(event.session.audio?.input ?? {}, event.session)
    else if (event.type === 'input_audio_buffer.append') this.#append(Buffer.from(event.audio, 'base64'))
    else if (event.type === 'input_audio_buffer.commit') this.#commit(event.audio_end_ms)
    else this.#turn = null
  }

  #refuse(code: string, message: string): void {
    this.#options.send({ type: 'error', error: { type: 'invalid_request_error', code, message } })
  }

  #update(
    { format, transcription }: { format?: { rate?: number } | null; transcription?: { language?: unknown } | null },
    session: object,
  ): void {
    const rate = format?.rate ?? 24_000
    const problem = problemOfLanguage(transcription ?? {}, this.#languages)
    if (!RATES.includes(rate)) this.#refuse('invalid_format', `audio.input.format.rate is one of ${RATES.join(', ')}`)
    else if (problem !== null) this.#refuse('unsupported_language', problem)
    else {
      this.#rate = rate
      this.#resampler = null
      this.#options.send({ type: 'session.updated', session })
    }
  }

  #append(pcm: Buffer): void {
    const given = new Float32Array(pcm.byteLength >> 1)
    for (let index = 0; index < given.length; index++) given[index] = pcm.readInt16LE(index * 2) / 32_768
    if (this.#rate !== SAMPLE_RATE) this.#resampler ??= new (sherpa().LinearResampler)(this.#rate, SAMPLE_RATE)
    const samples = this.#resampler?.resample(given) ?? given
    this.#turn ??= new OpenTurn()
    this.#turn.add(samples)
    this.#detector.add(samples)
    const { isSpeaking } = this.#detector
    if (this.#wasSpeaking && !isSpeaking)
      this.#options.send({ type: 'input_audio_buffer.speech_stopped', item_id: this.#turn.item })
    this.#wasSpeaking = isSpeaking
    if (this.#turn.seconds > MAX_TURN) this.#commit()
    else if (this.#turn.isPartialDue) void this.#showPartial(this.#turn)
  }

  async #showPartial(turn: OpenTurn): Promise<void> {
    turn.isAsked = true
    const found = await this.#options.recognizers
      .recognize(turn.samples(), 'partial', this.#options.signal)
      .catch(() => null)
    turn.isAsked = false
    if (found === null || this.#turn !== turn || found.text === turn.text) return
    turn.text = found.text
    this.#options.send({ type: `${TRANSCRIPTION}.delta`, item_id: turn.item, delta: '', text: found.text })
  }

  #commit(endMs = Number.POSITIVE_INFINITY): void {
    const turn = this.#turn
    const rest = turn?.cut(Math.round((endMs / 1000) * SAMPLE_RATE))
    this.#turn = rest?.seconds ? rest : null
    // A pause that the client found first must not end its next turn.
    this.#wasSpeaking = false
    this.#detector.reset()
    if (this.#turn !== null) this.#detector.add(this.#turn.samples())
    if (turn === null) {
      this.#refuse('input_audio_buffer_commit_empty', 'there is no sound to commit')
      return
    }
    const { send, recognizers, signal } = this.#options
    send({ type: 'input_audio_buffer.committed', item_id: turn.item })
    const found = recognizers.recognize(turn.samples(), 'live', signal)
    found.catch(() => {})
    this.#last = this.#last.then(async () => {
      try {
        const { text, words, language } = (await found)!
        send({ type: `${TRANSCRIPTION}.completed`, item_id: turn.item, transcript: text, words, language })
      } catch (error) {
        if (signal.aborted) return
        const code = error instanceof TooLate ? 'too_late' : null
        const reason = { type: 'server_error', code, message: messageOf(error) }
        send({ type: `${TRANSCRIPTION}.failed`, item_id: turn.item, error: reason })
      }
    })
  }
}

class OpenTurn {
  readonly item = `item_${randomUUID()}`
  #pieces: Float32Array[] = []
  #length = 0
  #partials = 0
  isAsked = false
  text = ''

  get seconds(): number {
    return this.#length / SAMPLE_RATE
  }

  /** One that is late is not made up for. */
  get isPartialDue(): boolean {
    const due = PARTIAL_AT.filter((seconds) => this.seconds >= seconds).length
    if (due <= this.#partials || this.isAsked) return false
    this.#partials = due
    return true
  }

  add(samples: Float32Array): void {
    this.#pieces.push(samples)
    this.#length += samples.length
  }

  /** The turn ends at this sample; gives a turn with what comes after it. */
  cut(end: number): OpenTurn {
    const rest = new OpenTurn()
    const all = this.samples()
    if (end >= all.length) return rest
    rest.add(all.slice(end))
    this.#pieces = [all.subarray(0, end)]
    this.#length = end
    return rest
  }

  samples(): Float32Array {
    const all = new Float32Array(this.#length)
    let at = 0
    for (const piece of this.#pieces) {
      all.set(piece, at)
      at += piece.length
    }
    return all
  }
}
