/** Passwords of people: scrypt with a salt for each. */
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'

/** About 60 ms and 32 MB on the machines of 2026. Stored with each password, so that they can be raised later. */
const COST = { N: 32_768, r: 8, p: 1 }
const KEY_BYTES = 32
const SALT_BYTES = 16
const MAX_MEMORY = 128 * 1024 * 1024

export const MIN_PASSWORD_LENGTH = 10
export const MAX_PASSWORD_LENGTH = 200

/** `scrypt$N$r$p$salt$key`. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const { N, r, p } = COST
  const key = await derive(password, salt, { N, r, p })
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')
}

/** Checks a password. Null (no password) takes as long as one, so that the time does not reveal whether a person exists. */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, N, r, p, salt, key] = (stored ?? (await nobodys())).split('$')
  const expected = Buffer.from(key ?? '', 'base64')
  const given = await derive(password, Buffer.from(salt ?? '', 'base64'), { N: Number(N), r: Number(r), p: Number(p) })
  return given.length === expected.length && timingSafeEqual(given, expected) && stored !== null
}

let placeholder: Promise<string> | undefined
function nobodys(): Promise<string> {
  placeholder ??= hashPassword(randomBytes(SALT_BYTES).toString('hex'))
  return placeholder
}

function derive(password: string, salt: Buffer, cost: ScryptOptions): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}
