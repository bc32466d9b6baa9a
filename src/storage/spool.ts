/** `<recording>/spool/`: what grows on this machine and is not finished. A folder inside for each growing file. */
import { randomBytes } from 'node:crypto'
import { readdir, readFile, readlink, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { mkdirs } from '../../packages/core/process/mkdirs.ts'
import { StorageError } from './error.ts'
import { systemCode } from './folder/errors.ts'

const OWNER = 'owner.json'
/** Several beats, so that a machine that is busy is not taken for one that is gone. */
const BEAT_MS = 2_000
const DEAD_AFTER_MS = 15_000

export function spoolOf(recordingFolder: string): string {
  return path.join(recordingFolder, 'spool')
}

/** The spool of one recording, which belongs to this process as long as something grows in it. */
export class Spool {
  readonly #folder: string
  readonly #limitBytes: number
  #growing = 0
  #usedBytes = 0
  #ownership: Promise<Ownership> | null = null

  constructor(recordingFolder: string, limitBytes = Number.POSITIVE_INFINITY) {
    this.#folder = spoolOf(recordingFolder)
    this.#limitBytes = limitBytes
  }

  /** Makes the folder of a file that begins to grow. */
  async open(name: string): Promise<string> {
    // The name is only for people who look: the journal inside holds the real one.
    const readable = name.replaceAll(/[^A-Za-z0-9._-]+/g, '_').slice(0, 100)
    const folder = path.join(this.#folder, `${readable}-${randomBytes(4).toString('hex')}`)
    this.#growing++
    try {
      await mkdirs(folder)
      this.#ownership ??= own(this.#folder)
      await this.#ownership
      return folder
    } catch (error) {
      await this.close()
      throw error
    }
  }

  /** Sets bytes of the limit aside; false if that is passed. */
  reserve(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#limitBytes) return false
    this.#usedBytes += bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#usedBytes -= bytes
  }

  get limitBytes(): number {
    return this.#limitBytes
  }

  /** Once for each `open`, after its folder is gone or given up. The last one lets go of the spool. Never rejects. */
  async close(): Promise<void> {
    this.#growing--
    if (this.#growing > 0) return
    const ownership = await this.#ownership?.catch(() => null)
    this.#ownership = null
    await ownership?.release()
  }
}

/** As long as it is not released, others see that the spool has a living owner. */
export interface Ownership {
  /** Removes the spool too, if nothing is left in it. Never rejects. */
  release(): Promise<void>
}

/** Makes this process the owner of a spool. Rejects if another one that may be alive owns it. */
export async function own(folder: string): Promise<Ownership> {
  await claim(folder)
  const file = path.join(folder, OWNER)
  const beat = setInterval(() => {
    const now = new Date()
    utimes(file, now, now).catch(() => {
      // Where the spool itself is gone there is nothing to keep alive.
    })
  }, BEAT_MS)
  beat.unref()
  return {
    release: async () => {
      clearInterval(beat)
      const left = await readdir(folder).catch(() => [])
      // The remaining files have no owner any more, so recovery need not wait until the heartbeat is old.
      await rm(file, { force: true }).catch(() => {})
      if (left.some((name) => name !== OWNER)) return
      await rmdir(folder).catch(() => {
        // Another process began a file here meanwhile.
      })
    },
  }
}

async function claim(folder: string): Promise<void> {
  if (await isOwnedByOther(folder)) {
    throw new StorageError(
      'invalid',
      `${path.dirname(folder)} belongs to a bot that is still running. Wait for its end, or give this one another id.`,
    )
  }
  const mine = path.join(folder, `${OWNER}-${randomBytes(4).toString('hex')}`)
  try {
    await writeFile(mine, JSON.stringify({ process: await identityOf(process.pid) }), { flag: 'wx', mode: 0o600 })
    await rename(mine, path.join(folder, OWNER))
  } catch (error) {
    await rm(mine, { force: true })
    // A full disk must not prevent that its files are finished; no new file can grow there anyway.
    if (systemCode(error) !== 'ENOSPC') throw error
  }
}

/**
 * Whether a process that may be alive owns this spool. Known at once for a process of this machine and this container;
 * elsewhere by its heartbeat, which is watched for at most `DEAD_AFTER_MS`.
 */
async function isOwnedByOther(folder: string): Promise<boolean> {
  const file = path.join(folder, OWNER)
  const owner = await readOwner(file)
  if (owner === null) return false
  const [place, pid] = placeAndPid(owner)
  const [here, me] = placeAndPid(await identityOf(process.pid))
  if (place === here) return pid !== me && (await identityOf(pid).catch(() => null)) === owner
  const first = await mtimeOf(file)
  if (first === null || Date.now() - first > DEAD_AFTER_MS) return false
  for (const until = performance.now() + DEAD_AFTER_MS; performance.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS / 4))
    if ((await mtimeOf(file)) !== first) return true
  }
  return false
}

async function readOwner(file: string): Promise<string | null> {
  try {
    const { process: owner } = JSON.parse(await readFile(file, 'utf8')) as { process?: unknown }
    return typeof owner === 'string' ? owner : null
  } catch {
    // Not there, or torn by the death that is to be recovered from.
    return null
  }
}

async function mtimeOf(file: string): Promise<number | null> {
  return stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  )
}

/** `<boot of the machine>/<namespace of process ids>/<pid>/<start>`: names one process and never another. */
async function identityOf(pid: number | string): Promise<string> {
  const [boot, namespace, status] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
    readlink('/proc/self/ns/pid'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
  ])
  // The name of the program, in brackets, may hold blanks. Behind it come the state and, as the 20th field, the start.
  const fields = status.slice(status.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z') throw new Error(`Process ${pid} is dead, and only its parent has not noticed`)
  return [boot.trim(), namespace, pid, fields[19]].join('/')
}

function placeAndPid(identity: string): [place: string, pid: string] {
  const parts = identity.split('/')
  return [parts.slice(0, 2).join('/'), parts[2] ?? '']
}
