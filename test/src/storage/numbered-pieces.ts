/** A body with distinct pieces, and the format by which recovery understands it: length, number, filling. */
import { createHash } from 'node:crypto'
import type { GrownFormat } from '../../../src/storage/recovery/recovered.ts'

const HEADER_BYTES = 8

/** Piece `number`, the same at each call. */
export function numberedPiece(number: number, bytes: number): Buffer {
  const piece = Buffer.alloc(bytes, createHash('sha512').update(String(number)).digest())
  piece.writeUInt32BE(bytes, 0)
  piece.writeUInt32BE(number, 4)
  return piece
}

export function numberedBody(count: number, bytes: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, number) => numberedPiece(number, bytes)))
}

/** A head of this format: what it is made for, filled up. */
export function numberedHead(wholeBytes: number, room: number | null): Buffer {
  const head = Buffer.alloc(room ?? 16)
  head.write(`${wholeBytes};`)
  return head
}

export const NUMBERED: GrownFormat = {
  indexBody: async (_recoveryHead, body) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of body) chunks.push(chunk)
    const all = Buffer.concat(chunks)
    let wholeBytes = 0
    let count = 0
    while (wholeBytes + HEADER_BYTES <= all.length) {
      const bytes = all.readUInt32BE(wholeBytes)
      const piece = all.subarray(wholeBytes, wholeBytes + bytes)
      if (piece.length < bytes || !numberedPiece(count, bytes).equals(piece)) break
      wholeBytes += bytes
      count++
    }
    if (count === 0) throw new Error('no whole piece')
    return { wholeBytes, seconds: count / 2, makeHead: (room) => numberedHead(wholeBytes, room) }
  },
}

/** For bodies that cannot be indexed. */
export const UNREADABLE: GrownFormat = { indexBody: async () => Promise.reject(new Error('not to be indexed')) }
