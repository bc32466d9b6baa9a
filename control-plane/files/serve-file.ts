/** Answers requests for the service's own signed links, without a web framework. */
import { Readable } from 'node:stream'
import type { FileAnswer, FileHandler } from '../platform/ports.ts'
import { contentTypeOf, dispositionOf } from './content.ts'
import type { LinkSigner } from './signed-links.ts'

interface ServedFile {
  bytes: number
  changedAt: Date
  /** Both ends are included. Call either this or `close`. */
  read(range: { start: number; end: number }): Promise<Readable>
  close(): Promise<void>
}

export interface ServedFiles {
  /** Null if there is no such file, or a symbolic link leads to it. */
  open(key: string): Promise<ServedFile | null>
}

export function createFileHandler(store: ServedFiles, links: LinkSigner): FileHandler {
  return async ({ method, key, query, range, ifRange }) => {
    const checked = links.check(key, query)
    if (checked === 'forged') return refusal(403, 'The signature of this link does not fit.')
    if (checked === 'expired') return refusal(410, 'This link has expired.')
    const opened = await store.open(key)
    if (opened === null) return refusal(404, 'There is no such file.')

    const { bytes, changedAt } = opened
    const name = key.slice(key.lastIndexOf('/') + 1)
    const etag = `"${bytes.toString(16)}-${changedAt.getTime().toString(16)}"`
    const headers: Record<string, string> = {
      'content-type': contentTypeOf(name),
      'content-disposition': dispositionOf(
        checked.downloadName ?? name,
        checked.downloadName === null ? 'inline' : 'attachment',
      ),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      etag,
      'last-modified': changedAt.toUTCString(),
      'x-content-type-options': 'nosniff',
      // A page among the files gets no rights of this origin.
      'content-security-policy': "sandbox allow-scripts; default-src 'self' data: blob: 'unsafe-inline'",
    }
    const wanted = ifRange === undefined || ifRange === etag ? parseRange(range, bytes) : null
    if (wanted === 'unsatisfiable') {
      await opened.close()
      return { status: 416, headers: { 'content-range': `bytes */${bytes}` }, stream: null }
    }
    const { start, end } = wanted ?? { start: 0, end: bytes - 1 }
    headers['content-length'] = String(end - start + 1)
    if (wanted !== null) headers['content-range'] = `bytes ${start}-${end}/${bytes}`
    const status = wanted === null ? 200 : 206
    if (method === 'HEAD' || bytes === 0) {
      await opened.close()
      return { status, headers, stream: null }
    }
    return { status, headers, stream: await opened.read({ start, end }) }
  }
}

/**
 * One range of RFC 9110, both ends included. Null for what is served whole: no header, another unit, several ranges, or
 * one that is not written as the standard says.
 */
function parseRange(
  header: string | undefined,
  bytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '') ?? []
  if (first === undefined || last === undefined || (first === '' && last === '')) return null
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return null
  if (start >= bytes) return 'unsatisfiable'
  return { start, end: last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1) }
}

function refusal(status: 403 | 404 | 410, text: string): FileAnswer {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' },
    stream: Readable.from([`${text}\n`]),
  }
}
