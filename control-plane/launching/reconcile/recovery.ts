/** The recording of a bot that crashed: finished, and listed as the bot's files. */
import type { Job } from '@standin/wire/job.ts'
import { attemptFolder } from '../../bots/file-keys.ts'
import type { FileStore } from '../../platform/ports.ts'
import { addRecoveredFiles, type RecoveredFile } from '../../store/bots/recovered-files.ts'
import type { Database } from '../../store/database.ts'
import type { AttemptFiles } from './journal.ts'

/** Finishes the files that the attempt left, in any store. Aborted, it stops and rejects, and can be started again. */
export type Recover = (
  place: { botId: string; storage: Job['storage']; workFolder: string | null },
  signal?: AbortSignal,
) => Promise<{
  /** Media that were finished. */
  files: { name: string; seconds: number | null }[]
  /** Sentences about what could not be finished. */
  problems: string[]
}>

export interface Recovered {
  /** Length of the longest file; null if there is none. */
  seconds: number | null
  files: number
  problems: string[]
}

/** Finishes the attempt's recording and stores which files there are. */
export async function recoverAttempt(
  { database, files, recover }: { database: Database; files: FileStore; recover: Recover },
  { botId, attempt, workFolder }: AttemptFiles,
  signal: AbortSignal,
): Promise<Recovered> {
  const storage = files.jobStorage(botId, attempt)
  const { files: media, problems } = await recover({ botId, storage, workFolder }, signal)
  const found = await filesOfAttempt(files, botId, attempt, media)
  await addRecoveredFiles(database, botId, attempt, found)
  const seconds = media.flatMap((file) => file.seconds ?? [])
  return { seconds: seconds.length === 0 ? null : Math.max(...seconds), files: found.length, problems }
}

/** The artifacts that the attempt has in the store. */
export async function filesOfAttempt(
  files: FileStore,
  botId: string,
  attempt: number,
  media: readonly { name: string; seconds: number | null }[],
): Promise<RecoveredFile[]> {
  const folder = attemptFolder(botId, attempt)
  return (await files.list(`${botId}/${attempt}`)).flatMap(({ key, bytes }): RecoveredFile[] => {
    const name = key.startsWith(folder) ? key.slice(folder.length) : null
    if (name === null || !isArtifact(name)) return []
    const durationSeconds = media.find((file) => file.name === name)?.seconds ?? null
    return [{ name, key, bytes, durationSeconds }]
  })
}

/** Files that only the worker needs are no artifacts. */
function isArtifact(name: string): boolean {
  return !name.startsWith('.') && !/^(?:spool|debug)\//.test(name) && !/\.recovery(?:\/|$)/.test(name)
}
