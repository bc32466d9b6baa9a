import { GetObjectCommand } from '@aws-sdk/client-s3'
import { StorageError } from '../error.ts'
import { type Circumstances, type S3Config, S3Session, type S3Tuning } from './session.ts'

/** Reads a whole object into memory. Rejects with a StorageError, also if it is larger than `maxBytes`. */
export async function readS3Object(
  config: Omit<S3Config, 'prefix'>,
  key: string,
  maxBytes: number,
  signal: AbortSignal,
  tuning: Partial<S3Tuning> = {},
): Promise<Uint8Array> {
  const session = new S3Session(config, tuning)
  try {
    return await readSmallObject(
      session,
      { step: 'read', key, signal, patience: session.tuning.preparePatience },
      maxBytes,
    )
  } finally {
    session.client.destroy()
  }
}

/** The same, with a session that stays open. */
export function readSmallObject(
  session: S3Session,
  circumstances: Circumstances,
  maxBytes: number,
): Promise<Uint8Array> {
  const { key } = circumstances
  const tooLarge = () => new StorageError('invalid', `The object ${key} is larger than ${maxBytes} bytes`)
  return session.request(circumstances, async (send) => {
    const target = { Bucket: session.bucket, Key: key }
    const { Body: body, ContentLength: length } = await session.client.send(new GetObjectCommand(target), send)
    if (length !== undefined && length > maxBytes) throw tooLarge()
    const parts: Uint8Array[] = []
    let bytes = 0
    // A server's word for the length is not believed.
    for await (const part of body as AsyncIterable<Uint8Array>) {
      bytes += part.byteLength
      if (bytes > maxBytes) throw tooLarge()
      parts.push(part)
    }
    return Buffer.concat(parts)
  })
}

/**
 * Reads a whole object, however large. `take` is called again for each attempt. Rejects if the answer ends before the
 * length that it promised.
 */
export function readObject<T>(
  session: S3Session,
  circumstances: Circumstances,
  read: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
  mostBytes?: number,
): Promise<T> {
  return session.request(circumstances, async (options) => {
    const range = mostBytes === undefined ? {} : { Range: `bytes=0-${mostBytes - 1}` }
    const target = { Bucket: session.bucket, Key: circumstances.key, ...range }
    const answer = await session.client.send(new GetObjectCommand(target), options)
    const body = answer.Body as AsyncIterable<Uint8Array> & { destroy(): void }
    const onAbort = () => body.destroy()
    options.abortSignal.addEventListener('abort', onAbort, { once: true })
    let bytes = 0
    async function* counted(): AsyncIterable<Uint8Array> {
      for await (const chunk of body) {
        bytes += chunk.length
        yield chunk
      }
      if (bytes !== answer.ContentLength)
        throw Object.assign(new Error(`The answer ended after ${bytes} bytes`), { code: 'ECONNRESET' })
    }
    try {
      return await read(counted())
    } finally {
      options.abortSignal.removeEventListener('abort', onAbort)
      body.destroy()
    }
  })
}
