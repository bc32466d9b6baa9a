/** Reads the protobuf wire format without a schema: field numbers to values, as a driver has to. */

export type Read = Map<number, (bigint | Uint8Array)[]>

export function readProtobuf(bytes: Uint8Array): Read {
  const fields: Read = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Error('The message ends inside a number')
      value |= BigInt(byte & 127) << shift
      if (byte < 128) return value
    }
  }
  while (at < bytes.length) {
    const key = Number(varint())
    const kind = key % 8
    if (kind !== 0 && kind !== 2) throw new Error(`Wire type ${kind} is not in use here`)
    const number = Math.floor(key / 8)
    let value: bigint | Uint8Array = varint()
    if (kind === 2) {
      const end = at + Number(value)
      value = bytes.slice(at, end)
      at = end
    }
    fields.set(number, [...(fields.get(number) ?? []), value])
  }
  return fields
}

/** All messages at a path of field numbers. */
export function messagesAt(read: Read, ...path: number[]): Read[] {
  let found = [read]
  for (const number of path) {
    found = found.flatMap((message) =>
      (message.get(number) ?? []).filter((value) => typeof value !== 'bigint').map((value) => readProtobuf(value)),
    )
  }
  return found
}

export function textAt(message: Read, number: number): string | null {
  const value = message.get(number)?.[0]
  return value === undefined || typeof value === 'bigint' ? null : Buffer.from(value).toString('utf8')
}

export function numberAt(message: Read, number: number): number | null {
  const value = message.get(number)?.[0]
  return typeof value === 'bigint' ? Number(value) : null
}
