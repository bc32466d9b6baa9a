/** A session over a socket to a speech service: what comes before it is open decides whether it is, the rest is its own. */
import { ProviderError } from './provider-error.ts'
import { openServiceSocket, type ServiceSocket, type ServiceSocketOptions } from './service-socket.ts'

/** With its connection. */
const OPEN_MS = 15_000

export interface SocketSession {
  receive(message: Buffer, isBinary: boolean): void
  /** It is over, and not because we closed it. */
  lose(reason: string): void
}

interface Opening<Session> extends Pick<ServiceSocketOptions, 'url' | 'headers' | 'key' | 'dialing'> {
  signal: AbortSignal
  onConnected?(socket: ServiceSocket, open: (session: Session) => void): void
  /** A message before the session; `open` is called once the service is ready for it. */
  begin(message: Buffer, socket: ServiceSocket, open: (session: Session) => void): void
}

/** Rejects with a ProviderError. */
export function openServiceSession<Session extends SocketSession>(opening: Opening<Session>): Promise<Session> {
  const { signal, onConnected, begin, ...dialed } = opening
  const opened = Promise.withResolvers<Session>()
  let session: Session | null = null
  const open = (made: Session) => {
    session ??= made
    opened.resolve(session)
  }
  const socket = openServiceSocket({
    ...dialed,
    onOpen: () => onConnected?.(socket, open),
    onMessage(data, isBinary) {
      if (session === null) begin(data, socket, open)
      else session.receive(data, isBinary)
    },
    onEnd(reason, isTransient) {
      if (session !== null) session.lose(reason)
      else opened.reject(new ProviderError(`${new URL(dialed.url).host} ${reason}`, { isTransient }))
    },
  })
  const late = setTimeout(() => socket.end('opened no session'), OPEN_MS)
  const leave = () => socket.end('was left')
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const stopWaiting = () => {
    clearTimeout(late)
    signal.removeEventListener('abort', leave)
  }
  void opened.promise.finally(stopWaiting).catch(() => {})
  return opened.promise
}
