/** Words of voices that come apart: each has a separate recognizer, and so all its words are its speaker's. */
import type { OpusDecoder } from 'opus-decoder'
import type { ParticipantAudio } from '../../packages/core/ports.ts'
import { type Hole, LiveWords, type LiveWordsOptions } from './live-words.ts'

/** A voice without a packet for so long has paused: senders leave silence out. */
const PAUSE_MS = 600
/** Packets that come together are sent together. Milliseconds of sound. */
const MESSAGE_MS = 60
/** The next packet does not continue the last one. */
const GAP_MS = 200
const LOOK_EVERY_MS = 200
/** A voice that is silent for so long gives its session back. */
const IDLE_MS = 60_000
/** Sessions that are open at once. */
const MAX_VOICES = 32

interface Voice {
  words: LiveWords
  decoder: OpusDecoder<16000 | 24000>
  pieces: Buffer[]
  piecesMs: number
  /** UTC milliseconds at which the last packet's sound ends, and at which it came. */
  endsAt: number
  cameAt: number
  hasPaused: boolean
}

export interface VoicesOptions extends Omit<LiveWordsOptions, 'onWords'> {
  /** `session` counts the sessions of all voices. */
  onWords(participantId: string, session: number, heard: Parameters<LiveWordsOptions['onWords']>[0]): void
}

export class Voices {
  readonly #options: VoicesOptions
  readonly #voices = new Map<string, Promise<Voice | null>>()
  readonly #closing = new Set<Promise<void>>()
  readonly #over = new AbortController()
  readonly #holes: (Hole & { participantId: string })[] = []
  #sessions = 0
  #failure: string | null = null

  constructor(options: VoicesOptions) {
    this.#options = options
    void this.#keepLooking()
  }

  get failure(): string | null {
    return this.#failure
  }

  /** After `close`. */
  get holes(): readonly (Hole & { participantId: string })[] {
    return this.#holes
  }

  add({ participantId, at, opus }: ParticipantAudio): void {
    if (this.#over.signal.aborted) return
    const known = this.#voices.get(participantId)
    if (known === undefined && this.#voices.size >= MAX_VOICES) {
      this.#holes.push({ participantId, from: at, to: at + 20 })
      return
    }
    const voice = known ?? this.#open(participantId)
    if (known === undefined) this.#voices.set(participantId, voice)
    void voice.then((opened) => opened && this.#decode(opened, at, opus))
  }

  async close(): Promise<void> {
    this.#over.abort()
    for (const id of this.#voices.keys()) this.#leave(id)
    await Promise.all(this.#closing)
  }

  async #open(participantId: string): Promise<Voice | null> {
    const session = ++this.#sessions
    const { onWords, logger, clock, recognition } = this.#options
    const words = new LiveWords({ ...this.#options, onWords: (heard) => onWords(participantId, session, heard) })
    try {
      // Bots that hear the mix need not pay for loading it.
      const { OpusDecoder } = await import('opus-decoder')
      const sampleRate = recognition.sampleRate as 16000 | 24000
      const decoder = new OpusDecoder({ channels: 1, streamCount: 1, coupledStreamCount: 0, sampleRate })
      await decoder.ready
      const now = clock.now()
      return { words, decoder, pieces: [], piecesMs: 0, endsAt: now, cameAt: now, hasPaused: true }
    } catch (error) {
      logger.error('A voice cannot be decoded', { error })
      this.#failure ??= 'The voices could not be decoded.'
      void words.close()
      return null
    }
  }

  #decode(voice: Voice, at: number, opus: Uint8Array): void {
    const { samplesDecoded, channelData } = voice.decoder.decodeFrame(opus)
    if (samplesDecoded === 0) return
    if (Math.abs(at - voice.endsAt) > GAP_MS) {
      this.#send(voice)
      voice.words.break()
    }
    const lengthMs = (samplesDecoded / this.#options.recognition.sampleRate) * 1000
    voice.pieces.push(asPcm(channelData[0]!.subarray(0, samplesDecoded)))
    voice.piecesMs += lengthMs
    voice.endsAt = at + lengthMs
    voice.cameAt = this.#options.clock.now()
    voice.hasPaused = false
    if (voice.piecesMs >= MESSAGE_MS) this.#send(voice)
  }

  #send(voice: Voice): void {
    if (voice.pieces.length === 0) return
    voice.words.send(Buffer.concat(voice.pieces.splice(0)), voice.endsAt)
    voice.piecesMs = 0
  }

  async #keepLooking(): Promise<void> {
    const { clock } = this.#options
    while (!this.#over.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, this.#over.signal).catch(() => {})
      for (const [id, opening] of this.#voices) {
        const voice = await opening
        if (voice === null) continue
        const quietMs = clock.now() - voice.cameAt
        if (quietMs >= PAUSE_MS && !voice.hasPaused) {
          voice.hasPaused = true
          this.#send(voice)
          voice.words.cut()
        }
        if (quietMs >= IDLE_MS) this.#leave(id)
      }
    }
  }

  #leave(id: string): void {
    const opening = this.#voices.get(id)!
    this.#voices.delete(id)
    const closing = opening.then(async (voice) => {
      if (voice === null) return
      this.#send(voice)
      await voice.words.close()
      voice.decoder.free()
      this.#failure ??= voice.words.failure
      this.#holes.push(...voice.words.holes.map((hole) => ({ ...hole, participantId: id })))
    })
    this.#closing.add(closing)
    void closing.finally(() => this.#closing.delete(closing))
  }
}

function asPcm(samples: Float32Array): Buffer {
  const pcm = Buffer.alloc(samples.length * 2)
  for (const [index, sample] of samples.entries())
    pcm.writeInt16LE(Math.round(Math.max(-1, Math.min(1, sample)) * 32_767), index * 2)
  return pcm
}
