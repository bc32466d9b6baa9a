/** From finished files to stored ones. A local file goes only after the stored one is verified. */
import { readdir, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { writeJson } from './artifacts.ts'
import type { Logger } from './logger.ts'
import type { ControlPlane, RecordedFile, RecordedSpan, Storage } from './ports.ts'
import type { Artifact } from './wire/events.ts'
import type { Job } from './wire/job.ts'

const CONTENT_TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4a': 'audio/mp4',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.png': 'image/png',
  '.html': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
}

const REPORT_TYPE = 'text/html; charset=utf-8'

export interface DeliveryParts {
  job: Job
  storage: Storage
  control: Pick<ControlPlane, 'report'>
  logger: Logger
  workFolder: string
}

export interface Delivery {
  artifacts: Artifact[]
  /** The first file that could not be stored; the others were tried all the same. */
  problem: Error | null
}

/** Stores the files, several at once, then `manifest.json`, which lists them; reports each one as it is safe. Never rejects. */
export async function deliver(parts: DeliveryParts, files: RecordedFile[], spans: RecordedSpan[]): Promise<Delivery> {
  const { job, storage, control, logger, workFolder } = parts
  const signal = AbortSignal.timeout(job.timeout_config.storing_timeout * 1000)
  const delivery: Delivery = { artifacts: [], problem: null }
  const stored = await Promise.all(files.map(storeOne))
  delivery.artifacts.push(...stored.filter((artifact) => artifact !== null))
  const manifest = { name: 'manifest.json', path: join(workFolder, 'manifest.json'), bytes: 0 }
  await writeJson(workFolder, manifest.name, {
    bot_id: job.bot_id,
    recording_mode: job.recording_mode,
    spans: spans.map((span) => ({
      started_at: new Date(span.startedAt).toISOString(),
      ended_at: span.endedAt === null ? null : new Date(span.endedAt).toISOString(),
    })),
    files: delivery.artifacts,
  }).catch(noteProblem(manifest.name))
  const storedManifest = await storeOne(manifest)
  if (storedManifest) delivery.artifacts.push(storedManifest)
  return delivery

  async function storeOne(file: RecordedFile): Promise<Artifact | null> {
    // A page of our own is shown as one; that of a meeting, kept as evidence, never is.
    const isReport = file.name === 'report.html'
    const contentType = isReport ? REPORT_TYPE : (CONTENT_TYPES[extname(file.name)] ?? 'application/octet-stream')
    try {
      const stored = await storage.store({ name: file.name, path: file.path, contentType }, signal)
      const artifact: Artifact = { ...stored }
      if (file.durationSeconds !== undefined) artifact.duration_seconds = file.durationSeconds
      control.report({ type: 'artifact', artifact })
      return artifact
    } catch (error) {
      noteProblem(file.name)(error)
      return null
    }
  }

  function noteProblem(name: string): (error: unknown) => void {
    return (error) => {
      logger.error('A file could not be stored and stays on the machine', { name, error })
      delivery.problem ??= error instanceof Error ? error : new Error(String(error))
    }
  }
}

/**
 * The last file: the journal, which now holds the final report. Afterwards the local copies go, if everything is
 * stored elsewhere. Never rejects.
 */
export async function deliverJournal(parts: DeliveryParts, delivery: Delivery): Promise<void> {
  const { storage, logger, workFolder, job } = parts
  const file = { name: 'events.jsonl', path: join(workFolder, 'events.jsonl'), contentType: CONTENT_TYPES['.jsonl']! }
  try {
    await storage.store(file, AbortSignal.timeout(job.timeout_config.storing_timeout * 1000))
    if (job.storage.type === 's3' && delivery.problem === null) await rm(workFolder, { recursive: true, force: true })
  } catch (error) {
    logger.error('The journal could not be stored and stays on the machine', {
      error,
      left: await readdir(workFolder).catch(() => []),
    })
  }
}
