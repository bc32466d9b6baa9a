/** An append-only file of numbered lines: line n is event n. Lines survive a SIGKILL once `append` has returned. */
import { closeSync, constants, fstatSync, ftruncateSync, openSync, readSync, writeFileSync, writeSync } from 'node:fs'
import { open } from 'node:fs/promises'

const NEWLINE = 0x0a
const CHUNK_BYTES = 64 * 1024
/** Every so many lines the place of one is kept in memory; a resend reads at most this many lines for nothing. */
const MARK_EVERY = 64

export interface Line {
  seq: number
  text: string
}

/** The part that was cut off when the file was opened. */
export interface Repair {
  /** Bytes behind the last good line. */
  bytes: number
  /** File with those bytes; null for a torn last line, which `append` had not confirmed. */
  keptIn: string | null
}

export class LineFile {
  readonly repair: Repair | null
  readonly #path: string
  #fd: number
  #lastSeq = 0
  /** Bytes of complete lines. Anything behind them is the rest of a failed write and is overwritten. */
  #end = 0
  /** Place of line 1, 1 + MARK_EVERY, … */
  readonly #marks: number[] = []
  /** Where the last reading stopped, so that reading on costs nothing. */
  #cursor = { seq: 0, place: 0 }

  /**
   * Opens or makes the file. `isGood` says whether a line is really event `seq` of this journal; everything from the
   * first line that is not is cut off. Throws what the file system throws.
   */
  constructor(path: string, isGood: (text: string, seq: number) => boolean) {
    this.#path = path
    // Not in append mode: Linux would then ignore the place that a repeated write has to start at.
    this.#fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      this.#scan(isGood)
      this.repair = this.#cutOff()
    } catch (error) {
      closeSync(this.#fd)
      throw error
    }
  }

  get lastSeq(): number {
    return this.#lastSeq
  }

  /** Writes the next line into the kernel's hands. Throws when not all of it fits; the file then counts as unchanged. */
  append(text: string): void {
    const bytes = Buffer.from(`${text}\n`)
    let written = 0
    while (written < bytes.length)
      written += writeSync(this.#fd, bytes, written, bytes.length - written, this.#end + written)
    this.#grow(bytes.length)
  }

  /** Lines behind `seq`, oldest first: about `maxBytes` of them, at least one if there is one. */
  readAfter(seq: number, maxBytes: number): Line[] {
    const lines: Line[] = []
    if (seq >= this.#lastSeq) return lines
    let at = this.#startOf(seq)
    let bytes = 0
    for (const line of this.#lines(at.place)) {
      at = { seq: at.seq + 1, place: line.next }
      if (at.seq <= seq) continue
      lines.push({ seq: at.seq, text: line.text })
      bytes += line.text.length
      if (bytes >= maxBytes || at.seq === this.#lastSeq) break
    }
    this.#cursor = at
    return lines
  }

  /** Asks the disk itself to keep what was written, for the case that the whole machine goes. */
  async flush(): Promise<void> {
    // A separate handle: the file may be closed while the disk still writes.
    const handle = await open(this.#path, 'r')
    try {
      await handle.datasync()
    } finally {
      await handle.close()
    }
  }

  close(): void {
    if (this.#fd === -1) return
    if (fstatSync(this.#fd).size > this.#end) ftruncateSync(this.#fd, this.#end)
    closeSync(this.#fd)
    this.#fd = -1
  }

  #grow(bytes: number): void {
    if (this.#lastSeq % MARK_EVERY === 0) this.#marks.push(this.#end)
    this.#lastSeq += 1
    this.#end += bytes
  }

  #scan(isGood: (text: string, seq: number) => boolean): void {
    this.#end = 0
    for (const line of this.#lines(0, fstatSync(this.#fd).size)) {
      if (!isGood(line.text, this.#lastSeq + 1)) return
      this.#grow(line.next - this.#end)
    }
  }

  #cutOff(): Repair | null {
    const bytes = fstatSync(this.#fd).size - this.#end
    if (bytes === 0) return null
    const rest = Buffer.alloc(bytes)
    readSync(this.#fd, rest, 0, bytes, this.#end)
    // Complete lines that are not valid are no torn write; keep them for an operator.
    const keptIn = rest.includes(NEWLINE) ? `${this.#path}.damaged` : null
    if (keptIn !== null) writeFileSync(keptIn, rest, { flag: 'a', mode: 0o600 })
    ftruncateSync(this.#fd, this.#end)
    return { bytes, keptIn }
  }

  #startOf(seq: number): { seq: number; place: number } {
    if (this.#cursor.seq <= seq && seq - this.#cursor.seq < MARK_EVERY) return this.#cursor
    const mark = Math.floor(seq / MARK_EVERY)
    const place = this.#marks[mark]
    return place === undefined ? { seq: 0, place: 0 } : { seq: mark * MARK_EVERY, place }
  }

  /** Whole lines from a place on; `next` is the place behind the line. */
  *#lines(from: number, until = this.#end): Generator<{ text: string; next: number }> {
    let rest = Buffer.alloc(0)
    let lineStart = from
    for (let place = from; place < until; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, until - place))
      const read = readSync(this.#fd, chunk, 0, chunk.length, place)
      if (read === 0) return
      place += read
      let bytes = Buffer.concat([rest, chunk.subarray(0, read)])
      for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE)) {
        lineStart += end + 1
        yield { text: bytes.toString('utf8', 0, end), next: lineStart }
        bytes = bytes.subarray(end + 1)
      }
      rest = bytes
    }
  }
}
