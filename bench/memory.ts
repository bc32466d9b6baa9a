import { readFileSync } from 'node:fs'

/** Megabytes of these processes together. Memory that they share counts once (PSS), unlike in most tools. */
export function sharedMegabytes(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => {
    try {
      return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0)
    } catch {
      return 0 // The process has ended meanwhile.
    }
  })
  return kilobytes.reduce((sum, value) => sum + value, 0) / 1000
}
