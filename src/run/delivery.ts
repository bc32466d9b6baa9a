/** From finished files to stored ones. A local file goes only after the stored one is verified. */
import { readdir, rm, rmdir } from 'node:fs/promises'
import { extname, join, relative } from 'node:path'
import type { Artifact, Gap, WholeQuality } from '@standin/wire/events.ts'
import type { Job } from '@standin/wire/job.ts'
import { toError } from '@standin/wire/text/error-text.ts'
import { aborted, within } from '@standin/wire/time/deadline.ts'
import type { Logger } from '../../packages/core/logger.ts'
import type { Clock, ControlPlane, RecordedFile } from '../../packages/core/ports.ts'
import type { RecordedSpan, Recorder, Storage, StoredFile, StoredMedia } from '../../packages/core/recording.ts'
import { writeJson } from './artifacts.ts'

const CONTENT_TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4a': 'audio/mp4',
  '.ogg': 'audio/ogg',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.html': 'text/plain; charset=utf-8',
  '.rttm': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
  '.vtt': 'text/vtt; charset=utf-8',
  '.srt': 'application/x-subrip; charset=utf-8',
}

/** Beside the time for storing: the encoder is asked to stop first, within its own deadlines. */
const ENCODER_GRACE_MS = 30_000

/** For what is left once the storage itself is away, full or closed. */
const REST_MS = 20_000

const REPORT_TYPE = 'text/html; charset=utf-8'

/** Our own pages are served as HTML; the page of a meeting, which is evidence, never is. */
export function contentTypeOf(name: string): string {
  return name === 'report.html' ? REPORT_TYPE : (CONTENT_TYPES[extname(name)] ?? 'application/octet-stream')
}

export interface DeliveryParts {
  job: Job
  storage: Storage
  clock: Clock
  control: Pick<ControlPlane, 'report'>
  logger: Logger
  workFolder: string
}

export interface AboutRecording {
  spans: readonly RecordedSpan[]
  gaps: readonly Gap[]
  quality: WholeQuality | null
}

/** Result for each file. */
export interface Delivered {
  artifacts: Artifact[]
  /** The first file that could not be stored; the others were tried all the same. */
  problem: Error | null
}

/** Stores files as they are made and reports each one as it is safe; `manifest.json`, which lists them, comes last. */
export class Delivery {
  readonly #parts: DeliveryParts
  readonly #onProblem: (problem: Error) => void
  readonly #isOver = new AbortController()
  #signal: AbortSignal
  readonly #artifacts: Artifact[] = []
  #problem: Error | null = null

  /** The time for storing begins now. `onProblem` is called once, as soon as one file cannot be stored. */
  constructor(parts: DeliveryParts, onProblem: (problem: Error) => void) {
    this.#parts = parts
    this.#onProblem = onProblem
    this.#signal = AbortSignal.timeout(parts.job.timeout_config.storing_timeout * 1000)
  }

  /** What is stored from now on has to be stored within `ms`. */
  limit(ms: number): void {
    const late = new AbortController()
    const reason = new Error(`The storage did not take it within ${ms / 1000} s`)
    this.#parts.clock.sleep(ms, this.#isOver.signal).then(
      () => late.abort(reason),
      () => {},
    )
    this.#signal = AbortSignal.any([this.#signal, late.signal])
  }

  /**
   * Completes the files that were stored while they grew, even after other failures; they end at `until`. Never
   * rejects.
   */
  async complete(recorder: Pick<Recorder, 'finish'>, until: number | null = null): Promise<StoredMedia[]> {
    const { clock, job } = this.#parts
    const limitMs = job.timeout_config.storing_timeout * 1000 + ENCODER_GRACE_MS
    try {
      const finishing = recorder.finish(this.#signal, until)
      const { files, problem } = await within(clock, limitMs, finishing, () => new Error('It took too long'))
      for (const { stored, durationSeconds } of files) this.#artifacts.push(this.#report(stored, durationSeconds))
      if (problem !== null) this.#note('a recorded file', problem)
      return files
    } catch (error) {
      this.#note('the recording', error)
      return []
    }
  }

  /** Several at once; those that are stored already are left. Never rejects. */
  async store(files: readonly RecordedFile[]): Promise<void> {
    const stored = new Set(this.#artifacts.map(({ name }) => name))
    const artifacts = await Promise.all(
      files.filter(({ name }) => !stored.has(name)).map((file) => this.#storeOne(file)),
    )
    this.#artifacts.push(...artifacts.filter((artifact) => artifact !== null))
  }

  /** Never rejects. */
  async finish({ spans, gaps, quality }: AboutRecording): Promise<Delivered> {
    const { job, workFolder } = this.#parts
    const manifest = { name: 'manifest.json', path: join(workFolder, 'manifest.json'), bytes: 0 }
    await writeJson(workFolder, manifest.name, {
      bot_id: job.bot_id,
      recording_mode: job.recording_mode,
      spans: spans.map((span) => ({
        started_at: new Date(span.startedAt).toISOString(),
        ended_at: span.endedAt === null ? null : new Date(span.endedAt).toISOString(),
      })),
      gaps,
      quality,
      files: this.#artifacts,
    }).catch((error) => this.#note(manifest.name, error))
    await this.store([manifest])
    this.#isOver.abort()
    return { artifacts: [...this.#artifacts], problem: this.#problem }
  }

  async #storeOne(file: RecordedFile): Promise<Artifact | null> {
    const contentType = contentTypeOf(file.name)
    try {
      const { name, path } = file
      return this.#report(await storeBefore(this.#signal, this.#parts.storage, { name, path, contentType }))
    } catch (error) {
      this.#note(file.name, error)
      return null
    }
  }

  #report(stored: StoredFile, durationSeconds?: number): Artifact {
    const artifact: Artifact = { ...stored }
    if (durationSeconds !== undefined) artifact.duration_seconds = durationSeconds
    this.#parts.control.report({ type: 'artifact', artifact })
    return artifact
  }

  #note(name: string, error: unknown): void {
    this.#parts.logger.error('A file could not be stored and stays on the machine', { name, error })
    if (this.#problem !== null) return
    this.#problem = toError(error)
    if ('concernsEveryFile' in this.#problem && this.#problem.concernsEveryFile === true) this.limit(REST_MS)
    this.#onProblem(this.#problem)
  }
}

/** A storage that never answers, such as a mounted folder, is not waited for. */
async function storeBefore(
  signal: AbortSignal,
  storage: Storage,
  file: Parameters<Storage['store']>[0],
): Promise<StoredFile> {
  const late = aborted(signal).then(() => Promise.reject(signal.reason))
  return Promise.race([storage.store(file, signal), late])
}

/** Milliseconds. */
const STORE_NOW_MS = 20_000

/** Stores one file while the bot is in the meeting, and reports it. Rejects if it could not be stored. */
export async function storeNow(
  { storage, control, workFolder }: Pick<DeliveryParts, 'storage' | 'control' | 'workFolder'>,
  name: string,
): Promise<void> {
  const file = { name, path: join(workFolder, name), contentType: contentTypeOf(name) }
  control.report({ type: 'artifact', artifact: await storage.store(file, AbortSignal.timeout(STORE_NOW_MS)) })
}

/** For the journal, where other files could not be stored. */
const JOURNAL_SECONDS = 10

/** What earlier bots of this id left, see `setAsideEarlier`: they could not store it, or crashed before. */
async function filesOfEarlier(folder: string): Promise<Pick<RecordedFile, 'name' | 'path'>[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.flatMap((entry) => {
    const path = join(entry.parentPath, entry.name)
    const name = relative(folder, path)
    return entry.isFile() && name.startsWith('earlier-') ? [{ name, path }] : []
  })
}

/** A bot that root started owns its folder and not the one above it: there the folder stays, empty. */
async function removeFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
  await rmdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
  })
}

/**
 * The last file of the bot: the journal, which now holds the final report. Afterwards the local copies go, if everything
 * is stored elsewhere, also that of earlier bots. Never rejects.
 */
export async function deliverJournal(parts: DeliveryParts, storingProblem: Error | null): Promise<void> {
  const { storage, logger, workFolder, job } = parts
  const file = { name: 'events.jsonl', path: join(workFolder, 'events.jsonl'), contentType: CONTENT_TYPES['.jsonl']! }
  try {
    const seconds = storingProblem === null ? job.timeout_config.storing_timeout : JOURNAL_SECONDS
    const signal = AbortSignal.timeout(seconds * 1000)
    await storeBefore(signal, storage, file)
    if (job.storage.type !== 's3' || storingProblem !== null) return
    for (const { name, path } of await filesOfEarlier(workFolder)) {
      await storeBefore(signal, storage, { name, path, contentType: contentTypeOf(name) })
      await rm(path)
    }
    // A spool is of an earlier bot of this id, whose recording is not finished yet.
    if (!(await readdir(workFolder)).includes('spool')) await removeFolder(workFolder)
  } catch (error) {
    logger.error('A last file could not be stored and stays on the machine', {
      error,
      left: await readdir(workFolder).catch(() => []),
    })
  }
}
