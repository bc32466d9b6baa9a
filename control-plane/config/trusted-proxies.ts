/** Addresses of proxies in front of the service, as the web framework reads them. */
import ipaddr from 'ipaddr.js'

export interface ParsedProxies {
  proxies: string[]
  /** The words that are neither an address nor a range. */
  wrong: string[]
}

/** Range `/0` is refused: it would let every caller choose the address that the service sees. */
export function parseTrustedProxies(words: readonly string[]): ParsedProxies {
  return { proxies: words.filter(isProxy), wrong: words.filter((word) => !isProxy(word)) }
}

function isProxy(word: string): boolean {
  const [address = '', bits, ...more] = word.split('/')
  // A zone is a name of one machine's network card, which the web framework does not know.
  const isAddress =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (ipaddr.IPv6.isValid(address) && !address.includes('%'))
  if (!isAddress || bits === undefined) return isAddress
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) > 0 && ipaddr.isValidCIDR(word)
}
