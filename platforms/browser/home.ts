/** The folder of a browser for one meeting, or of a profile to start from, and the removal of those whose bot was killed. */
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const PREFIX = 'standin-browser-'
/** Says whose the folder is: the process, and the namespace in which that number means something. */
const OWNER = 'owner.json'

interface Owner {
  processId: number
  namespace: string
}

/** Makes an empty folder of ours. Homes of bots that were killed are removed on the way. */
export async function makeBrowserHome(): Promise<string> {
  await removeOrphans()
  const home = await mkdtemp(join(tmpdir(), PREFIX))
  const owner: Owner = { processId: process.pid, namespace: await pidNamespace() }
  await writeFile(join(home, OWNER), JSON.stringify(owner))
  return home
}

async function removeOrphans(): Promise<void> {
  const namespace = await pidNamespace()
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(PREFIX))
  for (const name of names) {
    const home = join(tmpdir(), name)
    try {
      const owner = JSON.parse(await readFile(join(home, OWNER), 'utf8')) as Owner
      // A number of another container says nothing here; its folder is not ours to judge.
      if (owner.namespace !== namespace || isAlive(owner.processId)) continue
      await rm(home, { recursive: true, force: true })
    } catch {
      // Not readable, being made, or being removed by its owner: left alone.
    }
  }
}

async function pidNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => 'unknown')
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
