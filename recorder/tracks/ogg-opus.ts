/**
 * Opus packets as an Ogg file (RFC 3533, RFC 7845) that can be played at every moment of its making: pages are only
 * appended, and nothing at the front waits for the end. Pure; who writes the bytes is another matter.
 */

/** The clock of every Opus stream, independent of the rate of its input. Hertz. */
export const OPUS_RATE = 48_000
/** Samples that an encoder puts before its first sample; a decoder leaves them out. */
const PRE_SKIP = 312
/** A page has room for this many lacing values, of 255 bytes each. */
const MAX_LACING = 255
/** A page of speech is handed on when it is this long: what a crash can cost. */
const PAGE_SAMPLES = OPUS_RATE
const BEGIN = 2
const END = 4

/** Silence as packets (RFC 6716, 3.1): the first byte names mode and length, `fffe` is a frame without sound. */
const SILENT_PACKETS: readonly { samples: number; packet: Uint8Array }[] = [
  // Six frames of 20 ms in one packet.
  { samples: 5760, packet: Uint8Array.from([0xfb, 6, ...new Array(6).fill([0xff, 0xfe]).flat()]) },
  { samples: 960, packet: Uint8Array.of(0xf8, 0xff, 0xfe) },
  { samples: 480, packet: Uint8Array.of(0xf0, 0xff, 0xfe) },
  { samples: 240, packet: Uint8Array.of(0xe8, 0xff, 0xfe) },
  { samples: 120, packet: Uint8Array.of(0xe0, 0xff, 0xfe) },
]

export class OggOpus {
  readonly #write: (page: Buffer) => void
  readonly #serial: number
  #page: { packets: Uint8Array[]; lacing: number[]; samples: number } = { packets: [], lacing: [], samples: 0 }
  #pages = 0
  #samples = 0

  /** `serial` distinguishes streams if a program joins them. The two pages of the head are written at once. */
  constructor(serial: number, write: (page: Buffer) => void) {
    this.#serial = serial
    this.#write = write
    this.#put([opusHead()], [opusHead().length], BEGIN)
    this.#put([opusTags()], [opusTags().length], 0)
  }

  /** Samples so far, silence too: where the next packet will be heard. */
  get samples(): number {
    return this.#samples
  }

  add(packet: Uint8Array, samples: number): void {
    this.#addPacket(packet, samples)
    if (this.#page.samples >= PAGE_SAMPLES) this.flush()
  }

  /** Silence up to this place, as near as 2.5 ms before it. */
  addSilenceUntil(samples: number): void {
    for (const silent of SILENT_PACKETS)
      while (samples - this.#samples >= silent.samples) this.#addPacket(silent.packet, silent.samples)
  }

  /** Hands on what is gathered. */
  flush(): void {
    if (this.#page.packets.length === 0) return
    this.#put(this.#page.packets, this.#page.lacing, 0)
    this.#page = { packets: [], lacing: [], samples: 0 }
  }

  end(): void {
    this.#put(this.#page.packets, this.#page.lacing, END)
    this.#page = { packets: [], lacing: [], samples: 0 }
  }

  #addPacket(packet: Uint8Array, samples: number): void {
    const values = Math.floor(packet.length / 255) + 1
    if (this.#page.lacing.length + values > MAX_LACING) this.flush()
    this.#page.packets.push(packet)
    this.#page.lacing.push(...new Array<number>(values - 1).fill(255), packet.length % 255)
    this.#page.samples += samples
    this.#samples += samples
  }

  #put(packets: readonly Uint8Array[], lacing: readonly number[], flags: number): void {
    const head = Buffer.alloc(27 + lacing.length)
    head.write('OggS', 0, 'latin1')
    head[5] = flags
    head.writeBigUInt64LE(BigInt(this.#samples), 6)
    head.writeUInt32LE(this.#serial >>> 0, 14)
    head.writeUInt32LE(this.#pages++, 18)
    head[26] = lacing.length
    head.set(lacing, 27)
    const page = Buffer.concat([head, ...packets])
    page.writeUInt32LE(checksum(page), 22)
    this.#write(page)
  }
}

function opusHead(): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 0, 'latin1')
  head[8] = 1
  head[9] = 1
  head.writeUInt16LE(PRE_SKIP, 10)
  head.writeUInt32LE(OPUS_RATE, 12)
  return head
}

function opusTags(): Buffer {
  const vendor = 'standin'
  const tags = Buffer.alloc(16 + vendor.length)
  tags.write('OpusTags', 0, 'latin1')
  tags.writeUInt32LE(vendor.length, 8)
  tags.write(vendor, 12, 'latin1')
  return tags
}

/** CRC-32 as Ogg has it: not reflected, beginning with 0. */
const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte << 24
  for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0)
  return value >>> 0
})

function checksum(page: Uint8Array): number {
  let crc = 0
  for (const byte of page) crc = ((crc << 8) ^ CRC[(crc >>> 24) ^ byte]!) >>> 0
  return crc
}
