/** Reads the protobuf wire format without a schema, as far as the meeting's own messages need it. */

type WireValue = bigint | Uint8Array
export type Fields = ReadonlyMap<number, readonly WireValue[]>

const NONE: Fields = new Map()

/** Null for bytes that are no message. */
export function readFields(bytes: Uint8Array): Fields | null {
  const fields = new Map<number, WireValue[]>()
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let offset = 0

  function varint(): bigint | null {
    let value = 0n
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[offset++]
      if (byte === undefined) return null
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
    return null
  }

  while (offset < bytes.length) {
    const tag = varint()
    if (tag === null || tag >> 3n === 0n || tag > 0xffffffffn) return null
    const number = Number(tag >> 3n)
    let value: WireValue | null = null
    switch (Number(tag & 7n)) {
      case 0:
        value = varint()
        break
      case 1:
        if (offset + 8 <= bytes.length) value = view.getBigUint64(offset, true)
        offset += 8
        break
      case 2: {
        const length = varint()
        if (length === null || BigInt(offset) + length > BigInt(bytes.length)) return null
        value = bytes.subarray(offset, offset + Number(length))
        offset += Number(length)
        break
      }
      case 5:
        if (offset + 4 <= bytes.length) value = BigInt(view.getUint32(offset, true))
        offset += 4
        break
    }
    if (value === null) return null
    const known = fields.get(number)
    if (known) known.push(value)
    else fields.set(number, [value])
  }
  return fields
}

/** Messages at a path of field numbers, every repetition of every step. */
export function messagesAt(fields: Fields, path: readonly number[]): Fields[] {
  return path.reduce<Fields[]>(
    (level, number) =>
      level.flatMap((message) =>
        (message.get(number) ?? []).flatMap((value) => (value instanceof Uint8Array ? (readFields(value) ?? []) : [])),
      ),
    [fields],
  )
}

export function textAt(fields: Fields, ...path: number[]): string | null {
  const last = path.at(-1)!
  const holder = messagesAt(fields, path.slice(0, -1))[0] ?? NONE
  const value = holder.get(last)?.at(-1)
  return value instanceof Uint8Array ? new TextDecoder().decode(value) : null
}

export function numberAt(fields: Fields, ...path: number[]): bigint | null {
  const last = path.at(-1)!
  const holder = messagesAt(fields, path.slice(0, -1))[0] ?? NONE
  const value = holder.get(last)?.at(-1)
  return typeof value === 'bigint' ? value : null
}
