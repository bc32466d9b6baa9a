/** The processes below a process, read from /proc. */
import { readdir, readFile } from 'node:fs/promises'

/** The kernel tells times to programs in hundredths of a second on every architecture that we run on. */
export const TICKS_PER_SECOND = 100

export interface ProcessStat {
  pid: number
  parentPid: number
  /** Processor time of the process itself, in ticks. */
  ownTicks: number
  /** That of its children that ended and for which it waited; theirs is in it. */
  waitedTicks: number
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
    ownTicks: field(14) + field(15),
    waitedTicks: field(16) + field(17),
    startedAt: field(22),
  }
  return Object.values(stat).every(Number.isFinite) ? stat : null
}

/**
 * The root, its descendants, and those that were seen among them before and have since lost their parent, as servers
 * do that put themselves into the background. `seen`: start times by pid.
 */
export function treeOf(
  all: ProcessStat[],
  root: number,
  seen: ReadonlyMap<number, Pick<ProcessStat, 'startedAt'>>,
): ProcessStat[] {
  const children = Map.groupBy(all, (stat) => stat.parentPid)
  const tree = new Map<number, ProcessStat>()
  const visit = (stat: ProcessStat) => {
    if (tree.has(stat.pid)) return
    tree.set(stat.pid, stat)
    for (const child of children.get(stat.pid) ?? []) visit(child)
  }
  for (const stat of all) if (stat.pid === root || seen.get(stat.pid)?.startedAt === stat.startedAt) visit(stat)
  return [...tree.values()]
}

/** Reads every process that the machine shows. */
export async function readStats(procFolder: string): Promise<ProcessStat[]> {
  const pids = (await readdir(procFolder)).filter((name) => /^\d+$/.test(name))
  const texts = await Promise.all(pids.map((pid) => readText(`${procFolder}/${pid}/stat`)))
  return texts.map((text) => (text === null ? null : parseStat(text))).filter((stat) => stat !== null)
}

/** Null for a process that ended meanwhile, and for a file that this user may not read. */
export async function readText(path: string): Promise<string | null> {
  return readFile(path, 'utf8').catch(() => null)
}

/**
 * Adds up the processor time of a tree. A process that ended leaves its time to the parent that waited for it; where no
 * process of the tree did, as after a crash whose orphans another program collects, the time that was last seen is kept.
 * So the sum never goes down.
 */
export class TreeTime {
  #seen: ReadonlyMap<number, ProcessStat> = new Map()
  #keptTicks = 0
  #ticks = 0

  get seen(): ReadonlyMap<number, ProcessStat> {
    return this.#seen
  }

  /** Ticks of the tree and of all processes that ever were in it, as far as they were seen or waited for. */
  update(tree: readonly ProcessStat[]): number {
    const now = new Map(tree.map((stat) => [stat.pid, stat]))
    const lives = (stat: ProcessStat) => now.get(stat.pid)?.startedAt === stat.startedAt
    /** Time that ended processes had, by the living process that may have waited for them; null: no process of the tree. */
    const left = new Map<number | null, number>()
    for (const stat of this.#seen.values()) {
      if (lives(stat)) continue
      const heir = this.#heirOf(stat, lives)
      left.set(heir, (left.get(heir) ?? 0) + stat.ownTicks + stat.waitedTicks)
    }
    for (const [heir, ticks] of left) {
      const inherited = heir === null ? 0 : now.get(heir)!.waitedTicks - this.#seen.get(heir)!.waitedTicks
      this.#keptTicks += Math.max(0, ticks - inherited)
    }
    this.#seen = now
    const sum = tree.reduce((ticks, stat) => ticks + stat.ownTicks + stat.waitedTicks, this.#keptTicks)
    this.#ticks = Math.max(this.#ticks, sum)
    return this.#ticks
  }

  /** The nearest ancestor that still runs: parents that ended handed on what their children left to them. */
  #heirOf(stat: ProcessStat, lives: (stat: ProcessStat) => boolean): number | null {
    const passed = new Set<number>()
    let parent = this.#seen.get(stat.parentPid)
    while (parent !== undefined && !lives(parent) && !passed.has(parent.pid)) {
      passed.add(parent.pid)
      parent = this.#seen.get(parent.parentPid)
    }
    return parent !== undefined && lives(parent) ? parent.pid : null
  }
}
