/** A proxy between bots and the link servers: one address for all of them, and connections that can be cut. */

import type { AddressInfo } from 'node:net'
import { connect, createServer, type Socket } from 'node:net'

export interface LinkProxy {
  url: string
  /** Cuts this share of the connections, without a word. Returns how many. */
  cut(share: number): number
  close(): Promise<void>
}

/** Each connection goes to the next of these ports; the list may change. */
export async function startLinkProxy(ports: readonly number[]): Promise<LinkProxy> {
  const pairs = new Set<{ near: Socket; far: Socket }>()
  let turn = 0
  const server = createServer((near) => {
    const far = connect(ports[turn++ % ports.length] ?? 1, '127.0.0.1')
    const pair = { near, far }
    pairs.add(pair)
    near.pipe(far)
    far.pipe(near)
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
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/link`,
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
}
