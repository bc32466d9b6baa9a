/** Addresses in `x-forwarded-for`, as proxies write them: with ports, brackets and quotes, or a word for an unknown one. */
import ipaddr from 'ipaddr.js'
import type { App } from './generation.ts'

const WITH_PORT = /^(\d[\d.]+):\d{1,5}$/
const IN_BRACKETS = /^\[([^\]]+)\](?::\d{1,5})?$/

/** In one spelling, without a port; null for anything that is no address. */
function plainAddress(text: string): string | null {
  const word = text.trim().replace(/^"(.*)"$/, '$1')
  const [, address = word] = WITH_PORT.exec(word) ?? IN_BRACKETS.exec(word) ?? []
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return null
  return ipaddr.process(address).toString()
}

/**
 * Leaves plain addresses in the header, since callers are counted by them. The nearest proxy writes the last one; what stands
 * before a word that is no address is not known to be true.
 */
export function readForwardedAddresses(app: App): void {
  app.addHook('onRequest', async ({ raw: { headers } }) => {
    const given = headers['x-forwarded-for']
    if (given === undefined) return
    const addresses = String(given).split(',').map(plainAddress)
    const known = addresses.slice(addresses.lastIndexOf(null) + 1)
    if (known.length > 0) headers['x-forwarded-for'] = known.join(', ')
    else delete headers['x-forwarded-for']
  })
}
