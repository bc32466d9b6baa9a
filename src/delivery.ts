/** From finished files to stored ones. A local file goes only after the stored one is verified. */
import { readdir, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { writeJson } from './artifacts.ts'
import type { Logger } from './logger.ts'
import type { ControlPlane, RecordedFile, RecordedSpan, Storage } from './ports.ts'
import type { Artifact } from './wire/events.ts'
import type { Job } from './wire/job.ts'

/** Longest time for storing one recording; an outage longer than this leaves the files on the machine. */
const STORE_DEADLINE_MS = 15 * 60_000

const CONTENT_TYPES: Record<string, string> = {
  '.mp4': 'video/mp4',
  '.m4a': 'audio/mp4',
  '.json': 'application/json',
  '.jsonl': 'application/x-ndjson',
  '.png': 'image/png',
  '.html': 'text/plain; charset=utf-8',
  '.log': 'text/plain; charset=utf-8',
}

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

/** Stores each file, then `manifest.json`, which lists them; reports each one as it is safe. Never rejects. */
export async function deliver(parts: DeliveryParts, files: RecordedFile[], spans: RecordedSpan[]): Promise<Delivery> {
  const { job, storage, control, logger, workFolder } = parts
  const signal = AbortSignal.timeout(STORE_DEADLINE_MS)
  const delivery: Delivery = { artifacts: [], problem: null }
  for (const file of files) await storeOne(file)
  const manifest = { name: 'manifest.json', path: join(workFolder, 'manifest.json'), bytes: 0 }
  await writeJson(workFolder, manifest.name, {
    bot_id: job.bot_id,
    recording_mode: job.recording_mode,
    spans: spans.map((span) => ({
      started_at: new Date(span.startedAt).toISOString(),
      ended_at: span.endedAt === null ? null : new Date(span.endedAt).toISOString(),
    })),
    files: delivery.artifacts,
  }).then(() => storeOne(manifest), noteProblem(manifest.name))
  return delivery

  async function storeOne(file: RecordedFile): Promise<void> {
    const contentType = CONTENT_TYPES[extname(file.name)] ?? 'application/octet-stream'
    try {
      const stored = await storage.store({ name: file.name, path: file.path, contentType }, signal)
      const artifact: Artifact = { ...stored }
      if (file.durationSeconds !== undefined) artifact.duration_seconds = file.durationSeconds
      delivery.artifacts.push(artifact)
      control.report({ type: 'artifact', artifact })
    } catch (error) {
      noteProblem(file.name)(error)
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
    await storage.store(file, AbortSignal.timeout(STORE_DEADLINE_MS))
    if (job.storage.type === 's3' && delivery.problem === null) await rm(workFolder, { recursive: true, force: true })
  } catch (error) {
    logger.error('The journal could not be stored and stays on the machine', {
      error,
      left: await readdir(workFolder).catch(() => []),
    })
  }
}
