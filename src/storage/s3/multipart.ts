import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
} from '@aws-sdk/client-s3'
import { StorageError } from '../error.ts'
import type { Patience } from '../retry.ts'
import type { S3Session } from './session.ts'

/** The input of a new upload. */
export interface UploadStart {
  key: string
  contentType: string
  signal: AbortSignal
  patience?: Patience
  /** Reasons to give up at once that would otherwise be tried again. */
  isHopeless?: (error: unknown) => boolean
  isPassing?: (error: unknown) => boolean
  hurry?: AbortSignal
  /** Whether parts will come with a SHA-256; as the session has it unless told. */
  withChecksums?: boolean
  onRetry?: (error: StorageError) => void
}

/**
 * Begins an upload and answers its id. A stop waits for the answer a little, since an upload whose id is lost stays
 * behind for ever.
 */
export async function createUpload(session: S3Session, start: UploadStart): Promise<string> {
  const { key, signal } = start
  let isAmbiguous = false
  const begunAt = performance.now()
  const grace = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const onAbort = () => {
    timer = setTimeout(() => grace.abort(signal.reason), session.tuning.cleanupMs)
  }
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const circumstances = {
      step: 'store',
      key,
      signal: grace.signal,
      patience: start.patience ?? session.tuning.patience,
      isHopeless: (error: unknown) => signal.aborted || start.isHopeless?.(error) === true,
      isPassing: start.isPassing,
      hurry: start.hurry,
      onRetry: (error: StorageError) => {
        isAmbiguous = true
        start.onRetry?.(error)
      },
    }
    const answer = await session.send(circumstances, CreateMultipartUploadCommand, {
      ContentType: start.contentType,
      ChecksumAlgorithm: (start.withChecksums ?? session.withChecksums) ? 'SHA256' : undefined,
    })
    if (answer.UploadId === undefined) {
      throw new StorageError(
        'invalid',
        `Cannot store s3://${session.bucket}/${key}: the server answered, but named no upload. Check storage.endpoint: that may be no S3 server.`,
      )
    }
    if (isAmbiguous) await abortStrays(session, key, answer.UploadId, performance.now() - begunAt)
    return answer.UploadId
  } catch (error) {
    if (isAmbiguous || signal.aborted) await abortStrays(session, key, null, performance.now() - begunAt)
    if (signal.aborted) throw signal.reason
    throw error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** S3 reports the start of an upload in whole seconds. */
const STRAY_MARGIN_MS = 2_000

/**
 * Ends uploads of this key whose id was lost with an answer that never arrived. Only those that began within the last
 * `withinMs`: an older one may hold what a bot of the same id recorded before its death. Best effort: listing uploads
 * needs a right that the bot may do without.
 */
async function abortStrays(session: S3Session, key: string, keepId: string | null, withinMs: number): Promise<void> {
  const signal = AbortSignal.timeout(session.tuning.cleanupMs)
  try {
    const list = await session.client.send(new ListMultipartUploadsCommand({ Bucket: session.bucket, Prefix: key }), {
      abortSignal: signal,
    })
    const uploads = (list.Uploads ?? []).filter((upload) => upload.Key === key)
    // The server's own clock, if it can be had: that of this machine may be wrong by hours.
    const kept = uploads.find((upload) => upload.UploadId === keepId)?.Initiated?.getTime()
    const since = (kept ?? Date.now()) - withinMs - STRAY_MARGIN_MS
    for (const stray of uploads) {
      if (stray.UploadId === undefined || stray.UploadId === keepId) continue
      if (stray.Initiated !== undefined && stray.Initiated.getTime() < since) continue
      await session.client.send(
        new AbortMultipartUploadCommand({ Bucket: session.bucket, Key: key, UploadId: stray.UploadId }),
        { abortSignal: signal },
      )
    }
  } catch {
    // The lifecycle rule of docs/storage.md removes what could not be listed or aborted here.
  }
}

/** Aborts an upload until the server no longer has it. Resolves with null if that is certain, else with why not; never rejects. */
export async function abortUpload(session: S3Session, key: string, uploadId: string): Promise<StorageError | null> {
  const circumstances = {
    step: 'abort the upload of',
    key,
    signal: AbortSignal.timeout(session.tuning.cleanupMs),
    patience: { ...session.tuning.patience, totalMs: session.tuning.cleanupMs },
  }
  const obstacle = (error: unknown) => (isGone(error) ? null : session.explain(error, circumstances.step, key))
  // A part that was on its way may land after the first abort, so the server is asked what is left.
  for (let round = 0; round < 3; round++) {
    try {
      await session.send(circumstances, AbortMultipartUploadCommand, { UploadId: uploadId })
    } catch (error) {
      return obstacle(error)
    }
    try {
      const list = await session.send(circumstances, ListPartsCommand, { UploadId: uploadId })
      if ((list.Parts ?? []).length === 0) return null
    } catch (error) {
      // Not being allowed to list parts does not undo the abort.
      return error instanceof StorageError && error.trouble === 'access' ? null : obstacle(error)
    }
  }
  return new StorageError(
    'other',
    `Cannot abort the upload of s3://${session.bucket}/${key}: the server still has parts of it.`,
  )
}

function isGone(error: unknown): boolean {
  return error instanceof StorageError && (error.serverCode === 'NoSuchUpload' || error.trouble === 'missing')
}
