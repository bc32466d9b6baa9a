/**
 * The way of the requests of a page that a caller named: a forwarder that refuses what is not on the public internet, for
 * documents, what they load, their redirects, `fetch`, workers and WebSockets alike. The address that is checked is the one that is
 * connected to. WebRTC does not use it.
 */
import { guardedLookup, mayBePublic } from '@standin/wire/network/public-addresses.ts'
import { RequestError } from 'proxy-chain'
import { Forwarder } from './egress.ts'

export interface PageGuard {
  /** For a context of Playwright. */
  proxy: { server: string; username: string; password: string }
  /** Whether a request to this host was refused, such as `10.0.0.1`. */
  hasRefused(hostname: string): boolean
  /** Repeatable, never rejects. */
  close(): Promise<void>
}

/** More are a page that tries many; the oldest is forgotten. */
const MAX_REFUSED = 200

/**
 * `isPermitted`: the operator permits the host of this address even if it is private or without TLS. `upstream`: the proxy of the
 * operator, which connects instead, to a name that was checked here.
 */
export async function openPageGuard(
  isPermitted: (address: string) => boolean,
  upstream: string | null,
): Promise<PageGuard> {
  const refused = new Set<string>()
  const refuse = (hostname: string, reason: string): never => {
    refused.delete(hostname)
    refused.add(hostname)
    if (refused.size > MAX_REFUSED) refused.delete(refused.values().next().value!)
    throw new RequestError(`Standin does not let a shown page reach this address: ${reason}`, 403)
  }
  const lookup = guardedLookup()
  const resolve = (hostname: string) =>
    new Promise<void>((done) =>
      // An unknown name is the upstream proxy's to refuse.
      lookup(hostname, {}, (error) => (error?.code === 'EACCES' ? done(Promise.reject(error)) : done())),
    )
  const forwarder = new Forwarder(async ({ hostname, port, isHttp }) => {
    const onward = upstream === null ? {} : { upstreamProxyUrl: upstream }
    if (isPermitted(`${isHttp ? 'http' : 'https'}://${hostname}:${port}`)) return onward
    if (isHttp) refuse(hostname, 'it has no TLS')
    if (!mayBePublic(hostname)) refuse(hostname, 'it is not public')
    await resolve(hostname).catch(() => refuse(hostname, 'its name does not lead to a public address'))
    return { ...onward, dnsLookup: lookup as never }
  })
  await forwarder.listen()
  return {
    proxy: { server: `http://127.0.0.1:${forwarder.port}`, ...forwarder.login },
    hasRefused: (hostname) => refused.has(hostname),
    close: () => forwarder.close(true).catch(() => {}),
  }
}
