/** Passes connections to a server. It can be closed: then the server keeps running out of reach. */

import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net'
import { freePort } from '../../servers/free-port.ts'

export interface Relay {
  /** Of a relay on a port. */
  url: string
  leave(): Promise<void>
  /** At the same address. */
  comeBack(): Promise<void>
  close(): Promise<void>
}

/** Listens on a free port of the loopback address, or on a socket file. */
export async function startRelay(target: NetConnectOpts, file?: string): Promise<Relay> {
  const open = new Set<Socket>()
  let server: Server | null = null
  const port = await freePort()

  async function listen(): Promise<void> {
    const started = createServer((socket) => {
      const onward = connect(target)
      for (const each of [socket, onward]) {
        open.add(each)
        each.on('close', () => open.delete(each))
      }
      // Data in transit is passed on before the other side is closed.
      socket.on('error', () => onward.destroy())
      onward.on('error', () => socket.destroy())
      socket.pipe(onward).pipe(socket)
    })
    await new Promise<void>((resolve, reject) => {
      started.once('error', reject)
      if (file === undefined) started.listen(port, '127.0.0.1', resolve)
      else started.listen(file, resolve)
    })
    server = started
  }

  async function leave(): Promise<void> {
    const leaving = server
    server = null
    if (leaving === null) return
    const closed = new Promise((resolve) => leaving.close(resolve))
    for (const socket of open) socket.destroy()
    await closed
  }

  await listen()
  return { url: `http://127.0.0.1:${port}`, leave, comeBack: listen, close: leave }
}
