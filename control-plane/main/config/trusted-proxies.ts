/** Addresses of proxies in front of the service, as the web framework reads them. */
import ipaddr from 'ipaddr.js'
import { list } from './kind.ts'

export const trustedProxies = list(
  'proxy',
  'Write addresses or ranges of your proxies, such as 10.0.0.5,10.1.0.0/16,fd00::/8, separated by commas',
  (word) => (isProxy(word) ? word : null),
)

/** Range `/0` is refused: it would let every caller choose the address that the service sees. */
function isProxy(word: string): boolean {
  const [address = '', bits, ...more] = word.split('/')
  // A zone is a name of one machine's network card, which the web framework does not know.
  const isAddress =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (ipaddr.IPv6.isValid(address) && !address.includes('%'))
  if (!isAddress || bits === undefined) return isAddress
  return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) > 0 && ipaddr.isValidCIDR(word)
}
