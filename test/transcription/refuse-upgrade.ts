import type { Duplex } from 'node:stream'

/** Answers a request for a WebSocket with an error. The client may end the connection before it has read everything. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.on('error', () => {})
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\n\r\n`)
}
