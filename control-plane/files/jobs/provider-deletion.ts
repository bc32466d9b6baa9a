/**
 * Deletes transcripts where a speech provider keeps them. Of the providers here only AssemblyAI does; source: its API
 * reference, "Delete transcript" (DELETE /v2/transcript/{id}). Deepgram keeps nothing that it was sent.
 */
import { type GuardedClient, LostSecret, type Seals } from '../../platform/ports.ts'
import type { AtProvider } from '../../store/bots/deletions.ts'
import { openSecrets } from '../../store/bots/secrets.ts'
import type { DeletionTools } from './deletion.ts'

const PUBLIC = 'https://api.assemblyai.com'
const TIMEOUT_MS = 30_000
const MAX_BYTES = 4_096

/** Rejects if it has to be tried again. `ownKey` is the caller's; after it the operator's is tried. */
export type DeleteAtProvider = (ids: readonly string[], ownKey: string | null) => Promise<AtProvider>

export interface ProviderDeletionSettings {
  client: GuardedClient
  /** The operator's settings of AssemblyAI. */
  environment: Readonly<Record<string, string | undefined>>
}

export function createProviderDeletion({ client, environment }: ProviderDeletionSettings): DeleteAtProvider {
  const base = (environment.STANDIN_ASSEMBLYAI_URL || PUBLIC).replace(/\/+$/, '')
  const operatorsKey = environment.STANDIN_ASSEMBLYAI_KEY || null

  return async (ids, ownKey) => {
    const keys = [...new Set([ownKey, operatorsKey])].filter((key) => key !== null)
    if (keys.length === 0) throw new Error('No key of the provider is configured, so its transcripts cannot be deleted')
    const done = { deleted: 0, missing: 0 }
    for (const id of ids) if (await deleteOne(id, keys)) done.deleted++
    done.missing = ids.length - done.deleted
    return done
  }

  /** False if it is not there under any of the keys. */
  async function deleteOne(id: string, keys: readonly string[]): Promise<boolean> {
    let refused: number | null = null
    for (const key of keys) {
      const { status } = await client.request({
        url: `${base}/v2/transcript/${encodeURIComponent(id)}`,
        method: 'DELETE',
        headers: { authorization: key },
        timeoutMs: TIMEOUT_MS,
        maxBytes: MAX_BYTES,
      })
      if (status >= 200 && status < 300) return true
      // It answers 400 for the transcript of another account, and for one that was deleted before.
      if (status !== 400 && status !== 404) refused ??= status
    }
    if (refused !== null) throw new Error(`The provider of the transcripts answered ${refused} to their deletion`)
    return false
  }
}

export function ownKeys(seals: Seals): DeletionTools['ownKeyOf'] {
  return (bot) => {
    try {
      return openSecrets(seals, bot).transcriptionApiKey ?? null
    } catch (error) {
      if (error instanceof LostSecret) return null
      throw error
    }
  }
}
