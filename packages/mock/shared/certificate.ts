/** A certificate for the real host names, new at each start. A browser flag accepts its key only. */
import { createHash, createPublicKey } from 'node:crypto'
import { generate } from 'selfsigned'

export interface Certificate {
  key: string
  cert: string
  /** Base64 SHA-256 of the public key (SPKI), for `--ignore-certificate-errors-spki-list`. */
  hash: string
}

export async function makeCertificate(hosts: readonly string[]): Promise<Certificate> {
  const yesterday = new Date(Date.now() - 86_400_000)
  const nextMonth = new Date(Date.now() + 30 * 86_400_000)
  const pems = await generate([{ name: 'commonName', value: hosts[0] ?? 'localhost' }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: yesterday,
    notAfterDate: nextMonth,
    extensions: [
      { name: 'subjectAltName', altNames: hosts.map((value) => ({ type: 2 as const, value })) },
      { name: 'extKeyUsage', serverAuth: true },
    ],
  })
  const publicKey = createPublicKey(pems.cert).export({ type: 'spki', format: 'der' })
  return { key: pems.private, cert: pems.cert, hash: createHash('sha256').update(publicKey).digest('base64') }
}
