/** Sound on its way out: sent while the receiver takes it, kept for a moment while it does not, then dropped and counted. */
import { MESSAGE_MS } from './messages.ts'
import type { StreamSocket } from './socket.ts'

/** The socket may hold this much that the receiver has not taken; what is handed to it cannot be dropped any more. */
const SOCKET_MESSAGES = 5
/** Messages that wait behind it: together 2.5 s, after which live sound is not live any more. */
const WAITING_MESSAGES = 20

export class Outlet {
  readonly #socket: Pick<StreamSocket, 'isOpen' | 'backlog' | 'send'>
  readonly #waiting: Uint8Array[] = []
  #sent = 0
  #dropped = 0

  constructor(socket: Pick<StreamSocket, 'isOpen' | 'backlog' | 'send'>) {
    this.#socket = socket
  }

  /** Seconds of sound that were sent, and that were dropped. */
  get figures(): { sentSeconds: number; droppedSeconds: number } {
    return { sentSeconds: (this.#sent * MESSAGE_MS) / 1000, droppedSeconds: (this.#dropped * MESSAGE_MS) / 1000 }
  }

  /** `message` is one message's worth of sound. */
  push(message: Uint8Array): void {
    if (!this.#socket.isOpen) {
      // A receiver that comes back wants to hear what is said now.
      this.#dropped += this.#waiting.splice(0).length + 1
      return
    }
    this.#waiting.push(message)
    while (this.#waiting[0] && this.#socket.backlog < SOCKET_MESSAGES * message.byteLength) {
      if (!this.#socket.send(this.#waiting.shift()!)) break
      this.#sent++
    }
    for (; this.#waiting.length > WAITING_MESSAGES; this.#dropped++) this.#waiting.shift()
  }
}
