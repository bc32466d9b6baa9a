/** Hosts whose connections go to another address, where their certificate is accepted. */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { connect } from 'node:tls'
import { messageOf } from '@standin/wire/text/error-text.ts'

export interface MappedHost {
  /** Such as `meet.google.com`. */
  host: string
  /** Such as `127.0.0.1:8443`. */
  address: string
}

const CONNECT_MS = 10_000

/** Arguments for Chromium. Rejects with a clear sentence when no TLS server answers at a mapped address. */
export async function mappedHostArguments(hosts: readonly MappedHost[], signal: AbortSignal): Promise<string[]> {
  if (hosts.length === 0) return []
  const hashes = new Set(await Promise.all(hosts.map((mapped) => publicKeyHash(mapped, signal))))
  const loopback = hosts.some(({ address }) => isLoopback(splitAddress(address).host))
  return [
    // Only these names: everything else is resolved as usual.
    `--host-resolver-rules=${hosts.map(({ host, address }) => `MAP ${host} ${address}`).join(',')}`,
    // Accepts exactly the keys that were found there, and no other unknown certificate.
    `--ignore-certificate-errors-spki-list=${[...hashes].join(',')}`,
    // Media of a server on this machine come from the loopback interface, which connections ignore otherwise.
    ...(loopback ? ['--allow-loopback-in-peer-connection'] : []),
  ]
}

/** Base64 SHA-256 of the public key that is served for the host at its address. */
export function publicKeyHash({ host, address }: MappedHost, signal: AbortSignal): Promise<string> {
  const place = splitAddress(address)
  return new Promise((resolve, reject) => {
    const socket = connect({
      host: place.host,
      port: place.port,
      servername: host,
      // The certificate is read, not trusted: the browser will accept this key for mapped hosts only.
      rejectUnauthorized: false,
    })
    const fail = (cause: unknown) => {
      socket.destroy()
      const reason = messageOf(cause)
      reject(new Error(`Cannot read the certificate of ${host} at ${address}: ${reason}`, { cause }))
    }
    socket.setTimeout(CONNECT_MS, () => fail(new Error(`no answer within ${CONNECT_MS / 1000} s`)))
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      socket.destroy()
      if (!certificate) return fail(new Error('the server showed no certificate'))
      const key = certificate.publicKey.export({ type: 'spki', format: 'der' })
      resolve(createHash('sha256').update(key).digest('base64'))
    })
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
  })
}

export function splitAddress(address: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]\s,]+)):(\d{1,5})$/i.exec(address)
  const port = Number(match?.[3])
  if (!match || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Error(`${address} is not an address such as 127.0.0.1:8443`)
  return { host: (match[1] ?? match[2])!, port }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || /^127\./.test(host) || (isIPv6(host) && /^(0*:)*:?0*1$/.test(host))
}
