/** The file store of an installation, with the secret that signs its links. */

import { type OpenedFiles, openFileStore } from '../../files/open-file-store.ts'
import {
  checkRecordings,
  StorageProblem,
  type StorageWatch,
  storageProblemOf,
  watchStorage,
} from '../../files/storage-check.ts'
import type { Log } from '../../platform/ports.ts'
import { readLinkSecret } from '../../platform/secrets/sealed-settings.ts'
import { InvalidConfig, type ServiceConfig } from '../config/config.ts'
import type { Installation } from './installation.ts'

/** Rejects with `InvalidConfig` if the folder cannot be made. */
export async function openFiles(
  { storage, roles }: ServiceConfig,
  { database, seals }: Pick<Installation, 'database' | 'seals'>,
  publicUrl: string,
): Promise<OpenedFiles> {
  const secret = await readLinkSecret(database, seals)
  const files = await openFileStore(storage, { secret, publicUrl, now: Date.now }).catch((error: unknown) => {
    throw refusalOf(storage, error)
  })
  // The one gives bots their keys, the other renews them.
  if (roles.has('launcher') || roles.has('links')) await files.checkKeys?.()
  return files
}

/** Tries the storage. A mistake in its settings ends the start; a storage that is only away does not. */
export async function tryFiles({ storage }: ServiceConfig, { check }: OpenedFiles, log: Log): Promise<StorageWatch> {
  const first = await check().then(
    () => null,
    (error: unknown) => storageProblemOf(storage, error),
  )
  if (first?.kind === 'mistake') throw refusalOf(storage, first)
  if (first !== null) log.warn({}, first.message)
  const onChange = (problem: Error | null) =>
    problem === null ? log.info({}, 'The storage of recordings works') : log.warn({}, problem.message)
  return watchStorage({ settings: storage, check, first, now: Date.now, onChange })
}

/** Logs recordings that are not in the storage. Never rejects: the service works without them. */
export async function lookForRecordings(
  { storage }: ServiceConfig,
  { database }: Pick<Installation, 'database'>,
  { store }: OpenedFiles,
  log: Log,
): Promise<void> {
  await checkRecordings(database, store, storage).catch((error: unknown) => {
    // Other errors of database and storage are reported by those who need them.
    if (error instanceof StorageProblem) log.warn({ cure: error.cure }, error.message)
  })
}

function refusalOf(storage: ServiceConfig['storage'], error: unknown): InvalidConfig {
  const { fault, cure } = storageProblemOf(storage, error)
  return new InvalidConfig([{ place: 'STANDIN_STORAGE', message: fault, cure }])
}
