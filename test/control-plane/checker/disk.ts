/** Puts a folder on a separate small disk, which a fault fills. Only root may mount one. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const BLOCK = Buffer.alloc(1024 * 1024)

export const mayMount = process.getuid?.() === 0

export function mountDisk(folder: string, megabytes: number): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder])
}

export function unmountDisk(folder: string): void {
  execFileSync('umount', ['--lazy', folder])
}

/** Writes until nothing fits any more. Returns what makes room again. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, 'filler')
  const file = openSync(path, 'w')
  try {
    while (true) writeSync(file, BLOCK)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
  } finally {
    closeSync(file)
  }
  return () => rmSync(path)
}
