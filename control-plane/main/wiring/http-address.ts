/** Addresses of the service itself. */
import { type AddressInfo, createServer as createSocket } from 'node:net'
import type { ServiceConfig } from '../config/config.ts'

/** The address under which this machine reaches the service: a wildcard address becomes the loopback one. */
export function httpAddress(host: string, port: number): URL {
  const reachable = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host
  return new URL(`http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`)
}

/** Setting of the database with the address under which the API was last served. */
export const PUBLIC_URL = 'public_url'

/** Setting of the database: whether the API that was last served takes private addresses for webhooks. */
export const PRIVATE_ADDRESSES = 'private_addresses'

/** The address under which callers reach it. */
export function publicUrlOf(
  { publicUrl, host, port }: Pick<ServiceConfig, 'publicUrl' | 'host' | 'port'>,
  address = httpAddress(host, port),
): string {
  return publicUrl ?? address.href.replace(/\/$/, '')
}

/**
 * The port, or a free one for 0: links are signed with the address before anything listens. Rejects with the system's error if the
 * port cannot be used.
 */
export function freePort(host: string, wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = createSocket()
    socket.once('error', reject)
    socket.listen(wanted, host, () => {
      const { port } = socket.address() as AddressInfo
      socket.close(() => resolve(port))
    })
  })
}
