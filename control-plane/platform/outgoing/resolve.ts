/** Resolves names of the public internet without a thread: a name that never answers delays no other one. */

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import type { Resolve } from '@standin/wire/network/public-addresses.ts'

/** One repeat, which has twice the time: three seconds, less than a connection may take. */
const PATIENCE = { timeout: 1_000, tries: 2 }

export interface ResolverSettings {
  /** `address` or `address:port`; those of the system if it is left out. */
  servers?: readonly string[]
  /** Absolute path. */
  hostsFile?: string
  /** The system's own lookup. */
  system?: Resolve
}

/**
 * Asks the name servers of the system. Names of its hosts file, and those without a dot, are left to the system's own
 * lookup. That lookup blocks one of few threads, so no other name uses it.
 */
export function createResolve(settings: ResolverSettings = {}): Resolve {
  const { servers, hostsFile = '/etc/hosts', system = lookup } = settings
  return (hostname, options, callback) => {
    const answer = async () => {
      if (!hostname.replace(/\.$/, '').includes('.') || (await isInHosts(hostsFile, hostname)))
        return system(hostname, options, callback)
      // A new resolver each time reads the current settings of the system.
      const resolver = new Resolver(PATIENCE)
      if (servers !== undefined) resolver.setServers(servers)
      ask(resolver, hostname, familyOf(options)).then(
        (addresses) => callback(null, addresses),
        (error) => callback(error, []),
      )
    }
    void answer()
  }
}

const familyOf = ({ family }: LookupOptions): 0 | 4 | 6 =>
  family === 4 || family === 'IPv4' ? 4 : family === 6 || family === 'IPv6' ? 6 : 0

/** Addresses of one family are enough; IPv4 first, which every machine reaches. */
async function ask(resolver: Resolver, hostname: string, family: 0 | 4 | 6): Promise<LookupAddress[]> {
  const asked = await Promise.allSettled([
    family === 6 ? [] : resolver.resolve4(hostname),
    family === 4 ? [] : resolver.resolve6(hostname),
  ])
  const addresses = asked.flatMap((answer, index) =>
    answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
  )
  if (addresses.length > 0) return addresses
  const codes = asked.flatMap((answer) => (answer.status === 'rejected' ? [String(answer.reason.code)] : []))
  const isUnknown = codes.every((code) => code === 'ENOTFOUND' || code === 'ENODATA')
  throw Object.assign(new Error(`${hostname} was not resolved`), { code: isUnknown ? 'ENOTFOUND' : 'EAI_AGAIN' })
}

async function isInHosts(file: string, hostname: string): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const name = hostname.replace(/\.$/, '').toLowerCase()
  return text.split('\n').some((line) => line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/).indexOf(name) > 0)
}
