/** The HTTP side of stand-ins of APIs: requests, scripted answers in the place of real ones, and a record. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { bodyOf } from './site.ts'

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

/**
 * An answer of any kind in the place of the ordinary one, none at all (`hang`), or the ordinary one with a connection that
 * breaks before it is sent (`lose`).
 */
export type Script = Reply | 'hang' | 'lose' | ((request: Request) => Reply)

export interface Seen {
  operation: string
  status: number | null
  method: string
  /** Path and query, without tokens. */
  path: string
  query: Record<string, string>
}

/** `Operation`: the kinds of requests, for scripts and for the record. */
export class StandInServer<Operation extends string = string> {
  /** All requests, oldest first. */
  readonly requests: Seen[] = []
  /** Milliseconds before every answer. */
  delayMs = 0
  private address = ''
  private readonly scripts: { operation: Operation; script: Script; left: number }[] = []
  private readonly server = createServer((request, response) => {
    this.answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' })
      response.end(messageOf(error))
    })
  })
  private readonly operationOf: (request: Request) => Operation
  private readonly handle: (request: Request, operation: Operation) => Reply | Promise<Reply>

  constructor(
    operationOf: (request: Request) => Operation,
    handle: (request: Request, operation: Operation) => Reply | Promise<Reply>,
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

  /** For the next `times` requests of an operation. */
  script(operation: Operation, script: Script, times = 1): void {
    this.scripts.push({ operation, script, left: times })
  }

  count(operation: Operation): number {
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
    const query = Object.fromEntries(url.searchParams)
    const seen: Seen = { operation, status: null, method, path: url.pathname + url.search, query }
    this.requests.push(seen)
    if (this.delayMs > 0) await sleep(this.delayMs, undefined, { ref: false })
    const script = this.scripted(operation)
    if (script === 'hang') return
    const isOrdinary = script === null || script === 'lose'
    const reply = isOrdinary
      ? await this.handle(request, operation)
      : typeof script === 'function'
        ? script(request)
        : script
    seen.status = reply.status
    if (script === 'lose') response.destroy()
    else send(response, reply)
    reply.afterwards?.()
  }

  private scripted(operation: Operation): Script | null {
    const entry = this.scripts.find((one) => one.operation === operation)
    if (entry === undefined) return null
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
