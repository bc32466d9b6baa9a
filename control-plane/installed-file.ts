/** Files of this installation of Standin, whether this module runs from the checkout or from `dist/`. */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = findRoot(dirname(fileURLToPath(import.meta.url)))

function findRoot(folder: string): string {
  if (existsSync(join(folder, 'bin', 'standin')) || folder === dirname(folder)) return folder
  return findRoot(dirname(folder))
}

/** Absolute path of a file that is named from the project's folder. */
export function installedFile(...path: readonly string[]): string {
  return join(root, ...path)
}
