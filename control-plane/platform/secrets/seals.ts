/**
 * Secrets at rest: AES-256-GCM. A sealed value is one version byte, the length and the text of the key's id, 12 random
 * bytes, the ciphertext and the 16 bytes of its tag. Table, column and row are authenticated with it.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { LostSecret, type SealedPlace, type Seals } from '../ports.ts'

const VERSION = 1
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const ALGORITHM = 'aes-256-gcm'

export interface SealKey {
  id: string
  key: Buffer
}

/** A key ring: the first key seals, all of them open. */
export interface KeyRing extends Seals {
  /** Id of the key that seals. */
  readonly sealingKey: string
  /** Id of the key that a value was sealed with. Throws for what is no sealed value. */
  keyIdOf(sealed: Buffer): string
}

/** Reads `id:base64,id:base64`. Throws with the place of the fault, never with a key. */
export function parseSealKeys(text: string): SealKey[] {
  const keys = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part, index) => {
      const [, id, encoded] = /^([A-Za-z0-9_-]{1,64}):([A-Za-z0-9+/]+={0,2})$/.exec(part) ?? []
      if (id === undefined || encoded === undefined) throw new Error(`Secret key ${index + 1} is not id:base64`)
      const key = Buffer.from(encoded, 'base64')
      if (key.length !== KEY_BYTES)
        throw new Error(`Secret key "${id}" has ${key.length} bytes instead of ${KEY_BYTES}`)
      return { id, key }
    })
  if (keys.length === 0) throw new Error('There is no secret key')
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new Error('Two secret keys have the same id')
  return keys
}

/** A new key as `parseSealKeys` reads it. */
export function newSealKey(id: string): string {
  return `${id}:${randomBytes(KEY_BYTES).toString('base64')}`
}

export function createSeals(keys: readonly SealKey[]): KeyRing {
  const first = keys[0]
  if (first === undefined) throw new Error('There is no secret key')
  const byId = new Map(keys.map((key) => [key.id, key]))

  return {
    sealingKey: first.id,
    keyIdOf: (sealed) => split(sealed).id,
    seal(text, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, first.key, nonce)
      const head = Buffer.concat([Buffer.from([VERSION, first.id.length]), Buffer.from(first.id, 'ascii')])
      cipher.setAAD(associated(head, place))
      return Buffer.concat([head, nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, place) {
      const { head, id, nonce, ciphertext, tag } = split(sealed)
      const key = byId.get(id)
      if (key === undefined) throw new LostSecret(`The secret key "${id}" of ${nameOf(place)} is missing`)
      const decipher = createDecipheriv(ALGORITHM, key.key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(associated(head, place))
      decipher.setAuthTag(tag)
      try {
        return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8')
      } catch {
        throw new LostSecret(
          `The sealed value in ${nameOf(place)} was changed, moved or sealed with another key "${id}"`,
        )
      }
    },
  }
}

function split(sealed: Buffer) {
  const idEnd = 2 + (sealed[1] ?? 0)
  if (sealed[0] !== VERSION || sealed.length < idEnd + NONCE_BYTES + TAG_BYTES) throw new Error('Not a sealed value')
  const nonceEnd = idEnd + NONCE_BYTES
  const tagStart = sealed.length - TAG_BYTES
  return {
    head: sealed.subarray(0, idEnd),
    id: sealed.toString('ascii', 2, idEnd),
    nonce: sealed.subarray(idEnd, nonceEnd),
    ciphertext: sealed.subarray(nonceEnd, tagStart),
    tag: sealed.subarray(tagStart),
  }
}

/** JSON keeps the parts apart: no two places give the same bytes. */
function associated(head: Buffer, { table, column, row }: SealedPlace): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([table, column, row]), 'utf8')])
}

function nameOf({ table, column, row }: SealedPlace): string {
  return `${table}.${column} of ${row}`
}
