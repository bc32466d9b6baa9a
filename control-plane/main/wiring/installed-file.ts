/** Files of this installation of Standin, whether this module runs from the checkout or from `dist/`. */
import { existsSync, readFileSync } from 'node:fs'
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

export function versionOfProgram(): string {
  return (JSON.parse(readFileSync(installedFile('package.json'), 'utf8')) as { version: string }).version
}

/** From the sources, as tests and developers run it: then the worker runs from its sources too, and no build is asked. */
const isSource = import.meta.url.endsWith('.ts')

/** Program and arguments of a command of the worker, such as `join`. */
export function standinCommand(command: string): string[] {
  if (isSource) return [process.execPath, installedFile('src', 'cli', 'index.ts'), command]
  return [installedFile('bin', 'standin'), command]
}

/** Whether `standin speech install` has put the model here. */
export function hasSpeechModel(): boolean {
  return existsSync(installedFile('models', 'speech-en', 'tokens.txt'))
}

/** Whether the mock meetings are here: the production image goes without. */
export function hasMockMeetings(): boolean {
  return existsSync(isSource ? installedFile('packages/mock/index.ts') : installedFile('dist/packages/mock/index.js'))
}
