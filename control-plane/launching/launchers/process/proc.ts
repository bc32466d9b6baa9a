/** Process information of the kernel: a process is known by its id and its start time, because ids are used again. */
import { readdir, readFile, readlink } from 'node:fs/promises'

export interface ProcessIdentity {
  pid: number
  /** Clock ticks between the start of the machine and that of the process. */
  startTicks: number
}

/** Reads a line of `/proc/<pid>/stat`; null if it is none. A program's name may hold spaces and parentheses. */
export function parseStat(text: string): (ProcessIdentity & { state: string }) | null {
  const match = /^(?<pid>\d+) \(.*\) (?<rest>.+)$/s.exec(text.trim())
  if (match === null) return null
  const fields = match.groups!.rest!.split(' ')
  const startTicks = Number(fields[19])
  return Number.isInteger(startTicks) ? { pid: Number(match.groups!.pid), state: fields[0]!, startTicks } : null
}

/** Whether this very process runs. A process that ended and waits for its parent does not. */
export async function isAlive({ pid, startTicks }: ProcessIdentity): Promise<boolean> {
  const stat = parseStat(await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ''))
  return stat !== null && stat.startTicks === startTicks && stat.state !== 'Z' && stat.state !== 'X'
}

/** Process ids and start times mean something only within one start of one machine or container. */
export async function processWorld(): Promise<{ boot: string; namespace: string }> {
  const [boot, namespace] = await Promise.all([
    readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => 'unknown'),
    readlink('/proc/self/ns/pid').catch(() => 'unknown'),
  ])
  return { boot: boot.trim(), namespace }
}

/** Processes that were started with this variable, and have not ended. Other users' processes cannot be read. */
export async function processesWith(variable: string, value: string): Promise<ProcessIdentity[]> {
  const wanted = `${variable}=${value}`
  const found: ProcessIdentity[] = []
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '')
    if (!environment.split('\0').includes(wanted)) continue
    const stat = parseStat(await readFile(`/proc/${name}/stat`, 'utf8').catch(() => ''))
    if (stat !== null && stat.state !== 'Z') found.push({ pid: stat.pid, startTicks: stat.startTicks })
  }
  return found
}

/**
 * The file in which the kernel counts how often it killed for lack of memory in this process's group; null if it
 * cannot be read.
 */
export async function memoryEventsFile(): Promise<string | null> {
  const groups = (await readFile('/proc/self/cgroup', 'utf8').catch(() => '')).trim().split('\n')
  const candidates = groups.flatMap((line) => {
    const [, controllers, path] = line.split(':', 3)
    if (path === undefined) return []
    if (controllers === '') return [`/sys/fs/cgroup${path}/memory.events`, '/sys/fs/cgroup/memory.events']
    if (controllers === 'memory')
      return [`/sys/fs/cgroup/memory${path}/memory.oom_control`, '/sys/fs/cgroup/memory/memory.oom_control']
    return []
  })
  for (const file of candidates) {
    const text = await readFile(file, 'utf8').catch(() => '')
    if (outOfMemoryKills(text) !== null) return file
  }
  return null
}

/** The count in such a file; null if it has none. */
export function outOfMemoryKills(text: string): number | null {
  const [, count] = /^oom_kill (\d+)$/m.exec(text) ?? []
  return count === undefined ? null : Number(count)
}
