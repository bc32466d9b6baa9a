/** Meeting codes in the platform's form. */
import { randomInt } from 'node:crypto'

export const CODE = /^[a-z]{3}-[a-z]{4}-[a-z]{3}$/

export function randomCode(): string {
  const letters = (count: number) =>
    Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('')
  return `${letters(3)}-${letters(4)}-${letters(3)}`
}
