/** Processor time and memory of this process and all its descendants. */
import { readStats, readText, TICKS_PER_SECOND, TreeTime, treeOf } from './process-tree.ts'

/**
 * Least milliseconds between two readings of memory. The kernel walks all pages of every process for one: about 20 ms of
 * processor time for a bot of 0.8 GB, so that this costs about a thousandth of a core. A peak between two readings is missed.
 */
const MEMORY_EVERY_MS = 15_000

/** Bytes of the process's share (PSS) from the content of `/proc/<pid>/smaps_rollup`; null if it has none. */
export function parseSharedBytes(text: string): number | null {
  const match = /^Pss:\s*(\d+) kB$/m.exec(text)
  return match ? Number(match[1]) * 1024 : null
}

/** Bytes that no other process shares, without files and shared memory, from `/proc/<pid>/status`; 0 for a process without memory. */
export function parseOwnBytes(text: string): number {
  const match = /^RssAnon:\s*(\d+) kB$/m.exec(text)
  return match ? Number(match[1]) * 1024 : 0
}

export interface ProcessUsage {
  /** Since the reading before; 100 is one core. */
  cpuPercent: number
  /** Of the tree and of processes that ended; never goes down. */
  coreSeconds: number
  /** Pages that processes share count once. Null if it could not be measured. */
  memoryBytes: number | null
}

export type ProcessMeter = ReturnType<typeof createProcessMeter>

export function createProcessMeter(root = process.pid, procFolder = '/proc', memoryEveryMs = MEMORY_EVERY_MS) {
  const time = new TreeTime()
  let before = { seconds: 0, at: 0 }
  let memory = { bytes: null as number | null, at: Number.NEGATIVE_INFINITY }

  /** Where the sandbox of a browser closes its processes to us, their own pages count; those that they share do not. */
  const memoryOf = async (pid: number): Promise<number> => {
    const shared = await readText(`${procFolder}/${pid}/smaps_rollup`)
    return (
      (shared === null ? null : parseSharedBytes(shared)) ??
      parseOwnBytes((await readText(`${procFolder}/${pid}/status`)) ?? '')
    )
  }
  const readTree = async (isMemoryDue: boolean) => {
    const stats = treeOf(await readStats(procFolder), root, time.seen)
    if (stats.length === 0) throw new Error('There is no such process')
    if (isMemoryDue) {
      const bytes = await Promise.all(stats.map(({ pid }) => memoryOf(pid)))
      memory = { bytes: bytes.reduce((sum, one) => sum + one, 0), at: performance.now() }
    }
    return time.update(stats) / TICKS_PER_SECOND
  }
  const readOwn = () => {
    const { user, system } = process.cpuUsage()
    memory = { bytes: process.memoryUsage.rss(), at: performance.now() }
    return Math.max(before.seconds, (user + system) / 1e6)
  }
  return {
    /** Never rejects: without /proc it reports this process only. `withMemory`: reads the memory in any case. */
    async read(withMemory = false): Promise<ProcessUsage> {
      const isMemoryDue = withMemory || performance.now() - memory.at >= memoryEveryMs
      const seconds = await readTree(isMemoryDue).catch(readOwn)
      const at = performance.now()
      // The first reading has nothing to compare with.
      const used = before.at === 0 || at <= before.at ? 0 : (seconds - before.seconds) / ((at - before.at) / 1000)
      before = { seconds, at }
      return { cpuPercent: Math.round(used * 1000) / 10, coreSeconds: seconds, memoryBytes: memory.bytes }
    },
  }
}
