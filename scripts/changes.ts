/** Files that changed in this checkout since a commit, and the tests that import them. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importsOf } from './imports.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const WORDS = 'packages/wire/words.json'
const FOLDERS: Readonly<Record<string, string>> = {
  meet: 'platforms/google-meet',
  teams: 'platforms/microsoft-teams',
  zoom: 'platforms/zoom',
  jitsi: 'platforms/jitsi',
}

/** Files that are changed, added or gone since the commit, in the index or not: paths from the root. */
export function changedSince(commit: string): string[] {
  const files = [
    ...git('diff', '--name-only', '--no-renames', commit),
    ...git('ls-files', '--others', '--exclude-standard'),
  ]
  return files.flatMap((file) => (file === WORDS ? placesOfWords(commit) : [file]))
}

/** The words of all platforms are one file: where only one platform's changed, its folder stands for it. */
function placesOfWords(commit: string): string[] {
  const [before, now] = [git('show', `${commit}:${WORDS}`).join('\n'), readFileSync(join(root, WORDS), 'utf8')]
  const platforms = changedKeys(before, now)
  return platforms === null ? [WORDS] : platforms.map((name) => `${FOLDERS[name]}/${posix.basename(WORDS)}`)
}

/** The platforms whose words differ; null if something else differs too, or one of both is no JSON. */
export function changedKeys(before: string, now: string): string[] | null {
  try {
    const [{ platforms: old, ...oldRest }, { platforms: fresh, ...rest }] = [JSON.parse(before), JSON.parse(now)]
    const text = JSON.stringify
    if (text(oldRest) !== text(rest) || text(Object.keys(old)) !== text(Object.keys(fresh))) return null
    return Object.keys(old).filter((name) => text(old[name]) !== text(fresh[name]))
  } catch {
    return null
  }
}

/** Lines of its output. Throws if git fails. */
export function git(...args: string[]): string[] {
  const options = { cwd: root, encoding: 'utf8' as const, maxBuffer: 64 << 20 }
  return execFileSync('git', args, options).split('\n').filter(Boolean)
}

/** The tests that import one of the files, directly or through other files, sorted. */
export function testsOf(changed: readonly string[]): string[] {
  const sources = [...git('ls-files', '*.ts', '*.tsx'), ...git('ls-files', '--others', '--exclude-standard', '*.ts')]
  const importers = new Map<string, string[]>()
  for (const file of sources.filter((name) => existsSync(join(root, name)))) {
    for (const { name } of importsOf(readFileSync(join(root, file), 'utf8'))) {
      const target = targetOf(file, name)
      if (target !== null) importers.set(target, [...(importers.get(target) ?? []), file])
    }
  }
  const reached = new Set<string>(changed)
  // A set visits what is added while it is visited.
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer)
  return [...reached].filter((file) => file.endsWith('.test.ts') && existsSync(join(root, file))).sort()
}

function targetOf(file: string, name: string): string | null {
  if (name.startsWith('@standin/')) return name.slice('@standin/'.length)
  return name.startsWith('.') ? posix.join(posix.dirname(file), name) : null
}
