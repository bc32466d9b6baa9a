/** The track of one participant, in a file that grows during the meeting; gaps between sounds are silence. */
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import type { Logger } from '../../packages/core/logger.ts'
import { OggOpus, OPUS_RATE } from './ogg-opus.ts'

const PACKET_SAMPLES = OPUS_RATE / 50
/** Packets come a little late, by the clocks they passed: so much is not made good. */
const LATE_SAMPLES = OPUS_RATE * 0.04
/** One that is earlier than this belongs to a second sound of the same person. */
const EARLY_SAMPLES = OPUS_RATE * 0.01

export class ParticipantTrackFile {
  readonly #path: string
  readonly #logger: Logger
  readonly #ogg: OggOpus
  #writing: Promise<FileHandle | null>
  #packets = 0
  /** Packets of a time that the file has already: the person is heard twice at once. */
  #doubled = 0
  /** Seconds of the recording; null before the first packet. */
  firstSound: number | null = null

  /** Nothing is known to be written before `finish`; a file that cannot be written costs the recording nothing. */
  constructor(path: string, serial: number, logger: Logger) {
    this.#path = path
    this.#logger = logger
    this.#writing = open(path, 'w', 0o600).catch((error) => this.#giveUp(error))
    this.#ogg = new OggOpus(serial, (page) => this.#append(page))
  }

  /** One packet of 20 ms that is heard at this second of the recording. */
  write(opus: Uint8Array, seconds: number): void {
    const place = Math.round(seconds * OPUS_RATE)
    const gap = place - this.#ogg.samples
    if (gap < -EARLY_SAMPLES) {
      this.#doubled++
      return
    }
    if (gap > LATE_SAMPLES || this.#packets === 0) this.#ogg.addSilenceUntil(place)
    this.firstSound ??= seconds
    this.#packets++
    this.#ogg.add(opus, PACKET_SAMPLES)
  }

  /** Seconds in which something was heard. */
  get soundSeconds(): number {
    return (this.#packets * PACKET_SAMPLES) / OPUS_RATE
  }

  /** Completes the file under its last name; null if it could not be written. */
  async finish(path: string): Promise<{ bytes: number; durationSeconds: number } | null> {
    this.#ogg.end()
    const handle = await this.#writing
    if (handle === null) return null
    if (this.#doubled > 0)
      this.#logger.warn('A participant had two sounds at once; one of the two is kept', {
        path,
        packets: this.#doubled,
      })
    await handle.close()
    await rename(this.#path, path)
    return { bytes: (await stat(path)).size, durationSeconds: this.#ogg.samples / OPUS_RATE }
  }

  #append(page: Buffer): void {
    this.#writing = this.#writing.then(async (handle) => {
      try {
        await handle?.appendFile(page)
        return handle
      } catch (error) {
        await handle?.close().catch(() => {})
        return this.#giveUp(error)
      }
    })
  }

  #giveUp(error: unknown): null {
    this.#logger.error('The file of a voice cannot be written', { path: this.#path, error })
    return null
  }
}
