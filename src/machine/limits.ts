/** Limits of this process, its user and its container that a bot with its browser runs into. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, fine, unfit, warning } from '@standin/wire/text/findings.ts'
import { shownBytes } from '@standin/wire/text/shown-bytes.ts'

interface Limit {
  /** As `/proc/self/limits` names it. */
  name: string
  /** Of `ulimit`, with what suffices. */
  option: string
  /** With less a bot fails, if not at once then in the meeting. */
  least: number
  /** A large meeting may need more than `least`. */
  easy?: number
  shown?: (value: number) => string
}

/**
 * Measured with Chromium 156: its first process has 180 files open in a meeting of three people, all processes of a bot
 * together have 130 threads, and its address space is reserved by the terabyte. An hour of a moving picture has 1.4 GB and
 * takes up to an hour of one core.
 */
const LIMITS: readonly Limit[] = [
  { name: 'Max open files', option: '-n 1024', least: 512, easy: 1024 },
  { name: 'Max processes', option: '-u 1024', least: 256, easy: 512 },
  { name: 'Max address space', option: '-v unlimited', least: Number.POSITIVE_INFINITY, shown: shownBytes },
  { name: 'Max data size', option: '-d unlimited', least: 4e9, shown: shownBytes },
  { name: 'Max file size', option: '-f unlimited', least: 500e6, easy: 6e9, shown: shownBytes },
  { name: 'Max cpu time', option: '-t unlimited', least: 3600, easy: 4 * 3600, shown: (seconds) => `${seconds} s` },
]

const PLACES = { process: '/proc/self/limits', container: '/sys/fs/cgroup' }

/** Places that do not exist limit nothing. */
export async function checkLimits(places = PLACES): Promise<Finding> {
  const part = 'Limits'
  const table = await text(places.process)
  const found = LIMITS.flatMap((limit) => {
    const value = softLimit(table, limit.name)
    if (value === null || value >= (limit.easy ?? limit.least)) return []
    const { name, option, least, shown = String } = limit
    return [
      {
        isUnfit: value < least,
        what: `${name.replace('Max ', '')}: at most ${shown(value)}`,
        cure: `ulimit ${option}`,
      },
    ]
  })
  const left = await threadsLeft(places.container)
  if (left < 512)
    found.push({
      isUnfit: left < 256,
      what: `threads left in the container: ${left}`,
      cure: '--pids-limit 2048 for Docker',
    })
  if (found.length === 0) return fine(part, `${softLimit(table, 'Max open files') ?? 'unknown'} open files`)
  const isUnfit = found.some((each) => each.isUnfit)
  const shown = isUnfit ? found.filter((each) => each.isUnfit) : found
  const cure = `Raise it: ${shown.map((each) => each.cure).join(', ')} (for a service LimitNOFILE= and the like of systemd).`
  return (isUnfit ? unfit : warning)(part, shown.map(({ what }) => what).join('; '), cure)
}

/** The soft limit; null if the system has no such limit. */
function softLimit(table: string, name: string): number | null {
  const value = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(table)?.[1]
  if (value === undefined) return null
  return value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value)
}

async function threadsLeft(folder: string): Promise<number> {
  const [most, now] = await Promise.all(['pids.max', 'pids.current'].map((name) => text(join(folder, name))))
  return /^\d/.test(most!) ? Number(most) - Number(now) : Number.POSITIVE_INFINITY
}

const text = (path: string) => readFile(path, 'utf8').catch(() => '')
