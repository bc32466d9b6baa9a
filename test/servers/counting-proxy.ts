/** A proxy that wants a login and counts: HTTP CONNECT, or SOCKS5. It takes each host to the address that a test names. */
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export const LOGIN = { user: 'marker-user', password: 'marker:p@ss word' }

export interface CountingProxy {
  /** With the login. */
  url: string
  /** The host and the port of every connection, in their order; refused logins have no entry. */
  connections: string[]
  refusals: number
  /** Breaks all connections. */
  close(): Promise<void>
}

export async function startCountingProxy(
  kind: 'http' | 'socks5',
  addressOf: (host: string) => string | undefined,
): Promise<CountingProxy> {
  const sockets = new Set<Duplex>()
  const hold = <Held extends Duplex>(socket: Held): Held => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    return socket
  }
  /** Null: the host is unknown. */
  const reach = (host: string, port: number): Socket | null => {
    proxy.connections.push(`${host}:${port}`)
    const address = addressOf(host)
    if (address === undefined) return null
    const [to, at] = address.split(':')
    return hold(connect(Number(at), to))
  }
  const join = (client: Duplex, server: Socket) => {
    client.pipe(server).pipe(client)
    client.on('close', () => server.destroy())
    server.on('close', () => client.destroy())
  }

  function onConnect({ url = '', headers }: IncomingMessage, client: Duplex): void {
    hold(client)
    const wanted = `Basic ${Buffer.from(`${LOGIN.user}:${LOGIN.password}`).toString('base64')}`
    if (headers['proxy-authorization'] !== wanted) {
      proxy.refusals++
      client.end('HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm="x"\r\n\r\n')
      return
    }
    const [host = '', port] = url.split(':')
    const server = reach(host, Number(port))
    if (server === null) client.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    else
      server.once('connect', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n')
        join(client, server)
      })
  }

  /** RFC 1928 with the login of RFC 1929. Each message comes in one piece on the loopback. */
  function onSocks(client: Socket): void {
    hold(client)
    client.once('data', () => {
      client.write(Buffer.from([5, 2]))
      client.once('data', (login) => {
        const user = login.subarray(2, 2 + login[1]!).toString()
        const password = login.subarray(3 + login[1]!).toString()
        const isRight = user === LOGIN.user && password === LOGIN.password
        client.write(Buffer.from([1, isRight ? 0 : 1]))
        if (!isRight) {
          proxy.refusals++
          client.end()
          return
        }
        client.once('data', (request) => {
          const host =
            request[3] === 3 ? request.subarray(5, 5 + request[4]!).toString() : [...request.subarray(4, 8)].join('.')
          const server = reach(host, request.readUInt16BE(request.length - 2))
          const answer = (code: number) => client.write(Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]))
          if (server === null) answer(4)
          else
            server.once('connect', () => {
              answer(0)
              join(client, server)
            })
        })
      })
    })
  }

  const server: Server = kind === 'http' ? createServer().on('connect', onConnect) : createTcpServer(onSocks)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const login = `${encodeURIComponent(LOGIN.user)}:${encodeURIComponent(LOGIN.password)}`
  const proxy: CountingProxy = {
    url: `${kind}://${login}@127.0.0.1:${port}`,
    connections: [],
    refusals: 0,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
  return proxy
}
