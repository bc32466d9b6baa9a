/** Notes about measurements: one file for each, named by its day and never changed afterwards. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../packages/core/process/page-scripts.ts'

/** The path of a new note; several of one day are numbered. */
export function newNote(topic: string): string {
  const day = new Date().toISOString().slice(0, 10)
  const path = (number: number) =>
    join(packageRoot, 'bench', 'notes', `${day}-${topic}${number === 1 ? '' : `-${number}`}.md`)
  let number = 1
  while (existsSync(path(number))) number++
  return path(number)
}
