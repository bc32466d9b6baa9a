/** The operations that the contract suite needs of every place where recordings are stored. */

import { createHash, randomBytes, randomFillSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { GrowingStart, Storage } from '../../../packages/core/recording.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

export interface Place {
  /** Files above this size go in several steps. */
  stepBytes: number
  /** The address under which `name` of `botId` is to be found. */
  addressOf(botId: string, name: string): string
  open(botId: string): Storage
  /** Reads a stored file by other means than the storage; null if there is none. */
  read(botId: string, name: string): Promise<Buffer | null>
  /** Temporary files and unfinished uploads of one bot. */
  leftovers(botId: string): Promise<string[]>
  /** Calls back once, in the middle of the next file of several steps, when a part of it is stored. */
  inTheMiddle(callback: () => void): void
  /** Changes one bit of the next stored file before it is verified. */
  damageNext(botId: string, name: string): void
}

/** A place in which files grow. */
export interface GrowingPlace extends Place {
  /** A body of this size is stored behind its room: it is no short recording any more. */
  longBytes: number
  /** The bot's folder on this machine, which contains the spool. */
  workFolder(botId: string): string
}

export const RECOVERY_HEAD = Buffer.from('a head for recovery')

export function growthOf(name: string, headBytes = 5_000): GrowingStart {
  return { name, contentType: 'video/mp4', headBytes, recoveryHead: RECOVERY_HEAD }
}

export function head(bytes: number): Buffer {
  return Buffer.alloc(bytes, 'head')
}

export function pieces(count: number, bytes: number): Buffer[] {
  return Array.from({ length: count }, () => randomBytes(bytes))
}

export interface LocalFile {
  path: string
  content: Buffer
  sha256: string
}

export async function localFile(bytes: number, folder?: string, name = 'local.bin'): Promise<LocalFile> {
  const content = Buffer.alloc(bytes)
  randomFillSync(content)
  const file = path.join(folder ?? temporaryFolder(), name)
  await writeFile(file, content)
  return { path: file, content, sha256: createHash('sha256').update(content).digest('hex') }
}

export const never = new AbortController().signal
export const video = { contentType: 'video/mp4' }

/** The error of a rejected promise; fails the test when it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if (!('error' in outcome)) throw new Error(`Did not reject but answered ${JSON.stringify(outcome.value)}`)
  if (!(outcome.error instanceof Error)) throw new Error(`Rejected with ${String(outcome.error)}, which is no Error`)
  return outcome.error
}
