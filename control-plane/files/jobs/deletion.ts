/** Deletes the recordings of bots: everything under their prefix, not only the files in the table. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import type { FileStore, Log } from '../../platform/ports.ts'
import {
  type AtProvider,
  blankBot,
  blankSecrets,
  finishDeletion,
  type OpenDeletion,
  openDeletions,
} from '../../store/bots/deletions.ts'
import type { Database } from '../../store/database.ts'
import type { BotRow } from '../../store/rows/index.ts'
import type { DeleteAtProvider } from './provider-deletion.ts'

const BATCH = 50
/** With pauses of up to three hours between them: about two days. */
const MAX_PROVIDER_TRIES = 24

export interface DeletionTools {
  database: Database
  files: FileStore
  log: Log
  /** Null if this process cannot reach it; then another process deletes its transcripts. */
  provider: DeleteAtProvider | null
  /** The caller's key at the provider of transcripts; null if the bot has none, or it does not open any more. */
  ownKeyOf(bot: Pick<BotRow, 'id' | 'secrets'>): string | null
}

export interface DeletionRun {
  deleted: number
  failed: number
}

/**
 * Does every deletion and sweep that is due. A failed one is tried again later, and holds up no other. Ends after a batch
 * without a success: then the storage is probably down.
 */
export async function deleteDue(tools: DeletionTools, isStopping: () => boolean = () => false): Promise<DeletionRun> {
  const run = { deleted: 0, failed: 0 }
  for (;;) {
    const due = await openDeletions(tools.database, BATCH)
    const deletedBefore = run.deleted
    for (const deletion of due) {
      if (isStopping()) return run
      if (await deleteOne(tools, deletion)) run.deleted++
      else run.failed++
    }
    if (due.length < BATCH || run.deleted === deletedBefore) return run
  }
}

async function deleteOne(tools: DeletionTools, deletion: OpenDeletion): Promise<boolean> {
  const { database, files, log } = tools
  let removed = { files: 0, bytes: 0 }
  let provider: AtProvider | null = null
  let error: string | null = null
  try {
    removed = await files.deletePrefix(deletion.bot_id)
    const left = await files.list(deletion.bot_id)
    if (left.length > 0) throw new Error(`${left.length} files are left after the deletion`)
    await blankBot(database, deletion.bot_id)
    provider = await deleteAtProvider(tools, deletion)
    await blankSecrets(database, deletion.bot_id)
  } catch (reason) {
    error = messageOf(reason)
    log.error({ bot: deletion.bot_id, error }, 'Data of a bot could not be deleted')
  }
  await finishDeletion(database, deletion, { ...removed, provider, error })
  return error === null
}

/** Null if there is nothing to delete. Given up after days: our own files are deleted all the same. */
async function deleteAtProvider(
  { provider, log, ownKeyOf }: DeletionTools,
  deletion: OpenDeletion,
): Promise<AtProvider | null> {
  const { bot_id: bot, transcription_ids: ids, from_provider: isWanted, is_sweep: isSweep, tries } = deletion
  if (!isWanted || isSweep || ids.length === 0) return null
  try {
    if (provider === null) throw new Error('This process cannot reach the provider of the transcripts')
    return await provider(ids, ownKeyOf({ id: bot, secrets: deletion.secrets }))
  } catch (error) {
    if (tries < MAX_PROVIDER_TRIES) throw error
    log.error({ bot, ids: ids.length, error: String(error) }, 'Transcripts could not be deleted at their provider')
    return { deleted: 0, missing: 0 }
  }
}
