/** A server of ours for one test, with the storage that is to cope with it. */
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import type { Clock } from '../../../packages/core/ports.ts'
import type { GrowingFile, StoredFile } from '../../../packages/core/recording.ts'
import type { S3Config, S3Tuning } from '../../../src/storage/s3/session.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { type S3Server, type S3ServerOptions, startS3Server, storageOf } from '../../servers/s3-server.ts'
import type { Keys } from '../../servers/sigv4.ts'
import { numberedBody, numberedPiece } from './numbered-pieces.ts'
import { head, never, video } from './place.ts'
import { TEST_TUNING } from './s3-place.ts'

/** The smallest part of these servers; S3's own 5 MiB would only make the suite slow. */
export const STEP = 256 * 1024
/** For stalls: nothing on loopback takes this long unless it never comes. */
export const IMPATIENT: Partial<S3Tuning> = { idleMs: 400, requestMs: 3_000 }

export async function serve(options: S3ServerOptions = {}): Promise<S3Server> {
  const server = await startS3Server({ smallestPart: STEP, ...options })
  onTestFinished(() => server.close())
  return server
}

/** Without tails: there would be more in the bucket than a test expects, or not, as time will have it. */
export function configOf(server: S3Server, overrides: Partial<S3Config> = {}): S3Config {
  return { ...storageOf(server), tail_seconds: 0, ...overrides }
}

export function open(
  server: S3Server,
  overrides: Partial<S3Config> = {},
  tuning: Partial<S3Tuning> = {},
  workFolder?: string,
): S3Storage {
  const recording = { botId: 'bot', ...(workFolder !== undefined && { workFolder }) }
  return new S3Storage(configOf(server, overrides), recording, { ...TEST_TUNING, partBytes: STEP, ...tuning })
}

export const bodyOf = (server: S3Server) => server.state.objects.get('bot/video.mp4')?.body
export const store = async (storage: S3Storage, path: string, signal = never): Promise<StoredFile> =>
  storage.store({ name: 'video.mp4', path, ...video }, signal)
export const count = (server: S3Server, operation: string) =>
  server.requests.filter((request) => request.operation === operation).length

/** Of growing files. */
export const PIECE = STEP / 4

export async function append(file: GrowingFile, from: number, to: number): Promise<void> {
  for (let number = from; number < to; number++) await file.append(numberedPiece(number, PIECE))
}

export async function expectWhole(server: S3Server, file: GrowingFile, pieces: number): Promise<void> {
  await file.finish((room) => head(room!), never)
  expect(bodyOf(server)?.subarray(STEP).equals(numberedBody(pieces, PIECE))).toBe(true)
  expect(bodyOf(server)?.length).toBe(STEP + pieces * PIECE)
  expect(server.state.uploads.size).toBe(0)
}

/** Minutes pass in moments, for pauses and for readers of the clock. */
const FAST = 1000
const startedAt = Date.now() - performance.now()
export const fastClock: Clock = {
  now: () => startedAt + performance.now() * FAST,
  sleep: async (ms, signal) => void (await delay(ms / FAST, undefined, { signal })),
}

/** The session of every key ends. */
export const endAll = (keys: Keys[]) => {
  for (const each of keys) each.expiresAt = 0
}
