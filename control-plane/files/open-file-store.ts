/** Opens the store that `STANDIN_STORAGE` names. */
import { makeFolder } from '@standin/wire/process/make-folder.ts'
import type { FileHandler, FileStore } from '../platform/ports.ts'
import { createFolderStore } from './folder-store.ts'
import { openPrefixKeys } from './prefix-keys.ts'
import { createS3Store, type S3Settings } from './s3-store.ts'
import { createFileHandler } from './serve-file.ts'
import { createLinkSigner, type LinkSignerSettings, signKeys } from './signed-links.ts'
import { checkStorage, storageProblemOf } from './storage-check.ts'

export type StorageSettings = { type: 'folder'; path: string } | S3Settings

export interface OpenedFiles {
  store: FileStore
  /** Serves `/files/…`. */
  handler: FileHandler
  /** Tries the storage. Rejects with `StorageProblem` if files cannot be kept. */
  check(): Promise<void>
  /** Rejects with a sentence if bots would get no separate keys. Absent if they are to get none. */
  checkKeys?: (() => Promise<void>) | undefined
  close(): void
}

export async function openFileStore(settings: StorageSettings, links: LinkSignerSettings): Promise<OpenedFiles> {
  const signer = createLinkSigner(links)
  if (settings.type === 's3') {
    const store = createS3Store(settings)
    const { roleArn, isServed } = settings
    const prefixKeys = roleArn === undefined ? undefined : await openPrefixKeys({ ...settings, roleArn })
    return {
      store: {
        ...store,
        ...(prefixKeys && { prefixKeys: prefixKeys.give }),
        ...(isServed && { sign: signKeys(signer) }),
      },
      handler: createFileHandler(store, signer),
      check: () => checkStorage(store, settings),
      checkKeys: prefixKeys?.check,
      close() {
        store.close()
        prefixKeys?.close()
      },
    }
  }
  await makeFolder(settings.path, 0o700).catch((error: unknown) => {
    throw storageProblemOf(settings, error)
  })
  const store = createFolderStore(settings.path, signer)
  return {
    store,
    handler: createFileHandler(store, signer),
    check: () => checkStorage(store, settings),
    close: () => {},
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads `folder:<path>` or `s3://bucket/prefix`. Endpoint, region and keys of S3 come from the variables that the worker
 * reads (`AWS_ENDPOINT_URL_S3`, `AWS_ENDPOINT_URL`, `AWS_REGION`, `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
 * `AWS_SESSION_TOKEN`). Throws with a sentence.
 */
export function parseStorage(text: string, environment: Environment): StorageSettings {
  const [, path] = /^folder:(.+)$/s.exec(text) ?? []
  if (path !== undefined) return { type: 'folder', path }
  const [, bucket, prefix] = /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])(?:\/(.*))?$/s.exec(text) ?? []
  if (bucket === undefined) throw new Error('The storage is neither folder:<path> nor s3://bucket/prefix')
  const endpoint = environment.AWS_ENDPOINT_URL_S3 || environment.AWS_ENDPOINT_URL
  const stsEndpoint = environment.AWS_ENDPOINT_URL_STS
  const region = environment.AWS_REGION || environment.AWS_DEFAULT_REGION
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN } = environment
  return {
    type: 's3',
    bucket,
    prefix: (prefix ?? '').replace(/^\/+|\/+$/g, ''),
    ...(endpoint && { endpoint }),
    ...(stsEndpoint && { stsEndpoint }),
    ...(region && { region }),
    ...(accessKeyId && secretAccessKey && { accessKeyId, secretAccessKey }),
    ...(accessKeyId && secretAccessKey && AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  }
}
