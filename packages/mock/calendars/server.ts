/** The HTTP side that both stand-ins share: requests, scripted answers in the place of real ones, and a record. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { bodyOf } from '../shared/site.ts'

const MAX_BODY_LENGTH = 64_000

export interface Request {
  method: string
  url: URL
  headers: IncomingMessage['headers']
  body: string
}

export interface Reply {
  status: number
  headers?: Record<string, string>
  /** An object is sent as JSON, a text as it is. */
  body?: unknown
  /** Runs after the answer went out. */
  afterwards?: () => void
}

/** An answer of any kind in the place of the ordinary one, none at all (`hang`), or a connection that breaks (`lose`). */
export type Script = Reply | 'hang' | 'lose' | ((request: Request) => Reply)

export interface Seen {
  operation: string
  status: number | null
  method: string
  /** Path and query, without tokens. */
  path: string
}

export class StandInServer {
  /** All requests, oldest first. */
  readonly requests: Seen[] = []
  /** Milliseconds before every answer. */
  delayMs = 0
  private address = ''
  private readonly scripts: { operation: string; script: Script; left: number; after: number }[] = []
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
      response.end(messageOf(error))
    })
  })
  private readonly operationOf: (request: Request) => string
  private readonly handle: (request: Request, operation: string) => Reply | Promise<Reply>

  constructor(
    operationOf: (request: Request) => string,
    handle: (request: Request, operation: string) => Reply | Promise<Reply>,
  ) {
    this.operationOf = operationOf
    this.handle = handle
  }

  /** Rejects if a named port is taken. */
  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, '127.0.0.1', resolve)
    })
    this.address = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  get url(): string {
    return this.address
  }

  /** For the next `times` requests of an operation, after `after` ordinary ones. */
  script(operation: string, script: Script, times = 1, after = 0): void {
    this.scripts.push({ operation, script, left: times, after })
  }

  count(operation: string): number {
    return this.requests.filter((seen) => seen.operation === operation).length
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }

  private async answer(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: Request = {
      method: message.method ?? 'GET',
      url: new URL(message.url ?? '/', this.address),
      headers: message.headers,
      body: await bodyOf(message, MAX_BODY_LENGTH),
    }
    const operation = this.operationOf(request)
    const { method, url } = request
    const seen: Seen = { operation, status: null, method, path: url.pathname + url.search }
    this.requests.push(seen)
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs))
    const script = this.scripted(operation)
    if (script === 'hang') return
    if (script === 'lose') {
      response.destroy()
      return
    }
    const reply =
      script === null ? await this.handle(request, operation) : typeof script === 'function' ? script(request) : script
    seen.status = reply.status
    send(response, reply)
    reply.afterwards?.()
  }

  private scripted(operation: string): Script | null {
    const entry = this.scripts.find((one) => one.operation === operation)
    if (entry === undefined) return null
    if (entry.after-- > 0) return null
    if (--entry.left <= 0) this.scripts.splice(this.scripts.indexOf(entry), 1)
    return entry.script
  }
}

function send(response: ServerResponse, { status, headers = {}, body }: Reply): void {
  if (body === undefined) response.writeHead(status, headers).end()
  else if (typeof body === 'string') response.writeHead(status, { 'content-type': 'text/plain', ...headers }).end(body)
  else
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
      .end(JSON.stringify(body))
}

/** The body as JSON; null if it is none. */
export function jsonOf(request: Request): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(request.body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** Decoded parts of the path. */
export function partsOf({ url }: Request): string[] {
  return url.pathname
    .split('/')
    .filter((part) => part !== '')
    .map((part) => {
      try {
        return decodeURIComponent(part)
      } catch {
        return part
      }
    })
}

/** Real providers want https; a service on this machine has none. */
export function canBeWatched(address: unknown): address is string {
  if (typeof address !== 'string' || !URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && /^(127\.0\.0\.1|localhost|\[::1\])$/.test(hostname))
}
