/**
 * The stored session of an account, with which a bot comes in signed in: a Chromium profile or a storage state. What was
 * given is only read; the browser gets a copy that is removed with it. Nothing of it is ever logged.
 */
import { cp, lstat, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { makeBrowserHome } from './home.ts'
import { unpackTar } from './unpack-tar.ts'

export type BrowserState =
  /** Cookies and local storage, as Playwright's `storageState` writes them. */
  | { kind: 'storage_state'; state: StorageState }
  /** A Chromium user data folder, to be copied. */
  | { kind: 'profile'; folder: string }

/** As `storageState({ path })` of Playwright writes it; fields of newer versions are carried along. */
const storageStateSchema = z.looseObject({
  cookies: z
    .array(
      z.looseObject({
        name: z.string(),
        value: z.string(),
        domain: z.string(),
        path: z.string().default('/'),
        expires: z.number().default(-1),
        httpOnly: z.boolean().default(false),
        secure: z.boolean().default(false),
        sameSite: z.enum(['Strict', 'Lax', 'None']).default('Lax'),
      }),
    )
    .max(10_000),
  origins: z
    .array(
      z.looseObject({
        origin: z.string(),
        localStorage: z.array(z.looseObject({ name: z.string(), value: z.string() })).default([]),
      }),
    )
    .max(1000)
    .default([]),
})
export type StorageState = z.output<typeof storageStateSchema>

/** A storage state is text of some kilobytes; one this large is something else. */
const MAX_STATE_BYTES = 16 * 1024 * 1024
/** A profile without its caches has some tens of megabytes. */
const MAX_PROFILE_BYTES = 512 * 1024 * 1024
const MAX_ARCHIVE_BYTES = 256 * 1024 * 1024

/** What a profile does without: locks of the browser that made it, and what can be fetched again. */
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

export interface LoadedState {
  state: BrowserState
  /** Removes what was unpacked; repeatable, never rejects. */
  dispose(): Promise<void>
}

/**
 * Reads what a job calls `browser_state`: a folder, a JSON file, or an `s3://` address of a JSON file or of a profile as
 * `.tar.gz`. Rejects with one sentence that names no content.
 */
export async function loadBrowserState(
  address: string,
  readObject: (address: string, maxBytes: number) => Promise<Uint8Array>,
): Promise<LoadedState> {
  const nothing = async () => {}
  if (/^s3:\/\//i.test(address)) {
    const isArchive = /\.(?:tar\.gz|tgz)$/i.test(address)
    const bytes = await readObject(address, isArchive ? MAX_ARCHIVE_BYTES : MAX_STATE_BYTES)
    if (!isArchive) return { state: parseState(bytes), dispose: nothing }
    const home = await makeBrowserHome()
    const dispose = () => rm(home, { recursive: true, force: true }).catch(() => {})
    try {
      const unpacked = join(home, 'unpacked')
      await mkdir(unpacked)
      await unpackTar(bytes, unpacked, MAX_PROFILE_BYTES)
      return { state: { kind: 'profile', folder: await profileIn(unpacked) }, dispose }
    } catch (error) {
      await dispose()
      throw error
    }
  }
  const info = await stat(address).catch(() => null)
  if (!info) throw new Error(`${address} is not there or cannot be read`)
  if (info.isDirectory()) return { state: { kind: 'profile', folder: await profileIn(address) }, dispose: nothing }
  if (info.size > MAX_STATE_BYTES) throw new Error(`${address} is larger than ${MAX_STATE_BYTES} bytes`)
  return { state: parseState(await readFile(address)), dispose: nothing }
}

/** The copy for one browser. Rejects where the profile is too large or holds what no profile has. */
export async function copyProfile(folder: string, to: string): Promise<void> {
  let bytes = 0
  await cp(folder, to, {
    recursive: true,
    // A link may lead anywhere on this machine; a profile has none but those of its locks.
    filter: async (path) => {
      if (LEFT_OUT.has(basename(path))) return false
      const info = await lstat(path)
      bytes += info.isFile() ? info.size : 0
      if (bytes > MAX_PROFILE_BYTES) throw new Error(`The stored profile is larger than ${MAX_PROFILE_BYTES} bytes`)
      return info.isFile() || info.isDirectory()
    },
  })
}

function parseState(bytes: Uint8Array): BrowserState {
  let parsed: unknown
  try {
    parsed = JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    // The parser's own words quote the text, which is secret.
    throw new Error('the stored session is not JSON')
  }
  const state = storageStateSchema.safeParse(parsed)
  if (!state.success)
    throw new Error(`the stored session is no storage state: ${state.error.issues[0]?.path.join('.') ?? ''} is wrong`)
  return { kind: 'storage_state', state: state.data }
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
