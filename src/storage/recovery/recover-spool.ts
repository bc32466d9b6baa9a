/** Finishes what a dead bot left in the spool of its folder: at its place in the folder, or in S3. */
import * as files from 'node:fs/promises'
import path from 'node:path'
import { toError } from '@standin/wire/text/error-text.ts'
import { CutCrc } from '../crc32.ts'
import { StorageError } from '../error.ts'
import { explainFolderError } from '../folder/errors.ts'
import { READ_NO_LINK } from '../folder/file-writing.ts'
import { GROWING_NAME, GrowingFolderFile, readBody } from '../folder/growing-file.ts'
import { type Growth, type GrowthStart, JOURNAL_NAME, readGrowth } from '../growth-journal.ts'
import { padHead } from '../moov-reserve.ts'
import { nameParts } from '../names.ts'
import type { S3Config, S3Tuning } from '../s3/session.ts'
import { own, Spool, spoolOf } from '../spool.ts'
import { earlierName, type GrownFormat, type Recovered, type RecoveredFile } from './recovered.ts'
import type { UploadRecovery } from './recovery-work.ts'

export interface SpoolRecovery extends UploadRecovery {
  /** Keys for S3, which no journal holds; absent for those of the environment. */
  credentials?: Pick<S3Config, 'access_key_id' | 'secret_access_key' | 'session_token'>
  /** Only uploads to this endpoint (null: AWS) are finished, because the credentials are for no other. Left out: to any. */
  endpoint?: string | null
  tuning?: Partial<S3Tuning>
}

/**
 * Rejects if the bot may still be alive. Files that cannot be finished are listed in `problems` and stay as they are.
 * An existing file is never replaced: the recovered file then goes into a folder `earlier-…` beside it.
 */
export async function recoverSpool(recordingFolder: string, options: SpoolRecovery): Promise<Recovered> {
  const recovered: Recovered = { files: [], problems: [] }
  const spool = spoolOf(recordingFolder)
  if ((await files.lstat(spool).catch(() => null))?.isSymbolicLink())
    throw new StorageError('invalid', `${spool} is a symbolic link, which is not followed. Remove it.`)
  const names = await files.readdir(spool).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw explainFolderError(error, 'look for unfinished recordings', spool)
  })
  if (names.length === 0) return recovered
  const ownership = await own(spool)
  try {
    for (const { folder, growth } of await readGrowths(spool, names, recovered.problems)) {
      try {
        options.signal.throwIfAborted()
        const file = await recoverOne(recordingFolder, folder, growth, options)
        if (file !== null) recovered.files.push(file)
        if (file !== null && growth.start.s3 !== undefined) recovered.bucket = bucketOf(growth.start, recordingFolder)
        await files.rm(folder, { recursive: true, force: true })
      } catch (thrown) {
        recovered.problems.push({ name: growth.start.name, error: toError(thrown) })
      }
    }
    return recovered
  } finally {
    await ownership.release()
  }
}

/** The storage in which the bot of this folder had put its file. */
function bucketOf({ name, s3 }: GrowthStart, recordingFolder: string): S3Config {
  const { partBytes: _, key, ...place } = s3!
  const own = `${path.basename(recordingFolder)}/${name}`
  return { type: 's3', ...place, prefix: key.endsWith(own) ? key.slice(0, -own.length) : '' }
}

/** Oldest first. A folder without a readable journal is removed if it has no recorded bytes; otherwise it is a problem. */
async function readGrowths(
  spool: string,
  names: string[],
  problems: Recovered['problems'],
): Promise<{ folder: string; growth: Growth }[]> {
  const growths: { folder: string; growth: Growth }[] = []
  for (const name of names) {
    const folder = path.join(spool, name)
    if (!(await files.lstat(folder)).isDirectory()) continue
    const growth = await readGrowth(folder)
    if (growth !== null) growths.push({ folder, growth })
    else if (await holdsMedia(folder))
      problems.push({ name, error: new StorageError('corrupted', `${folder}/${JOURNAL_NAME} cannot be read`) })
    else await files.rm(folder, { recursive: true, force: true })
  }
  return growths.sort((a, b) => a.growth.start.startedAt - b.growth.start.startedAt)
}

async function holdsMedia(folder: string): Promise<boolean> {
  const names = (await files.readdir(folder)).filter((name) => name !== JOURNAL_NAME)
  const sizes = await Promise.all(names.map(async (name) => (await files.stat(path.join(folder, name))).size))
  return sizes.some((size) => size > 0)
}

/** Null if nothing was recorded, or the file is complete already. */
async function recoverOne(
  recordingFolder: string,
  folder: string,
  growth: Growth,
  options: SpoolRecovery,
): Promise<RecoveredFile | null> {
  if (growth.isDone) return null
  if (growth.start.s3 !== undefined) {
    // Loaded here: it needs AWS's library.
    const { recoverSpooledUpload } = await import('./recover-upload.ts')
    return recoverSpooledUpload(folder, growth, options)
  }
  return recoverFile(recordingFolder, folder, growth, options)
}

async function recoverFile(
  recordingFolder: string,
  folder: string,
  growth: Growth,
  { format, signal, asEarlier = false }: SpoolRecovery,
): Promise<RecoveredFile | null> {
  const { name, room, startedAt } = growth.start
  const recoveryHead = Buffer.from(growth.start.recoveryHead, 'base64')
  const growing = path.join(folder, GROWING_NAME)
  const left = await files.stat(growing).catch(() => null)
  if (left === null || growth.wholeBytes === 0) {
    // Killed right after the rename: the file is at its place.
    return null
  }
  const source = await files.open(growing, READ_NO_LINK)
  let bytes = Math.min(growth.wholeBytes, left.size - room)
  const crc = new CutCrc()
  let index: Awaited<ReturnType<GrownFormat['indexBody']>> | null = null
  try {
    index = await format.indexBody(recoveryHead, crc.noting(readBody(source, room, room + bytes)))
    bytes = index.wholeBytes
  } catch {
    // A body that cannot be indexed may still play as fragments, so it is kept.
  } finally {
    await source.close()
  }
  if (bytes <= 0) throw new StorageError('missing', `${growing} has none of the bytes that its journal names`)
  const free = await freeTarget(recordingFolder, name, startedAt, asEarlier)
  await refuseLinks(recordingFolder, path.dirname(free))
  const spool = new Spool(recordingFolder)
  const file = await GrowingFolderFile.goOn(growth, {
    disk: files,
    spool,
    folder,
    target: free,
    bytes,
    body: crc.upTo(bytes),
  })
  try {
    const makeHead =
      index?.makeHead ?? ((space: number | null) => (space === null ? recoveryHead : padHead(recoveryHead, space)))
    const stored = await file.finish(makeHead, signal)
    return {
      ...stored,
      name: path.relative(recordingFolder, free).split(path.sep).join('/'),
      botId: path.basename(recordingFolder),
      seconds: index?.seconds ?? null,
      index: index === null ? 'fragments' : 'whole',
      startedAt,
    }
  } finally {
    await file.close()
  }
}

/** A bot that was taken over could lead the finished file out of its folder. */
async function refuseLinks(recordingFolder: string, place: string): Promise<void> {
  for (let folder = place; folder !== recordingFolder; folder = path.dirname(folder))
    if ((await files.lstat(folder).catch(() => null))?.isSymbolicLink())
      throw new StorageError('invalid', `${folder} is a symbolic link, which is not followed. Remove it.`)
}

async function freeTarget(
  recordingFolder: string,
  name: string,
  startedAt: number,
  asEarlier: boolean,
): Promise<string> {
  const target = path.join(recordingFolder, ...nameParts(name))
  const isFree = await files.stat(target).then(
    () => false,
    () => true,
  )
  return isFree && !asEarlier ? target : path.join(recordingFolder, ...nameParts(earlierName(name, startedAt)))
}
