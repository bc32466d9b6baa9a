/**
 * Artifacts that a crashed bot left beside its recording on this machine: events, separate tracks, pictures, evidence.
 */
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { toError } from '@standin/wire/text/error-text.ts'
import type { Storage, StoredFile } from '../../packages/core/recording.ts'
import { filesBeside } from './artifacts.ts'
import { contentTypeOf } from './delivery.ts'

export interface LeftoverArtifacts {
  beside: StoredFile[]
  problems: { name: string; error: Error }[]
}

/** Stores them with the recording; `under` is the prefix of each name. Never rejects; the local files stay. */
export async function storeLeftoverArtifacts(
  folder: string,
  storage: Pick<Storage, 'store'>,
  under: string,
  signal: AbortSignal,
): Promise<LeftoverArtifacts> {
  const left: LeftoverArtifacts = { beside: [], problems: [] }
  const voices = (await readdir(join(folder, 'audio')).catch(() => [])).map((name) => `audio/${name}`)
  const names = [...(await filesBeside(folder)).map(({ name }) => name), 'events.jsonl', ...voices]
  for (const name of new Set(names)) {
    const path = join(folder, name)
    if (!(await lstat(path).catch(() => null))?.isFile()) continue
    try {
      left.beside.push(await storage.store({ name: under + name, path, contentType: contentTypeOf(name) }, signal))
    } catch (error) {
      left.problems.push({ name, error: toError(error) })
    }
  }
  return left
}
