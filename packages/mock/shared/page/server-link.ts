/** The page's own socket to its server. It sends `hello` first, and queues messages until it is open. */

export interface ServerLink<FromPage, ToPage> {
  say(message: FromPage): void
  /** Call once, when the page is ready to receive messages. */
  listen(onMessage: (message: ToPage) => void, onSamples?: (samples: ArrayBuffer) => void): void
}

/** @param socketPath as given by the server (or a whole `wss:` address where the page is served elsewhere); opens once */
export function openLink<FromPage, ToPage>(socketPath: string): ServerLink<FromPage, ToPage> {
  const socket = new WebSocket(new URL(socketPath, `wss://${location.host}`))
  socket.binaryType = 'arraybuffer'
  const waiting: unknown[] = [{ say: 'hello', url: location.href }]
  socket.addEventListener('open', () => {
    for (const message of waiting.splice(0)) socket.send(JSON.stringify(message))
  })
  return {
    say(message) {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
      else waiting.push(message)
    },
    listen(onMessage, onSamples) {
      socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
        if (typeof data === 'string') onMessage(JSON.parse(data) as ToPage)
        else onSamples?.(data)
      })
    },
  }
}
