import { MAX_BOT_IMAGE_BYTES } from '@standin/wire/job.ts'
import { fetchPublic } from '../../packages/core/network/safe-fetch.ts'

const FETCH_TIMEOUT_MS = 10_000

/** The kind of picture by its first bytes; a file's name and a server's word for it are not believed. */
export function pictureType(bytes: Uint8Array): 'image/png' | 'image/jpeg' | 'image/webp' | null {
  const starts = (offset: number, ...values: number[]) =>
    values.every((value, index) => bytes[offset + index] === value)
  if (starts(0, 0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (starts(0, 0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (starts(0, 0x52, 0x49, 0x46, 0x46) && starts(8, 0x57, 0x45, 0x42, 0x50)) return 'image/webp'
  return null
}

/** A picture's bytes as a data: URL; throws if they are no picture or too many. */
export function pictureDataUrl(bytes: Uint8Array): string {
  if (bytes.byteLength > MAX_BOT_IMAGE_BYTES) throw new Error(`the picture is larger than ${MAX_BOT_IMAGE_BYTES} bytes`)
  const type = pictureType(bytes)
  if (type === null) throw new Error('the picture is neither PNG, JPEG nor WebP')
  return `data:${type};base64,${Buffer.from(bytes).toString('base64')}`
}

/** `bot_image` of a job, ready for the page: a data: URL. Rejects if the address is unsafe or holds no picture. */
export async function loadBotImage(image: string, isPermitted = false): Promise<string> {
  if (image.startsWith('data:')) return pictureDataUrl(Buffer.from(image.slice(image.indexOf(',') + 1), 'base64'))
  const limits = {
    maxBytes: MAX_BOT_IMAGE_BYTES,
    timeoutMs: FETCH_TIMEOUT_MS,
    accept: 'image/png,image/jpeg,image/webp',
  }
  return pictureDataUrl(await fetchPublic(image, limits, isPermitted))
}
