/**
 * What runs beside this version during an upgrade: the newest version that does not know the newest migration. While all tables
 * are one migration, it is the version of the last commit.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { pathOf } from '../../../scripts/workspaces.ts'

const FIRST = 'control-plane/store/migrations/0230-tables'
const MAX_OUTPUT = 512 * 1024 * 1024

/** Unpacks it into the folder, with this version's packages and its own workspaces. Returns its commit. */
export function unpackOlderVersion(folder: string): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: packageRoot, maxBuffer: MAX_OUTPUT })
  const commitThatAdded = (range: string, ...paths: string[]) =>
    String(git('log', '-1', '--diff-filter=A', '--format=%H', range, '--', ...paths)).trim()
  // Those before it had other migrations, which this one replaced.
  const since = `${commitThatAdded('HEAD', FIRST)}..HEAD`
  const added = commitThatAdded(since, 'control-plane/store/migrations', `:!${FIRST}`)
  const commit = String(git('rev-parse', '--short', added === '' ? 'HEAD' : `${added}^`)).trim()
  mkdirSync(join(folder, 'node_modules/@standin'), { recursive: true })
  execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit) })
  const packages = join(packageRoot, 'node_modules')
  for (const name of readdirSync(packages))
    if (name !== '@standin') symlinkSync(join(packages, name), join(folder, 'node_modules', name))
  for (const name of readdirSync(join(packages, '@standin')))
    symlinkSync(join(folder, pathOf(`@standin/${name}`)), join(folder, 'node_modules/@standin', name))
  symlinkSync(join(packageRoot, 'control-plane/node_modules'), join(folder, 'control-plane/node_modules'))
  return commit
}
