/** Bytes of the HTTP requests and WebSockets of a browser. WebRTC has its own count, `shared/in-call/webrtc-traffic.ts`. */
import type { BrowserContext, Request, WebSocket } from 'playwright'

export type NoteTraffic = (received: number, sent: number) => void

/** Counts finished requests of all frames and workers, and every message of a WebSocket; data: and blob: URLs need no network. */
export function countTraffic(context: BrowserContext, note: NoteTraffic): void {
  context.on('requestfinished', (request) => void countRequest(request, note))
  for (const page of context.pages()) page.on('websocket', (socket) => countSocket(socket, note))
  context.on('page', (page) => page.on('websocket', (socket) => countSocket(socket, note)))
}

async function countRequest(request: Request, note: NoteTraffic): Promise<void> {
  if (!request.url().startsWith('http')) return
  try {
    const sizes = await request.sizes()
    note(
      atLeastZero(sizes.responseBodySize) + atLeastZero(sizes.responseHeadersSize),
      atLeastZero(sizes.requestBodySize) + atLeastZero(sizes.requestHeadersSize),
    )
  } catch {
    // The page is gone, and the sizes with it.
  }
}

function countSocket(socket: WebSocket, note: NoteTraffic): void {
  socket.on('framereceived', ({ payload }) => note(Buffer.byteLength(payload), 0))
  socket.on('framesent', ({ payload }) => note(0, Buffer.byteLength(payload)))
}

/** The browser says -1 for a size that it does not know. */
const atLeastZero = (bytes: number) => (Number.isFinite(bytes) ? Math.max(0, bytes) : 0)
