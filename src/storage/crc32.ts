import { crc32 } from 'node:zlib'

/** CRC-32 of a run of bytes, and their number: enough to join it with that of the bytes before or behind. */
export interface Crc {
  value: number
  bytes: number
}

export const EMPTY_CRC: Readonly<Crc> = { value: 0, bytes: 0 }

/** The polynomial of CRC-32, bits in the order in which the checksum holds them. */
const POLYNOMIAL = 0xedb88320

/** Adds the next bytes. */
export function continueCrc(before: Readonly<Crc>, bytes: Uint8Array): Crc {
  return { value: crc32(bytes, before.value), bytes: before.bytes + bytes.length }
}

/** The checksum of two runs of bytes one behind the other, without looking at the bytes again. */
export function joinCrc(first: Readonly<Crc>, second: Readonly<Crc>): Crc {
  const shifted = multiply(powerOfX(second.bytes), first.value)
  return { value: (shifted ^ second.value) >>> 0, bytes: first.bytes + second.bytes }
}

/** How much of the end is held back in memory. */
const HELD_BYTES = 4 * 1024 * 1024

/** For a run of bytes of which it is known only at its end how much of it counts. */
export class CutCrc {
  #crc: Crc = EMPTY_CRC
  #held: Uint8Array[] = []
  #heldBytes = 0

  push(chunk: Uint8Array): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    while (this.#heldBytes - this.#held[0]!.length >= HELD_BYTES) {
      const first = this.#held.shift()!
      this.#heldBytes -= first.length
      this.#crc = continueCrc(this.#crc, first)
    }
  }

  /** The same chunks, each of them pushed as it passes. */
  async *noting(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      this.push(chunk)
      yield chunk
    }
  }

  /** Of the first `bytes`. Null if fewer bytes were pushed, or where so many follow that they are no longer held. */
  upTo(bytes: number): Crc | null {
    if (bytes < this.#crc.bytes || bytes > this.#crc.bytes + this.#heldBytes) return null
    let crc = this.#crc
    for (const chunk of this.#held) crc = continueCrc(crc, chunk.subarray(0, Math.max(0, bytes - crc.bytes)))
    return crc
  }
}

export function crcHex({ value }: Readonly<Crc>): string {
  return value.toString(16).padStart(8, '0')
}

/** The product of two polynomials modulo that of CRC-32; the highest bit is the coefficient of x⁰. */
function multiply(a: number, b: number): number {
  let product = 0
  let shifted = b
  for (let bit = 0x80000000; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted
    shifted = (shifted & 1) === 1 ? (shifted >>> 1) ^ POLYNOMIAL : shifted >>> 1
  }
  return product >>> 0
}

/** x to the power of `bytes` times 8, by squaring: as many steps as the number has bits. */
function powerOfX(bytes: number): number {
  let power = 0x80000000
  let square = 0x00800000
  for (let left = bytes; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(square, power)
    square = multiply(square, square)
  }
  return power
}
