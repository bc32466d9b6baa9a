/** Serves all host names of a platform on one local port, over HTTPS, with pages, scripts and sockets of ours. */

import { randomBytes } from 'node:crypto'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Certificate } from './certificate.ts'

/** One request, with its address taken apart. */
export interface Exchange {
  request: IncomingMessage
  response: ServerResponse
  url: URL
  /** Without the port. */
  host: string
  path: string
}

export type AcceptSocket = (url: URL) => ((socket: WebSocket) => void) | null

const MAX_MESSAGE = 4_000_000
const MAX_BODY_LENGTH = 200_000

export class Site {
  private readonly server: Server
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE })
  /** Scripts that can be fetched once, by their unguessable paths. */
  private readonly scripts = new Map<string, string>()
  private readonly socketPaths = new Map<string, (socket: WebSocket) => void>()

  /** @param acceptSocket for sockets at addresses of the platform's own */
  constructor(certificate: Certificate, answer: (exchange: Exchange) => void, acceptSocket: AcceptSocket) {
    this.server = createServer({ key: certificate.key, cert: certificate.cert }, (request, response) => {
      try {
        const exchange = exchangeOf(request, response)
        if (!this.answerOnce(exchange)) answer(exchange)
      } catch (error) {
        response.writeHead(500).end(messageOf(error))
      }
    })
    this.server.on('upgrade', (request, socket, head) => {
      const path = request.url ?? ''
      const open = this.socketPaths.get(path) ?? acceptSocket(new URL(path, `https://${hostOf(request)}`))
      this.socketPaths.delete(path)
      if (open) this.sockets.handleUpgrade(request, socket, head, open)
      else socket.destroy()
    })
  }

  /** Rejects if a named port is taken; 0 takes any free one. */
  async listen(port: number, address: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.server.once('error', reject)
      this.server.listen(port, address, resolve)
    })
  }

  get address(): string {
    const { address, port } = this.server.address() as AddressInfo
    return `${address}:${port}`
  }

  /** A path that gives this script, once. */
  scriptOnce(script: string): string {
    const path = `/_/scs/${randomPath()}.js`
    this.scripts.set(path, script)
    return path
  }

  /** A path where a WebSocket can be opened, once. */
  socketOnce(open: (socket: WebSocket) => void): string {
    const path = `/${randomPath()}`
    this.socketPaths.set(path, open)
    return path
  }

  async close(): Promise<void> {
    for (const client of this.sockets.clients) client.terminate()
    this.server.closeAllConnections()
    await new Promise<void>((resolve) => this.server.close(() => resolve()))
  }

  private answerOnce({ path, response }: Exchange): boolean {
    const script = this.scripts.get(path)
    if (script === undefined) return false
    this.scripts.delete(path)
    sendScript(response, script)
    return true
  }
}

function exchangeOf(request: IncomingMessage, response: ServerResponse): Exchange {
  const host = hostOf(request)
  const url = new URL(request.url ?? '/', `https://${host}`)
  return { request, response, url, host, path: url.pathname }
}

function hostOf(request: IncomingMessage): string {
  return (request.headers.host ?? '').split(':')[0] ?? ''
}

/**
 * Beside the policy of a page, the strictest that any of the platforms may have: scripts of their servers run, and nothing else
 * becomes a script, neither text nor a module of WebAssembly. Each of them starts web workers, so one policy of Trusted
 * Types has to be allowed: the page's, see `trustOwnScripts`.
 */
const STRICT_POLICY =
  "script-src http: https: 'unsafe-inline'; require-trusted-types-for 'script'; trusted-types page-scripts; object-src 'none'; base-uri 'none'"

export function sendPage(
  response: ServerResponse,
  html: string,
  status = 200,
  headers: OutgoingHttpHeaders & { 'content-security-policy'?: string } = {},
): void {
  const policies = [headers['content-security-policy'], STRICT_POLICY].filter((one) => one !== undefined)
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    ...headers,
    // A comma separates the policies of one header.
    'content-security-policy': policies.join(', '),
  })
  response.end(html)
}

export function sendScript(response: ServerResponse, script: string): void {
  response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' })
  response.end(script)
}

export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end()
}

/** Answers with nothing after this long: a request that is always under way. */
export function answerLate(response: ServerResponse, afterMs: number): void {
  setTimeout(() => response.writeHead(204).end(), afterMs).unref()
}

/** Rejects when it is longer than any page of ours sends. */
export async function bodyOf(request: IncomingMessage, longest = MAX_BODY_LENGTH): Promise<string> {
  let text = ''
  for await (const chunk of request) {
    text += String(chunk)
    if (text.length > longest) throw new Error('The request is too long')
  }
  return text
}

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A small document without scripts. */
export function plainPage(title: string, body: string, lang = 'en'): string {
  return `<!doctype html><html lang="${escaped(lang)}"><head><meta charset="utf-8"><title>${escaped(title)}</title></head>
<body>${body}</body></html>`
}

export function randomPath(): string {
  return randomBytes(15).toString('base64url')
}
