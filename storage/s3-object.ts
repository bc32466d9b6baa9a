import { GetObjectCommand } from '@aws-sdk/client-s3'
import { StorageError } from './error.ts'
import { type S3Config, S3Session } from './s3-session.ts'

/** Reads a whole object into memory. Rejects with a StorageError, also where it is larger than `maxBytes`. */
export async function readS3Object(
  config: Omit<S3Config, 'prefix'>,
  key: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const session = new S3Session(config)
  const tooLarge = () => new StorageError('invalid', `The object ${key} is larger than ${maxBytes} bytes`)
  try {
    return await session.request(
      { step: 'read', key, signal, patience: session.tuning.preparePatience },
      async (send) => {
        const { Body: body, ContentLength: length } = await session.client.send(
          new GetObjectCommand({ Bucket: session.bucket, Key: key }),
          send,
        )
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
      },
    )
  } finally {
    session.client.destroy()
  }
}
