import { chmod, lchown, lstat, mkdir, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type BotUser, letPass } from '@standin/wire/process/bot-user.ts'

/** Of recordings: for our user alone. */
const OWN_FOLDER = 0o700
const WRITABLE_BY_ALL = 0o002
const OPEN_TO_OTHERS = 0o077

/** The file system functions in use, so that tests can simulate a faulty disk. */
export interface FolderMaker {
  mkdir(path: string, mode: number): Promise<unknown>
  stat(path: string): Promise<unknown>
}

/**
 * Makes a folder and all above it, one by one. Node's own recursive way never ends below `/proc`, and says "does not
 * exist" of a read-only disk; here the file system's own answer comes through. New folders are for our user alone.
 */
export async function mkdirs(folder: string, disk: FolderMaker = { mkdir, stat }): Promise<void> {
  const missing: string[] = []
  for (let place = folder; !(await exists(disk, place)); place = dirname(place)) missing.unshift(place)
  for (const place of missing) {
    try {
      await disk.mkdir(place, OWN_FOLDER)
    } catch (error) {
      // Another process made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

/** Default work folder for bots of this user; other users cannot write into it. */
export function userWorkFolder(): string {
  return join(tmpdir(), `standin-${userId()}`)
}

/**
 * Makes the folder of one bot, or takes over the one that is there. Rejects if another user may have prepared it: the
 * bot would write through that user's links. A folder that others may enter is closed to them.
 */
export async function makeBotFolder(folder: string): Promise<void> {
  await refuseForeign(folder)
  await mkdirs(folder)
  // Again, since it may have been prepared meanwhile.
  await refuseForeign(folder)
  const { mode, uid } = await lstat(folder)
  if (uid === userId() && (mode & OPEN_TO_OTHERS) !== 0) await chmod(folder, OWN_FOLDER)
  const link = (await readdir(folder, { withFileTypes: true })).find((entry) => entry.isSymbolicLink())
  if (link !== undefined) throw new Error(`${join(folder, link.name)} is a symbolic link. Remove it.`)
}

/** Makes a folder and those above it. The user may pass through it and through the new ones. */
export async function mkdirsToPass(user: BotUser, folder: string): Promise<void> {
  await refuseForeign(folder)
  const makePassable = (path: string) => mkdir(path, OWN_FOLDER).then(() => letPass(user, path))
  await mkdirs(folder, { mkdir: makePassable, stat })
  await letPass(user, folder)
}

/**
 * Makes the folder of one bot for another user than ours, in a folder of `mkdirsToPass`. What an earlier bot of our own user
 * left in it goes to that user; if the folder is that user's already, nothing in it is touched.
 */
export async function giveBotFolder(folder: string, { uid, gid }: BotUser): Promise<void> {
  await refuseForeign(folder, [userId(), uid])
  await mkdirs(folder)
  if ((await lstat(folder)).uid !== userId()) return
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await lchown(join(entry.parentPath, entry.name), uid, gid)
  // Last: only then can that user change what is in it.
  await lchown(folder, uid, gid)
}

/**
 * The rule of Linux for links in shared folders (fs.protected_symlinks), applied to folders: an entry of a folder that
 * all users may write must belong to our user (with `ours`, to one of those) or to the owner of that folder.
 */
async function refuseForeign(folder: string, ours = [userId()]): Promise<void> {
  for (let place = folder; place !== dirname(place); place = dirname(place)) {
    const found = await lstat(place).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null
      throw error
    })
    if (found === null) continue
    if (place === folder && found.isSymbolicLink()) throw new Error(`${place} is a symbolic link. Remove it.`)
    const above = await stat(dirname(place))
    const isShared = (above.mode & WRITABLE_BY_ALL) !== 0
    if (isShared && !ours.includes(found.uid) && found.uid !== above.uid)
      throw new Error(`${place} belongs to another user. Remove it, or choose another folder.`)
  }
}

function userId(): number {
  return process.geteuid?.() ?? 0
}

async function exists(disk: FolderMaker, place: string): Promise<boolean> {
  try {
    await disk.stat(place)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
