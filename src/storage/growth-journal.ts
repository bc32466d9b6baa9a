/** The journal beside a growing file, by which recovery finishes the file after a crash of its process: JSON lines. */
import { type FileHandle, open, readFile } from 'node:fs/promises'
import path from 'node:path'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { z } from 'zod'
import { APPEND_NO_LINK, OWN_FILE, READ_NO_LINK } from './folder/file-writing.ts'

export const JOURNAL_NAME = 'journal.jsonl'

/** The first line. Holds no secret. It comes back from a folder or a bucket that others may have written to. */
export const growthStartSchema = z.object({
  name: z.string().min(1).max(1024),
  contentType: z.string().max(200),
  /** Bytes in front of the body in the finished file, unless that has a compact head. */
  room: z
    .int()
    .min(0)
    .max(1024 ** 3),
  recoveryHead: z.base64(),
  /** UTC milliseconds. */
  startedAt: z.number().min(0).max(8.64e15),
  /** Where the file goes, in S3; absent for a folder. */
  s3: z
    .object({
      bucket: z.string(),
      key: z.string(),
      endpoint: z.string().optional(),
      region: z.string().optional(),
      force_path_style: z.boolean().optional(),
      checksums: z.enum(['when_required', 'when_supported']).optional(),
      partBytes: z
        .int()
        .min(1)
        .max(5 * 1024 ** 3),
    })
    .optional(),
})
export type GrowthStart = z.infer<typeof growthStartSchema>

/** A part that the S3 server has. Digests in hex. */
const storedPartSchema = z.object({
  number: z.int().min(1),
  bytes: z.int().min(0),
  etag: z.string(),
  md5: z.string(),
  /** Where checksums are sent. */
  sha256: z.string().nullable(),
  crc32: z.int().min(0),
})
export type StoredPart = z.infer<typeof storedPartSchema>

const lineSchema = z.union([
  z.object({ begin: growthStartSchema }),
  /** The body is whole up to here, in bytes. */
  z.object({ to: z.int().min(0) }),
  z.object({ upload: z.string() }),
  z.object({ part: storedPartSchema }),
  /** The file is complete at its place; what is left here is rubbish. */
  z.object({ done: z.literal(true) }),
])
type Line = z.infer<typeof lineSchema>

export interface Growth {
  start: GrowthStart
  wholeBytes: number
  uploadId: string | null
  parts: StoredPart[]
  isDone: boolean
}

/** Writes lines, each whole or not at all as a reader sees them. */
export class GrowthJournal {
  readonly #handle: FileHandle
  /** The last line may be without its end. */
  #isTorn = false

  private constructor(handle: FileHandle) {
    this.#handle = handle
  }

  static async begin(folder: string, start: GrowthStart): Promise<GrowthJournal> {
    const journal = new GrowthJournal(await open(path.join(folder, JOURNAL_NAME), 'ax', OWN_FILE))
    try {
      await journal.write({ begin: start })
      return journal
    } catch (error) {
      await journal.close()
      throw error
    }
  }

  /** Continues the journal of a crashed process. */
  static async goOn(folder: string): Promise<GrowthJournal> {
    const journal = new GrowthJournal(await open(path.join(folder, JOURNAL_NAME), APPEND_NO_LINK))
    journal.#isTorn = true
    return journal
  }

  /** Resolves when the operating system has the line: it survives this process. */
  async write(line: Line): Promise<void> {
    const text = `${this.#isTorn ? '\n' : ''}${jsonText(line)}\n`
    const { bytesWritten } = await this.#handle.write(text)
    this.#isTorn = bytesWritten < Buffer.byteLength(text)
    if (this.#isTorn) throw Object.assign(new Error('The disk took only a part of a line'), { code: 'ENOSPC' })
  }

  async close(): Promise<void> {
    await this.#handle.close()
  }
}

/** Reads what a dead process left; null if not even the first line is whole, so that nothing was kept either. */
export async function readGrowth(folder: string): Promise<Growth | null> {
  const text = await readFile(path.join(folder, JOURNAL_NAME), { encoding: 'utf8', flag: READ_NO_LINK }).catch(() => '')
  let growth: Growth | null = null
  for (const raw of text.split('\n')) {
    const line = parseLine(raw)
    if (line === null) continue
    if ('begin' in line) growth ??= { start: line.begin, wholeBytes: 0, uploadId: null, parts: [], isDone: false }
    if (growth === null) continue
    if ('to' in line) growth.wholeBytes = line.to
    if ('upload' in line) growth.uploadId = line.upload
    if ('part' in line) growth.parts.push(line.part)
    if ('done' in line) growth.isDone = true
  }
  return growth
}

/** Null for the torn line that a kill leaves. */
function parseLine(text: string): Line | null {
  try {
    return text === '' ? null : (lineSchema.safeParse(JSON.parse(text)).data ?? null)
  } catch {
    return null
  }
}
