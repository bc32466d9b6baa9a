/**
 * `<file>.<id>.recovery` beside a growing file in the bucket: what is needed to finish it when this machine is gone. It is
 * written again regularly, so that its time shows that the bot runs; it is deleted when the file is finished.
 */
import { createHash } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { jsonText } from '@standin/wire/text/json-text.ts'
import type { GrowthStart } from '../growth-journal.ts'
import type { S3Session } from './session.ts'

/** A tiny request; abandoned recordings are looked for by the hour. */
const BEAT_MS = 60_000

interface RecoveryNote extends GrowthStart {
  uploadId: string
}

/** Each upload has its own key: a bot that is started again must not overwrite the note of its predecessor. */
export function recoveryKey(key: string, uploadId: string): string {
  return `${key}.${createHash('sha256').update(uploadId).digest('hex').slice(0, 8)}.recovery`
}

export class RecoveryObject {
  readonly #session: S3Session
  readonly #start: GrowthStart
  readonly #stop = new AbortController()
  #key: string | null = null
  #writing: Promise<void> = Promise.resolve()

  constructor(session: S3Session, start: GrowthStart) {
    this.#session = session
    this.#start = start
  }

  /** From now on in the background, as often as it takes. */
  begin(uploadId: string): void {
    this.#key = recoveryKey(this.#start.s3!.key, uploadId)
    const note: RecoveryNote = { ...this.#start, uploadId }
    this.#writing = this.#keep(this.#key, jsonText(note)).catch(() => {
      // Stopped, or not allowed: without it the file is still finished, by this process or from the spool.
    })
  }

  /** It stays for recovery. Never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('The file grows no longer'))
    await this.#writing
  }

  /** Never rejects; what cannot be removed is small, and names an upload that is no more. */
  async remove(): Promise<void> {
    await this.stop()
    if (this.#key === null) return
    await removeObject(this.#session, this.#key)
  }

  async #keep(key: string, note: string): Promise<void> {
    const { tuning } = this.#session
    while (true) {
      const patience = { ...tuning.patience, totalMs: Number.POSITIVE_INFINITY }
      const circumstances = {
        step: 'note for recovery',
        key,
        signal: this.#stop.signal,
        patience,
        isPassing: () => true,
      }
      const ContentMD5 = createHash('md5').update(note).digest('base64')
      const object = { Body: note, ContentType: 'application/json', ContentMD5 }
      await this.#session.send(circumstances, PutObjectCommand, object)
      await tuning.clock.sleep(BEAT_MS, this.#stop.signal)
    }
  }
}

/** Best effort, and never long. Resolves with whether it is gone. */
export async function removeObject(session: S3Session, key: string, stop?: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.timeout(session.tuning.cleanupMs)
  const signal = stop === undefined ? limit : AbortSignal.any([limit, stop])
  const patience = { ...session.tuning.patience, totalMs: session.tuning.cleanupMs }
  return session.send({ step: 'remove', key, signal, patience }, DeleteObjectCommand, {}).then(
    () => true,
    // The right to delete may be missing.
    () => false,
  )
}
