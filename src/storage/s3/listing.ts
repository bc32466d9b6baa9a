/** Unfinished uploads and their parts, page by page. */
import { ListMultipartUploadsCommand, ListPartsCommand } from '@aws-sdk/client-s3'
import type { StoredPart } from '../growth-journal.ts'
import { hasNoCredentials } from './errors.ts'
import type { S3Session } from './session.ts'

export interface ListedUpload {
  key: string
  uploadId: string
  /** UTC milliseconds; null if the server does not say. */
  startedAt: number | null
}

/** A part that the server has. */
export interface ListedPart {
  etag: string
  bytes: number
  /** Base64 of its SHA-256; null if the upload has none. */
  checksum: string | null
}

/** Turns a part of a journal into the form of the server's list. */
export function asListed({ etag, bytes, sha256 }: StoredPart): ListedPart {
  return { etag, bytes, checksum: sha256 === null ? null : Buffer.from(sha256, 'hex').toString('base64') }
}

export async function listUploads(session: S3Session, prefix: string, signal: AbortSignal): Promise<ListedUpload[]> {
  const uploads: ListedUpload[] = []
  let marker: { KeyMarker?: string; UploadIdMarker?: string } = {}
  while (true) {
    const circumstances = { step: 'list unfinished uploads below', key: prefix, signal, isHopeless: hasNoCredentials }
    const page = await session.request(circumstances, (options) =>
      session.client.send(
        new ListMultipartUploadsCommand({ Bucket: session.bucket, Prefix: prefix, ...marker }),
        options,
      ),
    )
    for (const { Key, UploadId, Initiated } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined)
        uploads.push({ key: Key, uploadId: UploadId, startedAt: Initiated?.getTime() ?? null })
    if (page.IsTruncated !== true) return uploads
    marker = { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
  }
}

export async function listParts(
  session: S3Session,
  key: string,
  uploadId: string,
  signal: AbortSignal,
): Promise<Map<number, ListedPart>> {
  const parts = new Map<number, ListedPart>()
  let marker: string | undefined
  while (true) {
    const from = { UploadId: uploadId, PartNumberMarker: marker }
    const page = await session.send({ step: 'list the parts of', key, signal }, ListPartsCommand, from)
    for (const { PartNumber, ETag, Size, ChecksumSHA256 } of page.Parts ?? [])
      if (PartNumber !== undefined && ETag !== undefined)
        parts.set(PartNumber, { etag: ETag, bytes: Size ?? 0, checksum: ChecksumSHA256 ?? null })
    if (page.IsTruncated !== true) return parts
    marker = page.NextPartNumberMarker
  }
}
