import { crc32 } from 'node:zlib'

/** CRC-32 of a run of bytes, and their number: enough to join it with that of the bytes before or behind. */
export interface Crc {
  value: number
  bytes: number
}

export const EMPTY_CRC: Readonly<Crc> = { value: 0, bytes: 0 }

/** The polynomial of CRC-32, bits in the order in which the checksum holds them. */
const POLYNOMIAL = 0xedb88320

/** Goes on with the next bytes. */
export function continueCrc(before: Readonly<Crc>, bytes: Uint8Array): Crc {
  return { value: crc32(bytes, before.value), bytes: before.bytes + bytes.length }
}

/** The checksum of two runs of bytes one behind the other, without looking at the bytes again. */
export function joinCrc(first: Readonly<Crc>, second: Readonly<Crc>): Crc {
  const shifted = multiply(powerOfX(second.bytes), first.value)
  return { value: (shifted ^ second.value) >>> 0, bytes: first.bytes + second.bytes }
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
