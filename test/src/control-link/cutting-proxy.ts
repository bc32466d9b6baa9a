/** A TCP relay that cuts each connection after so many bytes in one direction. */
import { createConnection, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Cut {
  /** Seen from the bot. */
  direction: 'up' | 'down'
  /** Bytes that still pass in that direction. */
  afterBytes: number
}

export interface CuttingProxy {
  url: string
  /** Connections so far. */
  connections: number
  /** Bytes of each connection, oldest first. */
  traffic: { up: number; down: number }[]
  /** Says for each connection where it breaks; null lets it live. */
  cut: (connection: number) => Cut | null
  /** While true no bytes pass, and the connections stay open. */
  isSilent: boolean
}

export async function startCuttingProxy(targetUrl: string): Promise<CuttingProxy> {
  const target = new URL(targetUrl)
  const sockets = new Set<Socket>()
  const proxy: CuttingProxy = { url: '', connections: 0, traffic: [], cut: () => null, isSilent: false }
  const server = createServer((bot) => {
    const cut = proxy.cut(proxy.connections)
    const passed = { up: 0, down: 0 }
    proxy.connections += 1
    proxy.traffic.push(passed)
    const plane = createConnection({ host: target.hostname, port: Number(target.port) })
    const end = () => {
      bot.destroy()
      plane.destroy()
    }
    for (const socket of [bot, plane]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', end)
      socket.on('close', () => {
        sockets.delete(socket)
        // A silent link does not even say that it is over.
        if (!proxy.isSilent) end()
      })
    }
    const relay = (from: Socket, to: Socket, direction: Cut['direction']) =>
      from.on('data', (bytes) => {
        if (proxy.isSilent) return
        const room = cut?.direction === direction ? cut.afterBytes - passed[direction] : Number.POSITIVE_INFINITY
        const part = bytes.subarray(0, Math.max(0, room))
        passed[direction] += part.length
        // The last bytes leave before the connection does, so that the cut is where it should be.
        if (bytes.length >= room) to.write(part, () => end())
        else to.write(part)
      })
    relay(bot, plane, 'up')
    relay(plane, bot, 'down')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const address = server.address() as { port: number }
  proxy.url = `ws://127.0.0.1:${address.port}/`
  return proxy
}
