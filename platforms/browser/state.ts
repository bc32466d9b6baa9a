/**
 * The stored session of an account, with which a bot joins signed in: a Chromium profile or a storage state. The
 * original is only read; the browser gets a copy that is removed together with the browser. The content is never
 * logged.
 */
import { constants } from 'node:fs'
import { chmod, cp, lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { readStorageState, type StorageState } from '@standin/wire/account-session.ts'
import { aborted } from '@standin/wire/time/deadline.ts'
import { makeBrowserHome } from './home.ts'

export type BrowserState =
  /** Cookies and local storage, as Playwright's `storageState` writes them. */
  | { kind: 'storage_state'; state: StorageState }
  /** A Chromium user data folder, to be copied. */
  | { kind: 'profile'; folder: string }

/** A storage state is text of some kilobytes; a file this large is another kind of file. */
const MAX_STATE_BYTES = 16 * 1024 * 1024
/** A profile without its caches has some tens of megabytes. */
const MAX_PROFILE_BYTES = 512 * 1024 * 1024
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024
const MAX_PROFILE_ENTRIES = 50_000
/** Set-user-id, set-group-id and sticky. */
const SPECIAL_BITS = 0o7000

/**
 * Files that a copy of a profile does not need: locks of the browser that made it, and data that can be fetched again.
 */
const LEFT_OUT = new Set([
  'SingletonLock',
  'SingletonCookie',
  'SingletonSocket',
  'lockfile',
  'Cache',
  'Code Cache',
  'GPUCache',
  'DawnCache',
  'DawnGraphiteCache',
  'DawnWebGPUCache',
  'ShaderCache',
  'GrShaderCache',
  'GraphiteDawnCache',
  'CacheStorage',
  'Crashpad',
  'Crash Reports',
  'component_crx_cache',
  'BrowserMetrics',
])

/** Reads the object of an `s3://` address; rejects if it is larger. */
export type ReadObject = (address: string, maxBytes: number, signal: AbortSignal) => Promise<Uint8Array>

export interface LoadedState {
  state: BrowserState
  /** Removes the unpacked files; repeatable, never rejects. */
  dispose(): Promise<void>
}

/**
 * Loads the `browser_state` of a job: a folder, a JSON file, or an `s3://` address of a JSON file or of a profile as
 * `.tar.gz`. Rejects with one sentence that names no content, or with the reason of the signal, also when a file system
 * does not answer.
 */
export async function loadBrowserState(
  address: string,
  readObject: ReadObject,
  signal: AbortSignal = new AbortController().signal,
): Promise<LoadedState> {
  signal.throwIfAborted()
  const loading = load(address, readObject, signal)
  // Removes a session that finishes loading after the signal.
  loading.then(
    (loaded) => (signal.aborted ? loaded.dispose() : undefined),
    () => {},
  )
  const stopped = aborted(signal).then(() => Promise.reject(signal.reason))
  stopped.catch(() => {})
  return Promise.race([loading, stopped])
}

async function load(address: string, readObject: ReadObject, signal: AbortSignal): Promise<LoadedState> {
  const nothing = async () => {}
  if (/^s3:\/\//i.test(address)) {
    const isArchive = /\.(?:tar\.gz|tgz)$/i.test(address)
    const bytes = await readObject(address, isArchive ? MAX_ARCHIVE_BYTES : MAX_STATE_BYTES, signal)
    if (!isArchive) return { state: parseState(bytes), dispose: nothing }
    const home = await makeBrowserHome()
    const dispose = () => rm(home, { recursive: true, force: true }).catch(() => {})
    try {
      const unpacked = join(home, 'unpacked')
      await mkdir(unpacked)
      const { unpackTar } = await import('./unpack-tar.ts')
      await unpackTar(bytes, unpacked, { maxBytes: MAX_PROFILE_BYTES })
      return { state: { kind: 'profile', folder: await profileIn(unpacked) }, dispose }
    } catch (error) {
      await dispose()
      throw error
    }
  }
  const info = await stat(address).catch(() => null)
  if (!info) throw new Error(`${address} is not there or cannot be read`)
  if (info.isDirectory()) return { state: { kind: 'profile', folder: await profileIn(address) }, dispose: nothing }
  // Opening a device or a FIFO can block, or can have an effect.
  if (!info.isFile()) throw new Error(`${address} is neither a regular file nor a folder`)
  return { state: parseState(await readRegularFile(address, MAX_STATE_BYTES)), dispose: nothing }
}

/** Reads at most `maxBytes`, even if the file system reports a smaller size. */
async function readRegularFile(path: string, maxBytes: number): Promise<Uint8Array> {
  // If a FIFO has replaced the file meanwhile, opening it does not block.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  if (!(await file.stat()).isFile()) throw new Error(`${path} is not a regular file`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of file.createReadStream({ end: maxBytes, autoClose: false })) {
    bytes += (chunk as Uint8Array).byteLength
    chunks.push(chunk as Uint8Array)
  }
  if (bytes > maxBytes) throw new Error(`${path} is larger than ${maxBytes} bytes`)
  return Buffer.concat(chunks)
}

/** The copy for one browser: regular files and folders without special bits. Rejects if the profile is too large. */
export async function copyProfile(folder: string, to: string): Promise<void> {
  let bytes = 0
  let entries = 0
  const special: { path: string; mode: number }[] = []
  await cp(folder, to, {
    recursive: true,
    // A link may lead anywhere on this machine; a profile contains only those of its locks.
    filter: async (path) => {
      if (LEFT_OUT.has(basename(path))) return false
      const info = await lstat(path)
      if (++entries > MAX_PROFILE_ENTRIES)
        throw new Error(`The stored profile has more than ${MAX_PROFILE_ENTRIES} entries`)
      bytes += info.isFile() ? info.size : 0
      if (bytes > MAX_PROFILE_BYTES) throw new Error(`The stored profile is larger than ${MAX_PROFILE_BYTES} bytes`)
      if (!info.isFile() && !info.isDirectory()) return false
      if (info.mode & SPECIAL_BITS) special.push({ path: join(to, relative(folder, path)), mode: info.mode })
      return true
    },
  })
  for (const { path, mode } of special) await chmod(path, mode & 0o777)
}

function parseState(bytes: Uint8Array): BrowserState {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    // The parser's own words quote the text, which is secret.
    throw new Error('the stored session is not JSON')
  }
  const read = readStorageState(parsed)
  if ('problem' in read) throw new Error(`the stored session ${read.problem}`)
  return { kind: 'storage_state', state: read.state }
}

/** The folder itself, or the only folder in it, as archives have it. */
async function profileIn(folder: string): Promise<string> {
  const names = await readdir(folder)
  if (names.includes('Default') || names.includes('Local State')) return folder
  const [only] = names
  if (names.length === 1 && only !== undefined && (await lstat(join(folder, only))).isDirectory())
    return profileIn(join(folder, only))
  throw new Error('the folder is no Chromium profile: it has neither "Default" nor "Local State"')
}
