import { GetObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { StorageError } from './error.ts'
import { objectKey } from './names.ts'
import { type S3Config, S3Session } from './s3-session.ts'

/** SigV4's own limit: seven days. */
const LONGEST_SECONDS = 604_800

/**
 * An address by which anybody may read one stored file for `seconds`. It is a secret: hand it out, never log it. With
 * temporary credentials it ends with them, however long it was made for.
 */
export async function signedLink(
  config: S3Config,
  file: { botId: string; name: string },
  seconds: number,
): Promise<string> {
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > LONGEST_SECONDS) {
    throw new StorageError('invalid', `A signed link lasts from 1 to ${LONGEST_SECONDS} seconds`)
  }
  const session = new S3Session(config)
  const key = objectKey(session.prefix, file.botId, file.name)
  try {
    return await getSignedUrl(session.client, new GetObjectCommand({ Bucket: session.bucket, Key: key }), {
      expiresIn: seconds,
    })
  } catch (error) {
    throw session.explain(error, 'sign a link to', key)
  } finally {
    session.client.destroy()
  }
}
