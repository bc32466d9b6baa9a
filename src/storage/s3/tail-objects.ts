/**
 * `<note>/<offset>` beside a growing file in the bucket: the bytes behind its last stored part, every few seconds, so that
 * a machine that is lost takes no more than those seconds with it. They go as parts take their place.
 */
import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { readSmallObject } from './object.ts'
import { removeObject } from './recovery-object.ts'
import type { S3Session } from './session.ts'

/** More than this only piles up while the server is away; then parts are more urgent. */
const MAX_BYTES = 8 * 1024 * 1024
const DELETES_AT_ONCE = 16
/** A server may be away for a moment when it is asked whether it deletes. */
const MAX_UNDELETED = 3

/** The body, as far as this machine has it. Offsets in bytes. */
export interface TailSource {
  /** Up to where it is whole. */
  end(): number
  /** Up to where the server has all parts. */
  storedTo(): number
  /** Null if a part of it has gone meanwhile. */
  read(from: number, to: number): Promise<Buffer | null>
}

interface Tail {
  key: string
  to: number
}

export class TailObjects {
  readonly #session: S3Session
  readonly #noteKey: string
  readonly #source: TailSource
  readonly #stop = new AbortController()
  #tails: Tail[] = []
  #end = 0
  #running: Promise<void> = Promise.resolve()

  constructor(session: S3Session, noteKey: string, source: TailSource) {
    this.#session = session
    this.#noteKey = noteKey
    this.#source = source
  }

  /** Every `everyMs` from now on, in the background. */
  begin(everyMs: number): void {
    this.#running = this.#keep(everyMs).catch(() => {
      // Stopped, or not allowed: then the loss of the machine costs what no part holds.
    })
  }

  /** They stay for recovery. Never rejects. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error('The file grows no longer'))
    await this.#running
  }

  /** Never rejects. */
  async remove(): Promise<void> {
    await this.stop()
    await removeObjects(this.#session, this.#tails.splice(0))
  }

  async #keep(everyMs: number): Promise<void> {
    let mayDelete = false
    while (true) {
      await delay(everyMs, undefined, { signal: this.#stop.signal })
      const storedTo = this.#source.storedTo()
      const isDone = (tail: Tail) => tail.to <= storedTo
      await removeObjects(this.#session, this.#tails.filter(isDone), this.#stop.signal)
      this.#stop.signal.throwIfAborted()
      this.#tails = this.#tails.filter((tail) => !isDone(tail))
      const from = Math.max(this.#end, storedTo)
      const to = Math.min(this.#source.end(), from + MAX_BYTES)
      const content = to > from ? await this.#source.read(from, to) : null
      if (content === null) continue
      const key = tailKey(this.#noteKey, from)
      // Noted before its upload: one that is stopped, or whose answer is lost, can be in the bucket all the same.
      this.#tails = [...this.#tails.filter((tail) => tail.key !== key), { key, to }]
      // Bytes of a failed upload are part of the next tail.
      if (!(await this.#put(key, content))) continue
      this.#end = to
      // Without the right to delete they would lie in the bucket by the thousand.
      if (!mayDelete) mayDelete = await removeObject(this.#session, `${this.#noteKey}/probe`, this.#stop.signal)
      if (!mayDelete && this.#tails.length >= MAX_UNDELETED) return
    }
  }

  async #put(key: string, content: Buffer): Promise<boolean> {
    const once = { ...this.#session.tuning.patience, totalMs: 0 }
    const circumstances = { step: 'store', key, signal: this.#stop.signal, patience: once }
    try {
      const ContentMD5 = createHash('md5').update(content).digest('base64')
      const object = { Body: content, ContentLength: content.length, ContentMD5 }
      await this.#session.send(circumstances, PutObjectCommand, object)
      return true
    } catch {
      this.#stop.signal.throwIfAborted()
      return false
    }
  }
}

function tailKey(noteKey: string, offset: number): string {
  return `${noteKey}/${String(offset).padStart(15, '0')}`
}

/** The bytes in the tails of a crashed bot, from `from` on without a gap. Best effort: listing needs a separate permission. */
export async function readTails(
  session: S3Session,
  noteKey: string,
  from: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const pieces: Buffer[] = []
  let end = from
  for (const { key, offset } of await listTails(session, noteKey, signal)) {
    if (offset > end) break
    const content = await readSmallObject(session, { step: 'read', key, signal }, MAX_BYTES)
    if (offset + content.length <= end) continue
    pieces.push(Buffer.from(content.subarray(end - offset)))
    end = offset + content.length
  }
  return Buffer.concat(pieces)
}

/** Best effort. */
export async function removeTails(session: S3Session, noteKey: string, signal: AbortSignal): Promise<void> {
  await removeObjects(session, await listTails(session, noteKey, signal).catch(() => []))
}

async function listTails(
  session: S3Session,
  noteKey: string,
  signal: AbortSignal,
): Promise<{ key: string; offset: number }[]> {
  const prefix = `${noteKey}/`
  const tails: { key: string; offset: number }[] = []
  let token: string | undefined
  do {
    const page = await session.request({ step: 'list objects below', key: prefix, signal }, (options) =>
      session.client.send(
        new ListObjectsV2Command({ Bucket: session.bucket, Prefix: prefix, ContinuationToken: token }),
        options,
      ),
    )
    for (const { Key: key = '' } of page.Contents ?? []) {
      const offset = Number(key.slice(prefix.length))
      if (Number.isSafeInteger(offset)) tails.push({ key, offset })
    }
    token = page.IsTruncated === true ? page.NextContinuationToken : undefined
  } while (token !== undefined)
  return tails.sort((a, b) => a.offset - b.offset)
}

async function removeObjects(
  session: S3Session,
  objects: readonly { key: string }[],
  stop?: AbortSignal,
): Promise<void> {
  for (let start = 0; start < objects.length && stop?.aborted !== true; start += DELETES_AT_ONCE)
    await Promise.all(objects.slice(start, start + DELETES_AT_ONCE).map(({ key }) => removeObject(session, key, stop)))
}
