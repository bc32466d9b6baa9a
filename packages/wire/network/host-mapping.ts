/** Connections for `host` go to `address` instead, and its certificate is accepted; for mock meetings and test networks. */
export interface HostMapping {
  host: string
  /** `ip:port`. */
  address: string
}

const MAPPING = /^(?<host>[a-z0-9.-]+)=(?<address>(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:]+\]|localhost):\d{1,5})$/i

/** Null if the text is not `host=ip:port`. */
export function readHostMapping(text: string): HostMapping | null {
  const { host, address } = MAPPING.exec(text)?.groups ?? {}
  if (host === undefined || address === undefined) return null
  return { host: host.toLowerCase(), address: address.replace(/^localhost/i, '127.0.0.1') }
}
