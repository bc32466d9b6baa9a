/** The folder of a browser for one meeting, or of a profile to start from. Removes the folders of killed bots. */
import { mkdtemp, readdir, readlink, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOwnFolder, readOwnFile } from '../../packages/core/process/own-file.ts'

const PREFIX = 'standin-browser-'
/** Names the folder's owner: the process, and the namespace of its id. */
const OWNER = 'owner.json'
const MAX_OWNER_BYTES = 1024

interface Owner {
  processId: number
  namespace: string
}

/** Makes an empty folder for this process. First removes the folders of bots that were killed. */
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
      // Another user's folder stays, whatever is in it: each user removes the folders of its own bots.
      if (!(await isOwnFolder(home))) continue
      const owner = JSON.parse(await readOwnFile(join(home, OWNER), MAX_OWNER_BYTES)) as Owner
      // A process id of another container says nothing here, so its folder stays.
      if (owner.namespace !== namespace || isAlive(owner.processId)) continue
      await rm(home, { recursive: true, force: true })
    } catch {
      // Not readable, being made, or being removed by its owner: it stays.
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
