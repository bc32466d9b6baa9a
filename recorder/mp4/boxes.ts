/** Boxes of an MP4 file (ISO/IEC 14496-12, 4.2): reading their headers, and putting them together. */

export interface Box {
  type: string
  /** Where the box begins in what was read. */
  offset: number
  /** Its length, the header included. */
  bytes: number
  headerBytes: number
}

/**
 * The box that begins at `offset`; null if its header is not whole or cannot be one. `available` is the length of a
 * box that says "to the end" with size 0.
 */
export function boxAt(buffer: Buffer, offset: number, available: number): Box | null {
  if (offset + 8 > buffer.length) return null
  const type = buffer.toString('latin1', offset + 4, offset + 8)
  const small = buffer.readUInt32BE(offset)
  if (small === 0) return { type, offset, bytes: available, headerBytes: 8 }
  if (small !== 1) return small < 8 ? null : { type, offset, bytes: small, headerBytes: 8 }
  if (offset + 16 > buffer.length) return null
  const large = Number(buffer.readBigUInt64BE(offset + 8))
  return large < 16 || !Number.isSafeInteger(large) ? null : { type, offset, bytes: large, headerBytes: 16 }
}

/** The contents of all whole boxes of one type directly inside `parent`. */
export function children(parent: Buffer, type: string): Buffer[] {
  const found: Buffer[] = []
  for (let offset = 0; offset < parent.length; ) {
    const box = boxAt(parent, offset, parent.length - offset)
    if (box === null || offset + box.bytes > parent.length) break
    if (box.type === type) found.push(parent.subarray(offset + box.headerBytes, offset + box.bytes))
    offset += box.bytes
  }
  return found
}

/** The contents of the first box down a path of types. Throws, naming the path, if there is none. */
export function descend(parent: Buffer, ...path: string[]): Buffer {
  let buffer = parent
  for (const type of path) {
    const child = children(buffer, type)[0]
    if (child === undefined) throw new Error(`the box ${path.join('/')} is missing`)
    buffer = child
  }
  return buffer
}

export function box(type: string, ...parts: readonly Uint8Array[]): Buffer {
  const bytes = parts.reduce((sum, part) => sum + part.length, 8)
  const header = Buffer.alloc(8)
  header.writeUInt32BE(bytes, 0)
  header.write(type, 4, 'latin1')
  return Buffer.concat([header, ...parts], bytes)
}

/** A box whose contents begin with a version and flags. */
export function fullBox(type: string, version: number, flags: number, ...parts: readonly Uint8Array[]): Buffer {
  return box(type, u32((version << 24) | flags), ...parts)
}

/** The header of a box of any length, of 16 bytes; the contents follow elsewhere. */
export function largeBoxHeader(type: string, contentBytes: number): Buffer {
  return Buffer.concat([u32(1), Buffer.from(type, 'latin1'), u64(contentBytes + LARGE_HEADER_BYTES)])
}

export const LARGE_HEADER_BYTES = 16

/** A box that says nothing and is exactly so long; at least 8 bytes. */
export function freeBox(bytes: number): Buffer {
  return box('free', Buffer.alloc(bytes - 8))
}

export function u16(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) buffer.writeUInt16BE(value, index * 2)
  return buffer
}

export function u32(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) buffer.writeUInt32BE(value >>> 0, index * 4)
  return buffer
}

export function u64(...values: readonly number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 8)
  for (const [index, value] of values.entries()) buffer.writeBigUInt64BE(BigInt(value), index * 8)
  return buffer
}
