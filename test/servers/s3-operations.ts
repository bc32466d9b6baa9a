/** Which S3 operation a request is, and what it answers. */
import type { IncomingHttpHeaders } from 'node:http'
import type { NamedPart, S3State, StoredObject } from './s3-state.ts'
import type { Refusal } from './sigv4.ts'

export interface S3Request {
  operation: string
  method: string
  url: string
  headers: IncomingHttpHeaders
  bucket: string
  key: string
  query: URLSearchParams
  partNumber: number | null
  body: Buffer
}

export interface Reply {
  status: number
  headers: Record<string, string>
  body: Buffer
  /** The size of the object of a HEAD request, whose answer has no body. */
  bytes?: number
}

function nameOperation(method: string, key: string, query: URLSearchParams, isCopy: boolean): string {
  const has = (name: string) => query.has(name)
  if (key === '') {
    if (method === 'GET' && has('uploads')) return 'ListMultipartUploads'
    if (method === 'GET') return 'ListObjectsV2'
    return method === 'HEAD' ? 'HeadBucket' : 'Unknown'
  }
  switch (method) {
    case 'PUT':
      if (isCopy) return has('uploadId') ? 'UploadPartCopy' : 'CopyObject'
      return has('uploadId') ? 'UploadPart' : 'PutObject'
    case 'POST':
      return has('uploads') ? 'CreateMultipartUpload' : has('uploadId') ? 'CompleteMultipartUpload' : 'Unknown'
    case 'DELETE':
      return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject'
    case 'HEAD':
      return 'HeadObject'
    case 'GET':
      return has('uploadId') ? 'ListParts' : 'GetObject'
    default:
      return 'Unknown'
  }
}

/** Reads the request line, path style: `/bucket/key`. */
export function operationOf(method: string, url: string, headers: IncomingHttpHeaders): S3Request {
  const [path = '/', rawQuery = ''] = url.split('?', 2)
  const [, bucket = '', ...rest] = path.split('/').map(decodeURIComponent)
  const key = rest.join('/')
  const query = new URLSearchParams(rawQuery)
  const part = query.get('partNumber')
  const operation = nameOperation(method, key, query, headers['x-amz-copy-source'] !== undefined)
  const partNumber = part === null ? null : Number(part)
  return { operation, method, url, headers, bucket, key, query, partNumber, body: Buffer.alloc(0) }
}

export function toXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function fromXml(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&#34;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

function xml(root: string, content: string, status = 200): Reply {
  const text = `<?xml version="1.0" encoding="UTF-8"?><${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${root}>`
  return { status, headers: { 'content-type': 'application/xml' }, body: Buffer.from(text) }
}

function tag(name: string, text: string | number): string {
  return `<${name}>${toXml(String(text))}</${name}>`
}

function empty(status: number, headers: Record<string, string> = {}): Reply {
  return { status, headers, body: Buffer.alloc(0) }
}

function checksumHeader(checksum: string | undefined): Record<string, string> {
  return checksum === undefined ? {} : { 'x-amz-checksum-sha256': checksum }
}

function checksumTag(checksum: string | undefined): string {
  return checksum === undefined ? '' : tag('ChecksumSHA256', checksum)
}

function readParts(body: Buffer): NamedPart[] {
  return [...body.toString('utf8').matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, inner = '']) => {
    const field = (name: string) => new RegExp(`<${name}>(.*?)</${name}>`, 's').exec(inner)?.[1]
    return {
      number: Number(field('PartNumber')),
      etag: fromXml(field('ETag') ?? ''),
      checksum: field('ChecksumSHA256'),
    }
  })
}

function describe(object: StoredObject, request: S3Request): Record<string, string> {
  const wantsChecksum = request.headers['x-amz-checksum-mode'] === 'ENABLED'
  return {
    etag: object.etag,
    'content-type': object.contentType,
    'last-modified': object.modifiedAt.toUTCString(),
    'accept-ranges': 'bytes',
    ...(wantsChecksum ? checksumHeader(object.checksum) : {}),
  }
}

function getObject(object: StoredObject, request: S3Request): Reply | Refusal {
  const headers = describe(object, request)
  if (request.method === 'HEAD') return { status: 200, headers, body: Buffer.alloc(0), bytes: object.bytes }
  const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '')
  if (range === null) return { status: 200, headers, body: object.body }
  const size = object.body.length
  const [, from = '', to = ''] = range
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size - 1 : Math.min(size - 1, Number(to))
  if (start >= size || start > end)
    return { status: 416, code: 'InvalidRange', message: 'The requested range is not satisfiable' }
  headers['content-range'] = `bytes ${start}-${end}/${size}`
  return { status: 206, headers, body: object.body.subarray(start, end + 1) }
}

function list(state: S3State, request: S3Request): Reply {
  const prefix = request.query.get('prefix') ?? ''
  if (request.operation === 'ListMultipartUploads') {
    const uploads = [...state.uploads].filter(([, upload]) => upload.key.startsWith(prefix))
    const items = uploads.map(
      ([id, upload]) =>
        `<Upload>${tag('Key', upload.key)}${tag('UploadId', id)}${tag('Initiated', upload.begunAt.toISOString())}</Upload>`,
    )
    return xml(
      'ListMultipartUploadsResult',
      tag('Bucket', request.bucket) + tag('IsTruncated', 'false') + items.join(''),
    )
  }
  const objects = [...state.objects].filter(([key]) => key.startsWith(prefix))
  const items = objects.map(
    ([key, { bytes, etag }]) => `<Contents>${tag('Key', key)}${tag('Size', bytes)}${tag('ETag', etag)}</Contents>`,
  )
  return xml('ListBucketResult', tag('Name', request.bucket) + tag('IsTruncated', 'false') + items.join(''))
}

/** The bytes that a copy is made of; null if they are not there. */
function copied(state: S3State, request: S3Request): Buffer | null {
  const [, ...rest] = decodeURIComponent(String(request.headers['x-amz-copy-source']).replace(/^\//, '')).split('/')
  const source = state.objects.get(rest.join('/'))
  if (source === undefined) return null
  const range = /^bytes=(\d+)-(\d+)$/.exec(String(request.headers['x-amz-copy-source-range']))
  return range === null ? source.body : source.body.subarray(Number(range[1]), Number(range[2]) + 1)
}

/** Does what a checked request asks for. */
export function answerOperation(state: S3State, request: S3Request, knowsChecksums: boolean): Reply | Refusal {
  const { key, query, body } = request
  const uploadId = query.get('uploadId') ?? ''
  const contentType = request.headers['content-type'] ?? 'binary/octet-stream'
  const withChecksum = knowsChecksums && request.headers['x-amz-checksum-sha256'] !== undefined
  switch (request.operation) {
    case 'HeadBucket':
      return empty(200)
    case 'ListMultipartUploads':
    case 'ListObjectsV2':
      return list(state, request)
    case 'PutObject': {
      const object = state.put(key, body, contentType, withChecksum)
      return empty(200, { etag: object.etag, ...checksumHeader(object.checksum) })
    }
    case 'HeadObject':
    case 'GetObject': {
      const object = state.objects.get(key)
      if (object === undefined) return { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' }
      return getObject(object, request)
    }
    case 'DeleteObject':
      state.objects.delete(key)
      return empty(204)
    case 'CreateMultipartUpload': {
      const id = state.begin(
        key,
        contentType,
        knowsChecksums && request.headers['x-amz-checksum-algorithm'] !== undefined,
      )
      return xml('InitiateMultipartUploadResult', tag('Bucket', request.bucket) + tag('Key', key) + tag('UploadId', id))
    }
    case 'UploadPart': {
      const part = state.putPart(key, uploadId, request.partNumber ?? 0, body, withChecksum)
      return 'code' in part ? part : empty(200, { etag: part.etag, ...checksumHeader(part.checksum) })
    }
    case 'CopyObject':
    case 'UploadPartCopy': {
      const content = copied(state, request)
      if (content === null) return { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' }
      if (request.operation === 'CopyObject')
        return xml('CopyObjectResult', tag('ETag', state.put(key, content, contentType, false).etag))
      const part = state.putPart(key, uploadId, request.partNumber ?? 0, content, false)
      return 'code' in part ? part : xml('CopyPartResult', tag('ETag', part.etag))
    }
    case 'AbortMultipartUpload':
      return state.abort(key, uploadId) ?? empty(204)
    case 'ListParts': {
      const upload = state.find(key, uploadId)
      if ('code' in upload) return upload
      const items = [...upload.parts].map(
        ([number, part]) =>
          `<Part>${tag('PartNumber', number)}${tag('ETag', part.etag)}${tag('Size', part.body.length)}${checksumTag(part.checksum)}</Part>`,
      )
      return xml(
        'ListPartsResult',
        tag('Key', key) + tag('UploadId', uploadId) + tag('IsTruncated', 'false') + items.join(''),
      )
    }
    case 'CompleteMultipartUpload': {
      const object = state.complete(key, uploadId, readParts(body))
      if ('code' in object) return object
      return xml(
        'CompleteMultipartUploadResult',
        tag('Key', key) + tag('ETag', object.etag) + checksumTag(object.checksum),
      )
    }
    default:
      return { status: 501, code: 'NotImplemented', message: 'A header or query you provided is not implemented' }
  }
}
