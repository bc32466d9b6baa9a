/** Files of the program that a browser loads: pages, scripts, styles and pictures, which change with the program only. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
}

/** Of the service in a page. They become relative, since a proxy may serve the service below a path. */
const ADDRESS = /( (?:href|src)=")\//g

/** Leads from an address of the service to its root. */
const rootOf = (url: string): string => '../'.repeat(url.split('?', 1)[0]!.split('/').length - 2) || './'

/** A proxy that compresses makes a tag weak, or adds a word such as `-gzip` to it. */
const hasTag = (header: string | undefined, etag: string): boolean =>
  header?.trim() === '*' ||
  (header?.split(',').some(
    (tag) =>
      tag
        .trim()
        .replace(/^W\//, '')
        .replace(/[-;]+(?:gzip|br|zstd)"$/, '"') === etag,
  ) ??
    false)

/** Sends a file of the folder, by its path there. `policy`: the Content-Security-Policy of its pages. */
export type SendFile = (path: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function staticFiles(folder: string, policy: string): SendFile {
  const kept = new Map<string, { content: Buffer; etag: string }>()

  /** Pages are made for each request: their addresses depend on its path. */
  async function read(path: string, url: string) {
    const known = kept.get(path)
    if (known !== undefined) return known
    const bytes = await readFile(join(folder, path))
    const isPage = path.endsWith('.html')
    const content = isPage ? Buffer.from(String(bytes).replace(ADDRESS, `$1${rootOf(url)}`)) : bytes
    const file = { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }
    if (!isPage) kept.set(path, file)
    return file
  }

  return async (path, request, reply) => {
    const { content, etag } = await read(path, request.url)
    reply.headers({
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
      etag,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    return hasTag(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(content)
  }
}
