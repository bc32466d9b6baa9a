/** Observes the page's WebSockets without changing them. */
import { wrapConstructor } from '../../shared/page/dom/patch-native.ts'

/** Calls `heard` for every text frame. To be called at document start. */
export function listenToSockets(heard: (frame: string) => void): void {
  wrapConstructor<WebSocket>(globalThis, 'WebSocket', (socket) => {
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') heard(data)
    })
  })
}
