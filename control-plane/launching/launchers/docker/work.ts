/** Copies the files that exist only in the bot's container, so that its journal is read and its recording finished. */
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type Docker from 'dockerode'
import { extract } from 'tar'
import { WORK_FOLDER } from '../shared/container-environment.ts'
import { statusOf } from './engine.ts'

/** Files that are read from a running bot: its journal, and the state of its control link. */
const JOURNAL = ['events.jsonl', '.control-link.json']
/** A bot keeps 2 GiB of what is not stored yet, and the files that it finishes. */
const MAX_BYTES = 16 * 1024 ** 3
const MAX_JOURNAL_BYTES = 256 * 1024 ** 2
const MAX_ENTRIES = 10_000

/** Copies all files of an ended bot, once. The copy is complete, or does not exist. */
export async function copyWork(container: Docker.Container, botId: string, target: string): Promise<void> {
  // Copies that were made while the bot ran are in another folder.
  if (await exists(target)) return
  const draft = `${target}.part`
  await rm(draft, { recursive: true, force: true })
  await mkdir(draft, { recursive: true, mode: 0o700 })
  await copy(container, `${WORK_FOLDER}/${botId}`, draft, MAX_BYTES)
  await rename(draft, target)
}

/** Copies the journal of a bot that runs. */
export async function copyJournal(container: Docker.Container, botId: string, target: string): Promise<void> {
  const folder = join(target, botId)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  for (const name of JOURNAL) await copy(container, `${WORK_FOLDER}/${botId}/${name}`, folder, MAX_JOURNAL_BYTES)
}

/**
 * Does nothing if the container has no such path. A stranger's pages may have written the files, so only plain files
 * are copied.
 */
async function copy(container: Docker.Container, path: string, folder: string, maxBytes: number): Promise<void> {
  let archive: NodeJS.ReadableStream
  try {
    archive = await container.getArchive({ path })
  } catch (error) {
    if (statusOf(error) === 404) return
    throw error
  }
  let [entries, bytes] = [0, 0]
  const unpacking = extract({
    cwd: folder,
    strict: true,
    noChmod: true,
    preserveOwner: false,
    filter: (name, entry) => {
      if (!('type' in entry) || !['File', 'OldFile', 'Directory'].includes(entry.type)) return false
      entries += 1
      bytes += entry.size
      if (entries > MAX_ENTRIES || bytes > maxBytes)
        unpacking.abort(new Error(`The copy with ${name} has more than ${maxBytes} bytes or ${MAX_ENTRIES} files`))
      entry.mode = entry.type === 'Directory' ? 0o700 : 0o600
      return true
    },
  })
  const done = new Promise<void>((resolve, reject) => unpacking.on('close', resolve).on('error', reject))
  await Promise.all([done, pipeline(Readable.from(archive), unpacking as unknown as NodeJS.WritableStream)])
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
