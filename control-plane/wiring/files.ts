/** The file store of an installation, with the secret that signs its links. */
import type { ServiceConfig } from '../config/config.ts'
import { type OpenedFiles, openFileStore } from '../files/open-file-store.ts'
import { readLinkSecret } from '../secrets/sealed-settings.ts'
import type { Installation } from './installation.ts'

export async function openFiles(
  { storage, roles }: ServiceConfig,
  { database, seals }: Installation,
  publicUrl: string,
): Promise<OpenedFiles> {
  const secret = await readLinkSecret(database, seals)
  const files = await openFileStore(storage, { secret, publicUrl, now: Date.now })
  // The one gives bots their keys, the other renews them.
  if (roles.has('launcher') || roles.has('links')) await files.checkKeys?.()
  return files
}
