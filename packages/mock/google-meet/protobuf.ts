/** The few lines of the protobuf wire format that the mock writes. */

export type Field = [number: number, value: number | bigint | string | Uint8Array | Field[]]

/** Numbers become varints; strings, bytes and nested fields are length-delimited. */
export function encode(fields: Field[]): Uint8Array {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'number' || typeof value === 'bigint') return [varint(number * 8), varint(value)]
    const bytes = Array.isArray(value) ? encode(value) : typeof value === 'string' ? Buffer.from(value, 'utf8') : value
    return [varint(number * 8 + 2), varint(bytes.length), bytes]
  })
  return Buffer.concat(parts)
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt(value)
  while (rest > 127n) {
    bytes.push(Number(rest & 127n) | 128)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}
