/** Bodies of foreign answers, read no further than they may be long. */

/** The body is longer than its limit. The part that was read is dropped. */
export class BodyTooLong extends Error {
  readonly code = 'EFBIG'

  constructor(maxBytes: number) {
    super(`sent more than ${maxBytes} bytes`)
    this.name = 'BodyTooLong'
  }
}

/** Reads a stream to its end. Rejects with BodyTooLong, and ends the stream, as soon as it is longer than `maxBytes`. */
export async function readBody(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const kept: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw new BodyTooLong(maxBytes)
    kept.push(chunk)
  }
  return Buffer.concat(kept)
}

/** A `fetch` for packages that read whole answers themselves: they get no body that is longer than `maxBytes`. */
export function boundedFetch(maxBytes: number, inner: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const response = await inner(input, init)
    if (response.body === null) return response
    const body = new Uint8Array(await readBody(response.body, maxBytes))
    const { status, statusText, headers } = response
    return new Response(body, { status, statusText, headers })
  }
}
