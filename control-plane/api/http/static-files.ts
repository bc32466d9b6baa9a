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

/** Sends a file of the folder, by its path there. `policy`: the Content-Security-Policy of its pages. */
export type SendFile = (path: string, request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>

export function staticFiles(folder: string, policy: string): SendFile {
  const kept = new Map<string, { content: Buffer; etag: string }>()

  async function read(path: string) {
    const known = kept.get(path)
    if (known !== undefined) return known
    const content = await readFile(join(folder, path))
    const file = { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }
    kept.set(path, file)
    return file
  }

  return async (path, request, reply) => {
    const { content, etag } = await read(path)
    reply.headers({
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': 'no-cache',
      etag,
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(content)
  }
}
