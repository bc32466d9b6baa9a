/**
 * `dist` is a link to the newest build in `.cache/builds`, and one rename replaces it. So a reader finds whole files at every
 * moment, and a failed build changes nothing. Node follows the link when a program starts: the program keeps to its build, even
 * for what it imports hours later.
 */
import { randomUUID } from 'node:crypto'
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

const BUILDS = '.cache/builds'
/** A command that has read the link may be about to start, and another build may be at work. */
const KEPT_MS = 3_600_000

/**
 * `work` fills a folder, which then becomes `dist` of the checkout `root`. Rejects as `work` does. For set-up, `.built` in it
 * says which `parts` it has, and has the time of the start: files that are edited meanwhile are built next time.
 */
export async function replaceBuild(
  root: string,
  parts: 'none' | 'bot' | 'all',
  work: (dist: string) => Promise<void> | void,
): Promise<void> {
  const link = join(root, 'dist')
  const folder = join(root, BUILDS, randomUUID())
  const dist = join(folder, 'dist')
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, '.built'), `${parts}\n`)
  try {
    await work(dist)
  } catch (error) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
    throw error
  }
  touch(folder)
  symlinkSync(relative(root, dist), join(folder, 'link'))
  // A folder, as earlier versions built it, cannot be replaced in one step.
  if (lstatSync(link, { throwIfNoEntry: false })?.isDirectory()) renameSync(link, join(folder, 'before'))
  // Its age counts from now.
  else if (existsSync(link)) touch(dirname(realpathSync(link)))
  renameSync(join(folder, 'link'), link)
  removeOldBuilds(root)
}

/** Those that were replaced more than an hour ago and that no running program has in its command line. */
function removeOldBuilds(root: string): void {
  const current = dirname(realpathSync(join(root, 'dist')))
  const commands = globSync('/proc/[0-9]*/cmdline').map(contentOf)
  for (const name of readdirSync(join(root, BUILDS))) {
    const folder = join(root, BUILDS, name)
    const isUsed = folder === current || commands.some((command) => command.includes(`/${BUILDS}/${name}/`))
    if (!isUsed && Date.now() - statSync(folder).mtimeMs > KEPT_MS) rmSync(folder, { recursive: true, force: true })
  }
}

/** Empty for a process that has ended. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function touch(path: string): void {
  utimesSync(path, new Date(), new Date())
}
