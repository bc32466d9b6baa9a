/** The state of an S3 server: objects and unfinished uploads of one bucket, with S3's rules for them. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Refusal } from './sigv4.ts'

export interface StoredObject {
  /** Joined from its parts on first use: hours of recording take seconds to copy in memory. */
  readonly body: Buffer
  bytes: number
  contentType: string
  etag: string
  /** As in `x-amz-checksum-sha256`; present if the client sent one. */
  checksum: string | undefined
  modifiedAt: Date
}

export interface Part {
  body: Buffer
  /** Of the body, so that completing takes no longer for more bytes, as on real servers. */
  md5: Buffer
  etag: string
  checksum: string | undefined
}

export interface PendingUpload {
  key: string
  contentType: string
  /** The parts of such an upload are named with their checksums, those of others without. */
  withChecksums: boolean
  begunAt: Date
  parts: Map<number, Part>
}

export interface NamedPart {
  number: number
  etag: string
  checksum: string | undefined
}

export interface StateRules {
  /** `opaque` is what servers give that encrypt: no digest of the bytes. */
  etags: 'md5' | 'opaque'
  /** S3 wants 5 MiB of all parts but the last. */
  smallestPart: number
}

const md5 = (data: Uint8Array) => createHash('md5').update(data).digest()
const sha256 = (data: Uint8Array) => createHash('sha256').update(data).digest()

function refuse(status: number, code: string, message: string): Refusal {
  return { status, code, message }
}

const noSuchUpload = () => refuse(404, 'NoSuchUpload', 'The specified upload does not exist.')

export class S3State {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, PendingUpload>()
  readonly #rules: StateRules

  constructor(rules: StateRules) {
    this.#rules = rules
  }

  #etag(digest: Buffer, suffix = ''): string {
    return this.#rules.etags === 'md5'
      ? `"${digest.toString('hex')}${suffix}"`
      : `"${randomBytes(16).toString('hex')}${suffix}"`
  }

  put(key: string, body: Buffer, contentType: string, withChecksum: boolean): StoredObject {
    const checksum = withChecksum ? sha256(body).toString('base64') : undefined
    const bytes = body.length
    const object = { body, bytes, contentType, etag: this.#etag(md5(body)), checksum, modifiedAt: new Date() }
    this.objects.set(key, object)
    return object
  }

  begin(key: string, contentType: string, withChecksums = false): string {
    const id = randomUUID()
    this.uploads.set(id, { key, contentType, withChecksums, begunAt: new Date(), parts: new Map() })
    return id
  }

  find(key: string, id: string): PendingUpload | Refusal {
    const upload = this.uploads.get(id)
    return upload === undefined || upload.key !== key ? noSuchUpload() : upload
  }

  putPart(key: string, id: string, number: number, body: Buffer, withChecksum: boolean): Part | Refusal {
    const upload = this.find(key, id)
    if ('code' in upload) return upload
    if (!Number.isInteger(number) || number < 1 || number > 10_000) {
      return refuse(400, 'InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive')
    }
    const checksum = withChecksum ? sha256(body).toString('base64') : undefined
    const digest = md5(body)
    const part = { body, md5: digest, etag: this.#etag(digest), checksum }
    upload.parts.set(number, part)
    return part
  }

  abort(key: string, id: string): Refusal | null {
    const upload = this.find(key, id)
    if ('code' in upload) return upload
    this.uploads.delete(id)
    return null
  }

  complete(key: string, id: string, named: NamedPart[]): StoredObject | Refusal {
    const upload = this.find(key, id)
    if ('code' in upload) return upload
    if (named.length === 0) return refuse(400, 'MalformedXML', 'The XML you provided was not well-formed')
    const parts: Part[] = []
    for (const [index, { number, etag, checksum }] of named.entries()) {
      if (index > 0 && named[index - 1]!.number >= number) {
        return refuse(400, 'InvalidPartOrder', 'The list of parts was not in ascending order.')
      }
      const part = upload.parts.get(number)
      if (upload.withChecksums !== (checksum !== undefined))
        return refuse(
          400,
          'InvalidRequest',
          'The complete request must include the checksum for each part, or for none.',
        )
      const isNamedRight = part !== undefined && part.etag.replaceAll('"', '') === etag.replaceAll('"', '')
      if (!isNamedRight || (checksum !== undefined && checksum !== part.checksum)) {
        return refuse(400, 'InvalidPart', 'One or more of the specified parts could not be found.')
      }
      if (index < named.length - 1 && part.body.length < this.#rules.smallestPart) {
        return refuse(400, 'EntityTooSmall', 'Your proposed upload is smaller than the minimum allowed size')
      }
      parts.push(part)
    }
    let whole: Buffer | null = null
    const suffix = `-${parts.length}`
    const etag = this.#etag(md5(Buffer.concat(parts.map((part) => part.md5))), suffix)
    const isChecked = parts.every((part) => part.checksum !== undefined)
    const ofParts = Buffer.concat(parts.map((part) => Buffer.from(part.checksum ?? '', 'base64')))
    const checksum = isChecked ? `${sha256(ofParts).toString('base64')}${suffix}` : undefined
    const object = {
      get body() {
        whole ??= Buffer.concat(parts.map((part) => part.body))
        return whole
      },
      bytes: parts.reduce((sum, part) => sum + part.body.length, 0),
      contentType: upload.contentType,
      etag,
      checksum,
      modifiedAt: new Date(),
    }
    this.objects.set(key, object)
    this.uploads.delete(id)
    return object
  }
}
