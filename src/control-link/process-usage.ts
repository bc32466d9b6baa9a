/** CPU and memory of this process and all its descendants, read from /proc. */
import { readdir, readFile } from 'node:fs/promises'

/** The kernel tells times to programs in hundredths of a second on every architecture that we run on. */
const TICKS_PER_SECOND = 100

export interface ProcessStat {
  pid: number
  parentPid: number
  /** Own time and that of children that ended and were waited for, in ticks. */
  ticks: number
  /** Ticks since boot; with the pid it names a process for good, because pids are used again. */
  startedAt: number
}

/** The content of `/proc/<pid>/stat`; null if it is none. A program's name may hold spaces and parentheses. */
export function parseStat(text: string): ProcessStat | null {
  const match = /^(\d+) \(.*\) \S (.*)$/s.exec(text.trimEnd())
  if (!match) return null
  // Fields are counted from 1 in proc(5); the rest begins with field 4, the parent.
  const fields = match[2]!.split(' ').map(Number)
  const field = (number: number) => fields[number - 4] ?? Number.NaN
  const stat = {
    pid: Number(match[1]),
    parentPid: field(4),
    ticks: field(14) + field(15) + field(16) + field(17),
    startedAt: field(22),
  }
  return Object.values(stat).every(Number.isFinite) ? stat : null
}

/** Resident bytes from the content of `/proc/<pid>/status`; 0 for a process that has given its memory back. */
export function parseResidentBytes(text: string): number {
  const match = /^VmRSS:\s*(\d+) kB$/m.exec(text)
  return match ? Number(match[1]) * 1024 : 0
}

/**
 * The root, its descendants, and those that were seen among them before and have since lost their parent, as servers
 * do that put themselves into the background.
 */
export function treeOf(all: ProcessStat[], root: number, seen: ReadonlyMap<number, number>): ProcessStat[] {
  const children = Map.groupBy(all, (stat) => stat.parentPid)
  const tree = new Map<number, ProcessStat>()
  const visit = (stat: ProcessStat) => {
    if (tree.has(stat.pid)) return
    tree.set(stat.pid, stat)
    for (const child of children.get(stat.pid) ?? []) visit(child)
  }
  for (const stat of all) if (stat.pid === root || seen.get(stat.pid) === stat.startedAt) visit(stat)
  return [...tree.values()]
}

interface Usage {
  /** Since the reading before; 100 is one core. */
  cpuPercent: number
  /** Resident bytes, added up: memory that processes share counts once for each of them. */
  memoryBytes: number
}

export type UsageMeter = ReturnType<typeof createUsageMeter>

export function createUsageMeter(root = process.pid, procFolder = '/proc') {
  let seen = new Map<number, number>()
  let before = { ticks: 0, at: 0 }
  const own = async () => {
    const { user, system } = process.cpuUsage()
    return { ticks: ((user + system) / 1e6) * TICKS_PER_SECOND, memoryBytes: process.memoryUsage.rss() }
  }
  const tree = async () => {
    const stats = treeOf(await readStats(procFolder), root, seen)
    if (stats.length === 0) return own()
    seen = new Map(stats.map((stat) => [stat.pid, stat.startedAt]))
    const resident = await Promise.all(stats.map((stat) => readText(`${procFolder}/${stat.pid}/status`)))
    return {
      // Summed over the tree, so that the time of a child that ended moves to its parent and is counted once.
      ticks: stats.reduce((sum, stat) => sum + stat.ticks, 0),
      memoryBytes: resident.reduce((sum, text) => sum + parseResidentBytes(text ?? ''), 0),
    }
  }
  return {
    /** Never rejects: without /proc it reports this process only. */
    async read(): Promise<Usage> {
      const { ticks, memoryBytes } = await tree().catch(own)
      const at = performance.now()
      const seconds = (at - before.at) / 1000
      // The first reading has nothing to compare with; a process that went away unseen takes its time with it.
      const used = before.at === 0 || seconds <= 0 ? 0 : Math.max(0, ticks - before.ticks) / TICKS_PER_SECOND / seconds
      before = { ticks, at }
      return { cpuPercent: Math.round(used * 1000) / 10, memoryBytes }
    },
  }
}

async function readStats(procFolder: string): Promise<ProcessStat[]> {
  const pids = (await readdir(procFolder)).filter((name) => /^\d+$/.test(name))
  const texts = await Promise.all(pids.map((pid) => readText(`${procFolder}/${pid}/stat`)))
  return texts.map((text) => (text === null ? null : parseStat(text))).filter((stat) => stat !== null)
}

/** Null for a process that ended meanwhile. */
async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null)
}
