/** A proxy in front of servers: one address for all of them, and connections that can be cut, slow or dead. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'
import { Transform } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

export interface LinkProxy {
  url: string
  port: number
  /** Delay of every piece, both ways. Infinity: nothing passes; what was sent arrives when it passes again, as in TCP. */
  delayMs: number
  /** Cuts this share of the connections, without a word. Returns how many. */
  cut(share: number): number
  close(): Promise<void>
}

/** Dead connections look this often whether they are alive again. */
const LOOK_MS = 100

/** Each connection goes to the next of these ports or Unix sockets; the list may change. */
export async function startLinkProxy(targets: readonly (number | string)[]): Promise<LinkProxy> {
  const pairs = new Set<{ near: Socket; far: Socket }>()
  let turn = 0
  const late = () =>
    new Transform({
      async transform(piece, _encoding, done) {
        if (proxy.delayMs > 0) await sleep(Math.min(proxy.delayMs, LOOK_MS * 10))
        while (proxy.delayMs === Number.POSITIVE_INFINITY) await sleep(LOOK_MS)
        done(null, piece)
      },
    })
  const server = createServer((near) => {
    const target = targets[turn++ % targets.length] ?? 1
    const far = typeof target === 'number' ? connect(target, '127.0.0.1') : connect(target)
    const pair = { near, far }
    pairs.add(pair)
    near.pipe(late()).pipe(far)
    far.pipe(late()).pipe(near)
    for (const socket of [near, far]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        pairs.delete(pair)
        near.destroy()
        far.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const proxy: LinkProxy = {
    url: `ws://127.0.0.1:${port}/link`,
    port,
    delayMs: 0,
    cut(share) {
      const chosen = [...pairs].filter(() => Math.random() < share)
      for (const { near, far } of chosen) {
        near.resetAndDestroy()
        far.destroy()
      }
      return chosen.length
    },
    async close() {
      for (const { near } of pairs) near.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return proxy
}
