/** JSON documents with an Ed25519 signature: `{"signed": …, "signature": "…"}`. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'

/** A public key as people write it: 32 bytes in base64url. */
export const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/

/** A new key pair: the private key as PEM. */
export function newSigningKey(): { privateKey: string; publicKey: string } {
  const { privateKey } = generateKeyPairSync('ed25519')
  return { privateKey: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), publicKey: textOf(privateKey) }
}

const textOf = (key: KeyObject): string => createPublicKey(key).export({ format: 'jwk' }).x!

/** Throws if the key is no Ed25519 key in PEM. */
export function signJson(value: unknown, privateKey: string): { document: object; publicKey: string } {
  const key = createPrivateKey(privateKey)
  if (key.asymmetricKeyType !== 'ed25519') throw new Error('The key is no Ed25519 key')
  const signature = sign(null, bytesOf(value), key).toString('base64')
  return { document: { signed: value, signature }, publicKey: textOf(key) }
}

/** The signed value. Throws if the document is not signed with this key. */
export function readSigned(document: unknown, publicKey: string): unknown {
  const { signed, signature } = (document ?? {}) as { signed?: unknown; signature?: unknown }
  if (signed === undefined || typeof signature !== 'string') throw new Error('It is not signed')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: publicKey }, format: 'jwk' })
  if (!verify(null, bytesOf(signed), key, Buffer.from(signature, 'base64')))
    throw new Error('Its signature does not fit the key')
  return signed
}

/** The same bytes for every order of fields and every indentation. */
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(ordered(value)))

function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  // Without a prototype, since a field may be called `__proto__`.
  return Object.assign(Object.create(null), Object.fromEntries(entries.map(([name, inner]) => [name, ordered(inner)])))
}
