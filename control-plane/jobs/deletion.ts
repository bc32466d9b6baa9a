/** Deletes what bots recorded: by what lies under their prefix, not by what the table knows. */
import type { FileStore, Log } from '../ports.ts'
import type { Database } from '../store/database.ts'
import { blankBot, finishDeletion, type OpenDeletion, openDeletions } from '../store/deletions.ts'

const BATCH = 50

export interface DeletionRun {
  deleted: number
  failed: number
}

/**
 * Does every deletion and sweep that is due. A failed one is tried again later, and holds up no other. Ends after a batch
 * without a success: then the storage is probably away.
 */
export async function deleteDue(
  db: Database,
  files: FileStore,
  log: Log,
  isStopping: () => boolean = () => false,
): Promise<DeletionRun> {
  const run = { deleted: 0, failed: 0 }
  for (;;) {
    const due = await openDeletions(db, BATCH)
    const deletedBefore = run.deleted
    for (const deletion of due) {
      if (isStopping()) return run
      if (await deleteOne(db, files, log, deletion)) run.deleted++
      else run.failed++
    }
    if (due.length < BATCH || run.deleted === deletedBefore) return run
  }
}

async function deleteOne(db: Database, files: FileStore, log: Log, deletion: OpenDeletion): Promise<boolean> {
  let removed = { files: 0, bytes: 0 }
  let error: string | null = null
  try {
    removed = await files.deletePrefix(deletion.bot_id)
    const left = await files.list(deletion.bot_id)
    if (left.length > 0) throw new Error(`${left.length} files are left after the deletion`)
    await blankBot(db, deletion.bot_id)
  } catch (reason) {
    error = reason instanceof Error ? reason.message : String(reason)
    log.error({ bot: deletion.bot_id, error }, 'Data of a bot could not be deleted')
  }
  await finishDeletion(db, deletion, { ...removed, error })
  return error === null
}
