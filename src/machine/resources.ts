/** Resources of the machine or container: processor, memory, writable folders, clock. */
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { type Finding, fine, unfit, warning } from '@standin/wire/text/findings.ts'
import { shownBytes } from '@standin/wire/text/shown-bytes.ts'

const MB = 1_000_000
/**
 * Measured: the demo runs out of memory in a container of 450 MB and runs in one of 500 MB. Large meetings need several
 * times as much.
 */
const MIN_MEMORY = 500 * MB
const EASY_MEMORY = 1_500 * MB
/** One bot with picture needs more than one processor while it joins. */
const EASY_PROCESSORS = 2
/** With less, the browser takes temporary files instead. Docker and Kubernetes give 64 MB unless told otherwise. */
const EASY_SHM = 512 * 1024 * 1024
/** An hour of a moving picture is 1.4 GB at most, and is there twice while the final file is made. */
const MIN_DISK = 500 * MB
const EASY_DISK = 6_000 * MB
/** The day this was written; a clock before it is wrong for sure, and certificates look invalid to it. */
const SURELY_PAST = Date.UTC(2026, 10, 21)

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.replace(/^v/, '').split('.').map(Number)
  return major > 22 || (major === 22 && minor >= 12)
    ? fine('Node', version)
    : unfit(
        'Node',
        `${version}; needed: 22.12 or newer`,
        'Run `sh scripts/setup.sh`, which brings Node 24, and start with `standin`.',
      )
}

/** `availableBytes` is what this process may still take: of the machine, or of its container where that has less. */
export function checkMemory(availableBytes: number): Finding {
  const part = 'Memory'
  const found = `${shownBytes(availableBytes)} to be had`
  const cure = `Give the machine or the container more: ${shownBytes(EASY_MEMORY)} for one bot with picture.`
  if (availableBytes < MIN_MEMORY) return unfit(part, found, cure)
  return availableBytes < EASY_MEMORY ? warning(part, `${found}; a large meeting may not fit`, cure) : fine(part, found)
}

export function checkProcessors(count: number): Finding {
  return count >= EASY_PROCESSORS
    ? fine('Processors', String(count))
    : warning(
        'Processors',
        `${count}; sound may stutter while the picture is encoded`,
        'Give it two, or record audio_only.',
      )
}

export async function checkSharedMemory(folder: string): Promise<Finding> {
  const part = 'Shared memory'
  const cure = 'Make it larger: --shm-size=1g for Docker, a memory-backed emptyDir on /dev/shm for Kubernetes.'
  try {
    const { bavail, bsize } = await statfs(folder)
    await access(folder, constants.W_OK)
    const size = bavail * bsize
    const found = `${shownBytes(size)} free in ${folder}`
    return size < EASY_SHM ? warning(part, `${found}; temporary files take its place`, cure) : fine(part, found)
  } catch (error) {
    return warning(part, `${folder} cannot be used (${codeOf(error)})`, cure)
  }
}

/** The folder need not exist yet; then the place where it would be made counts. */
export async function checkDisk(part: string, folder: string): Promise<Finding> {
  let place = resolve(folder)
  while (true) {
    try {
      const { bavail, bsize } = await statfs(place)
      await access(place, constants.W_OK | constants.X_OK)
      const free = bavail * bsize
      const found = `${shownBytes(free)} free for ${resolve(folder)}`
      const cure = 'Free some space, or choose another place with --out.'
      if (free < MIN_DISK) return unfit(part, found, cure)
      return free < EASY_DISK ? warning(part, `${found}; a long recording may not fit`, cure) : fine(part, found)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' || place === dirname(place))
        return unfit(
          part,
          `${place} cannot be written to (${codeOf(error)})`,
          'Choose another place with --out, or mend its permissions.',
        )
      place = dirname(place)
    }
  }
}

export function checkClock(now: number): Finding {
  const shown = Number.isFinite(now) ? new Date(now).toISOString() : String(now)
  return now >= SURELY_PAST
    ? fine('Clock', shown)
    : unfit('Clock', `${shown} is in the past`, 'Set the clock: apt-get install -y systemd-timesyncd')
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
