/** The head's bytes, filled up to `room` by a box that players skip. `room` is the head's length, or 8 more at least. */
export function padHead(head: Uint8Array, room: number): Uint8Array {
  if (head.length === room) return head
  const filler = room - head.length
  if (filler < 8) throw new RangeError(`A head of ${head.length} bytes does not fit into ${room}`)
  const padded = Buffer.alloc(room)
  padded.set(head)
  padded.writeUInt32BE(filler, head.length)
  padded.write('free', head.length + 4, 'latin1')
  return padded
}

/** The least room in which both heads fit. */
export function leastRoom(headBytes: number, recoveryHead: Uint8Array): number {
  return Math.max(headBytes, recoveryHead.length + 8)
}

/** A head of the wrong size would move the body, and every place in the index would be wrong. */
export function checkedHead(head: Uint8Array, room: number): Uint8Array {
  if (head.length !== room) throw new RangeError(`The head has ${head.length} bytes instead of ${room}`)
  return head
}
