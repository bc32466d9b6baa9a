/**
 * Measures how long the renderers of a browser have waited for a processor that other work used: distinguishes a busy
 * machine from a frozen page.
 */
import { readdir, readFile } from 'node:fs/promises'
import { scheduledTime } from '../../packages/core/process/scheduled-time.ts'

/** Milliseconds that the main thread of each renderer was ready to run and did not, since its start; by process id. */
export type CpuWaits = ReadonlyMap<number, number>

/** Waits of the renderers among the descendants of this process. Empty if the kernel does not report them. Never rejects. */
export async function rendererWaits(processId: number, procFolder = '/proc'): Promise<CpuWaits> {
  const waits = new Map<number, number>()
  // A process may have ended meanwhile.
  const read = (id: number, file: string) => readFile(`${procFolder}/${id}/${file}`, 'utf8').catch(() => '')
  for (const id of await descendantsOf(processId, procFolder, read)) {
    if (!(await read(id, 'cmdline')).includes('--type=renderer')) continue
    const time = await scheduledTime(`${procFolder}/${id}`)
    if (time !== null) waits.set(id, time.waited)
  }
  return waits
}

/** The largest share of `elapsedMs` that a renderer has waited; null if no renderer is known in both. Pure. */
export function waitedShare(before: CpuWaits, after: CpuWaits, elapsedMs: number): number | null {
  const shares = [...after].flatMap(([id, waited]) => {
    const former = before.get(id)
    return former === undefined || elapsedMs <= 0 ? [] : [(waited - former) / elapsedMs]
  })
  return shares.length === 0 ? null : Math.max(...shares)
}

async function descendantsOf(
  root: number,
  procFolder: string,
  read: (id: number, file: string) => Promise<string>,
): Promise<number[]> {
  const ids = (await readdir(procFolder).catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number)
  const parents = await Promise.all(
    // The name of a program is in parentheses and may contain parentheses; state and parent follow the last one.
    ids.map(async (id) => ({ id, parent: Number(/\) \S (\d+) [^)]*$/.exec(await read(id, 'stat'))?.[1] ?? 0) })),
  )
  const children = Map.groupBy(parents, ({ parent }) => parent)
  const found: number[] = []
  const visit = (id: number) => {
    for (const child of children.get(id) ?? []) {
      found.push(child.id)
      visit(child.id)
    }
  }
  visit(root)
  return found
}
