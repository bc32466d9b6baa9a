/** Serves the dashboard's page: one document for every path below `/dashboard`, one script, one stylesheet. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply } from 'fastify'
import type { App } from '../http/generation.ts'
import { DASHBOARD_PATH } from './addresses.ts'

/** Pictures and recordings come from where files are stored, which may be S3. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: data:",
  "media-src 'self' https:",
  "connect-src 'self' https:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const FILES = {
  'app.js': 'text/javascript; charset=utf-8',
  'app.css': 'text/css; charset=utf-8',
} as const

/** `folder`: what the build made. */
export function pageRoutes(app: App, folder: string): void {
  const kept = new Map<string, { content: Buffer; etag: string }>()

  async function file(name: string) {
    const found = kept.get(name)
    if (found !== undefined) return found
    const content = await readFile(join(folder, name))
    const read = { content, etag: `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"` }
    kept.set(name, read)
    return read
  }

  async function send(reply: FastifyReply, name: string, type: string, known: string | undefined) {
    const { content, etag } = await file(name)
    reply.headers({
      'content-type': type,
      'cache-control': 'no-cache',
      etag,
      'content-security-policy': PAGE_POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    })
    return known === etag ? reply.code(304).send() : reply.send(content)
  }

  for (const [name, type] of Object.entries(FILES))
    app.get(`${DASHBOARD_PATH}/${name}`, (request, reply) => send(reply, name, type, request.headers['if-none-match']))
  for (const path of [DASHBOARD_PATH, `${DASHBOARD_PATH}/*`])
    app.get(path, (request, reply) =>
      send(reply, 'index.html', 'text/html; charset=utf-8', request.headers['if-none-match']),
    )
}
