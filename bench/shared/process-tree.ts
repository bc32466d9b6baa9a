/** CPU and memory of some processes and all their descendants, by role. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { parseStat } from '../../src/usage/process-tree.ts'

/** The kernel reports times in hundredths of a second. */
const TICKS_PER_SECOND = 100

export interface Cost {
  /** CPU time by wall time: 1 is one core. */
  cores: number
  /** Memory that processes share counts once (PSS), unlike in most tools. */
  megabytes: number
  /** Cores by role, such as `renderer` or `ffmpeg`, the largest first. */
  roles: Map<string, number>
}

/** Starts to measure the use of the processes `roots` and their descendants. The result returns the use since then. */
export function measureTree(roots: () => readonly number[]): () => Cost {
  const before = readTree(roots())
  const startedAt = performance.now()
  return () => {
    const seconds = (performance.now() - startedAt) / 1000
    const roles = new Map<string, number>()
    let megabytes = 0
    for (const [pid, ticks] of readTree(roots())) {
      const used = (ticks - (before.get(pid) ?? 0)) / TICKS_PER_SECOND / seconds
      const role = roleOf(pid)
      roles.set(role, (roles.get(role) ?? 0) + used)
      megabytes += sharedMegabytes(pid)
    }
    const sorted = new Map([...roles].sort(([, one], [, other]) => other - one))
    return { cores: [...roles.values()].reduce((sum, value) => sum + value, 0), megabytes, roles: sorted }
  }
}

/** Ticks of every process of the tree. Those of children that ended come with the parent that waited for them. */
function readTree(roots: readonly number[]): Map<number, number> {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const stats = pids.map((pid) => parseStat(readOrEmpty(`/proc/${pid}/stat`))).filter((stat) => stat !== null)
  const children = Map.groupBy(stats, ({ parentPid }) => parentPid)
  const found = new Map<number, number>()
  const visit = (stat: (typeof stats)[number]) => {
    if (found.has(stat.pid)) return
    found.set(stat.pid, stat.ownTicks + stat.waitedTicks)
    for (const child of children.get(stat.pid) ?? []) visit(child)
  }
  for (const stat of stats) if (roots.includes(stat.pid)) visit(stat)
  return found
}

/** Ids of the processes `roots` and their descendants. */
export const processesBelow = (roots: readonly number[]): number[] => [...readTree(roots).keys()]

/** Processes whose command line holds `text`. */
export function processesWith(text: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => pid !== process.pid && readOrEmpty(`/proc/${pid}/cmdline`).includes(text))
}

export function roleOf(pid: number): string {
  // Chromium's own children write theirs into one string.
  const words = readOrEmpty(`/proc/${pid}/cmdline`).split(/[\0 ]/)
  const value = (name: string) => words.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1)
  const type = value('--type')
  if (type === 'utility') return `${value('--utility-sub-type')?.split('.')[0] ?? 'other'} service`
  if (type !== undefined) return type
  if (value('--user-data-dir') !== undefined) return 'browser'
  return basename(words[0] ?? '')
}

function sharedMegabytes(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) / 1000
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '' // It ended meanwhile.
  }
}
