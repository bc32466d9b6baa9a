/** Links to files, through the service, that work for a while without a key: HMAC-SHA256 over key, end and file name. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FileStore } from '../platform/ports.ts'
import { checkedParts, keyParts } from './keys.ts'

export interface LinkSigner {
  sign(key: string, seconds: number, downloadName?: string): string
  /** The target of the link, or the reason why it does not work. */
  check(key: string, query: Readonly<Record<string, unknown>>): { downloadName: string | null } | 'forged' | 'expired'
}

export interface LinkSignerSettings {
  /** 32 random bytes that belong to this installation. */
  secret: Buffer
  /** Address of the service, as callers see it. */
  publicUrl: string
  /** UTC milliseconds. */
  now: () => number
}

export function createLinkSigner({ secret, publicUrl, now }: LinkSignerSettings): LinkSigner {
  const base = publicUrl.replace(/\/+$/, '')
  const signatureOf = (key: string, expires: string, name: string) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['file', key, expires, name]))
      .digest()

  return {
    sign(key, seconds, downloadName = '') {
      const expires = String(Math.floor(now() / 1000 + seconds))
      const query = new URLSearchParams({
        expires,
        ...(downloadName !== '' && { name: downloadName }),
        signature: signatureOf(key, expires, downloadName).toString('base64url'),
      })
      return `${base}/files/${key.split('/').map(encodeURIComponent).join('/')}?${query}`
    },
    check(key, query) {
      const { expires, name = '', signature } = query
      if (typeof expires !== 'string' || typeof name !== 'string' || typeof signature !== 'string') return 'forged'
      if (keyParts(key) === null) return 'forged'
      const given = Buffer.from(signature, 'base64url')
      const expected = signatureOf(key, expires, name)
      if (given.length !== expected.length || !timingSafeEqual(given, expected)) return 'forged'
      if (Number(expires) * 1000 <= now()) return 'expired'
      return { downloadName: name === '' ? null : name }
    },
  }
}

/** `sign` of a store whose files the service serves. */
export const signKeys =
  (links: LinkSigner): FileStore['sign'] =>
  async (key, seconds, options) =>
    links.sign(checkedParts(key).join('/'), seconds, options?.downloadName)
