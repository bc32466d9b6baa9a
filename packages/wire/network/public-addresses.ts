/**
 * Which addresses are public. Callers name addresses and must not reach the operator's network through them, so names
 * are checked when a connection resolves them.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

/** The only part of IPv6 that is given out for the public internet. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
/** Public by its range, but inside Azure it is the host's own server, which gives out certificates and settings. */
const AZURE_WIRE_SERVER = '168.63.129.16'

export type Resolve = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void

/** False for every special-purpose range of IANA's registries, also in IPv6 notation, and for text that is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address === AZURE_WIRE_SERVER) return false
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST)
}

/** Judges the host name of a URL without a lookup: false for an address that is not public and for `localhost`. */
export function mayBePublic(hostname: string): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '')
  return isIP(literal) === 0 ? !/(?:^|\.)localhost\.?$/i.test(literal) : isPublicAddress(literal)
}

/**
 * The lookup of a connection: the addresses that it checks are those that the socket connects to, so a name that is
 * resolved differently the next time gains nothing. One private address among several refuses the name, with `EACCES`.
 */
export function guardedLookup(resolve: Resolve = lookup): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '')
      if (addresses.length === 0 || addresses.some(({ address }) => !isPublicAddress(address)))
        return callback(Object.assign(new Error(`${hostname} is not a public address`), { code: 'EACCES' }), '')
      if (options.all) return callback(null, addresses)
      return callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}
