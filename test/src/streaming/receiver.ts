/** The other end of a streaming socket: notes what it receives, and sends or disconnects on the test's command. */
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

export class Receiver {
  readonly texts: unknown[] = []
  readonly sounds: { at: number; samples: Buffer }[] = []
  readonly closeCodes: number[] = []
  connections = 0
  #server: WebSocketServer
  #socket: WebSocket | null = null

  private constructor(server: WebSocketServer) {
    this.#server = server
    server.on('connection', (socket) => {
      this.connections++
      this.#socket = socket
      socket.on('message', (data, isBinary) => {
        if (isBinary) this.sounds.push({ at: Date.now(), samples: data as Buffer })
        else this.texts.push(JSON.parse(String(data)))
      })
      socket.on('close', (code) => this.closeCodes.push(code))
    })
  }

  /** On a free port, or on the one that an earlier receiver had. */
  static async start(port = 0): Promise<Receiver> {
    const server = new WebSocketServer({ host: '127.0.0.1', port, perMessageDeflate: false })
    await new Promise<void>((resolve, reject) => {
      server.once('listening', resolve)
      server.once('error', reject)
    })
    return new Receiver(server)
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `ws://127.0.0.1:${this.port}/stream?secret=hidden`
  }

  say(data: Buffer | string): void {
    this.#socket?.send(data)
  }

  /** Does this with each connection that it accepts. */
  refuse(end: (socket: WebSocket) => void): void {
    this.#server.on('connection', end)
  }

  breakOff(): void {
    this.#socket?.terminate()
  }

  /** Takes nothing any more, as a process that hangs. */
  stall(): void {
    this.#socket?.pause()
  }

  async close(): Promise<void> {
    for (const client of this.#server.clients) client.terminate()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }
}
