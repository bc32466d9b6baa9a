/** The last part of a bot's log, in whole characters. */
import { Writable } from 'node:stream'

export const LOG_TAIL_BYTES = 64 * 1024

/** Keeps the end of what is written to it. */
export class Tail {
  #chunks: Buffer[] = []
  #bytes = 0
  #isCut = false

  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    while (this.#bytes - this.#chunks[0]!.length >= LOG_TAIL_BYTES) {
      this.#bytes -= this.#chunks.shift()!.length
      this.#isCut = true
    }
  }

  /** A stream whose content is added. */
  sink(): Writable {
    return new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        this.add(chunk)
        done()
      },
    })
  }

  text(): string {
    const bytes = Buffer.concat(this.#chunks)
    const isCut = this.#isCut || bytes.length > LOG_TAIL_BYTES
    const end = bytes.subarray(Math.max(0, bytes.length - LOG_TAIL_BYTES))
    const start = isCut ? end.findIndex((byte) => (byte & 0xc0) !== 0x80) : 0
    // PostgreSQL stores no NUL.
    return end.subarray(Math.max(0, start)).toString('utf8').replaceAll('\0', '\u{FFFD}')
  }
}
