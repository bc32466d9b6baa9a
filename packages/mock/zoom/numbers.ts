/** Meeting numbers, passcodes and ids in the platform's form. */
import { randomInt, randomUUID } from 'node:crypto'

/** Nine to eleven digits (docs/platform-notes/zoom.md#meeting-links). */
export const NUMBER = /^\d{9,11}$/

export function randomNumber(): string {
  return `8${String(randomInt(0, 10 ** 10)).padStart(10, '0')}`
}

/** The passcode as people type it, and the longer form in links (docs/platform-notes/zoom.md#reading-a-link). */
export interface Passcode {
  human: string
  inLink: string
}

export function randomPasscode(): Passcode {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
  const long = Array.from({ length: 30 }, () => letters[randomInt(letters.length)]).join('')
  return { human: String(randomInt(100_000, 1_000_000)), inLink: `${long}.1` }
}

export function isRight(given: string, { human, inLink }: Passcode): boolean {
  return given === human || given === inLink || given === inLink.split('.')[0]
}

const FIRST_NODE = 16_778_240
const NODE_STEP = 1024

/** Ids of participants: multiples of 1024, never given twice. */
export class Nodes {
  private given = 0

  next(): number {
    this.given += randomInt(1, 4)
    return FIRST_NODE + this.given * NODE_STEP
  }
}

export function messageId(): string {
  return `3-{${randomUUID()}}`
}
