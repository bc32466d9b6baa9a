/** Shared by the processes of one installation: the database with its tables, the secret keys, the first team. */
import { rm } from 'node:fs/promises'
import { startLoop } from '@standin/wire/time/loop.ts'
import type { Log } from '../../platform/ports.ts'
import { checkSealKeys } from '../../platform/secrets/key-check.ts'
import { createSeals, type KeyRing, newSealKey, parseSealKeys } from '../../platform/secrets/seals.ts'
import { type Database, openDatabase, reachDatabase } from '../../store/database.ts'
import { migrate } from '../../store/migrate.ts'
import { hasOwnPostgres, startOwnPostgres } from '../../store/own-postgres.ts'
import { type CallerRole, prepareCallerRole } from '../../store/row-security.ts'
import { createFirstTeam } from '../../store/teams/first-team.ts'
import { sealApiKey } from '../../store/teams/keys.ts'
import { faultOfDatabase } from '../../store/usable-database.ts'
import { InvalidConfig, type ServiceConfig } from '../config/config.ts'
import {
  apiKeyFile,
  type DataFolderHold,
  DataFolderInUse,
  type Holder,
  holdDataFolder,
  makeDataFolder,
  readSecretFile,
  secretKeysFile,
  withRoom,
  writeSecretFile,
} from './data-folder.ts'

/** Connections for work without a separate pool: start, administration, first team. */
const CONNECTIONS = 4
/** How often the service's own PostgreSQL is checked while its connections hold. */
const LOOK_MS = 30_000
/** How often in the minute after one broke: a server that is stopped closes its connections first. */
const LOOK_AGAIN_MS = 3_000
const UNCERTAIN_MS = 60_000

export interface Installation {
  databaseUrl: string
  database: Database
  callers: CallerRole
  seals: KeyRing
  /** Migrations that were made now. */
  migrated: string[]
  /** Whether this process holds the data folder, and with it the only database: no service runs. */
  isAlone: boolean
  /** The first API key, where this process made it now. */
  firstKey: string | null
  /** Closes the pool; stops the service's own PostgreSQL where this process holds the data folder. */
  close(): Promise<void>
}

type OpenedDatabase = Pick<Installation, 'databaseUrl' | 'database' | 'isAlone' | 'close'>

/** Opens the database as it is: without its tables, if it is new. Rejects with a sentence if it cannot be used. */
async function openInstalledDatabase(config: ServiceConfig, holder: Holder, log: Log): Promise<OpenedDatabase> {
  const closing: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const step of closing.splice(0).reverse())
      await step().catch((error) => log.warn({ error: String(error) }, 'A step of closing failed'))
  }
  try {
    await makeDataFolder(config.dataFolder)
    const hold = await holdFor(config, holder)
    if (hold !== null) closing.push(() => hold.release())
    const own = config.databaseUrl === null ? await ownPostgres(config.dataFolder, hold, closing, log) : null
    const databaseUrl = config.databaseUrl ?? own!.url
    if (config.databaseUrl !== null) await checkDatabase(config.databaseUrl)
    const database = openDatabase({
      url: databaseUrl,
      role: holder,
      connections: CONNECTIONS,
      onError: (error) => {
        log.warn({ error: String(error) }, 'A database connection broke')
        own?.check()
      },
    })
    closing.push(() => database.destroy())
    if (config.databaseUrl !== null)
      await reachDatabase(database).catch((error) => {
        throw databaseProblem(error)
      })
    return { databaseUrl, database, isAlone: hold !== null && config.databaseUrl === null, close }
  } catch (error) {
    await close()
    throw error
  }
}

/**
 * Opens the installation, and makes its missing parts. A service holds its data folder, so a second one is refused with
 * `DataFolderInUse`; a command works beside a running service. Rejects with a sentence if keys or database do not fit, or the
 * disk is full.
 */
export const openInstallation = (config: ServiceConfig, holder: Holder, log: Log): Promise<Installation> =>
  withRoom(config, () => openWhole(config, holder, log))

async function openWhole(config: ServiceConfig, holder: Holder, log: Log): Promise<Installation> {
  const opened = await openInstalledDatabase(config, holder, log)
  try {
    const { database } = opened
    const migrated = await migrate(database)
    if (migrated.length > 0) log.info({ migrated }, 'Database migrated')
    const callers = await prepareCallerRole(database)
    if (callers.problem !== null) log.warn({}, callers.problem)
    const seals = await openSeals(config, database)
    const first = await createFirstTeam(database, {
      seal: sealApiKey(seals),
      keep: (key) => writeSecretFile(apiKeyFile(config.dataFolder), key),
    })
    if (first !== null) log.info({ team: first.teamId }, 'First team and first API key created')
    return { ...opened, callers, seals, migrated, firstKey: first?.key ?? null }
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function checkDatabase(url: string): Promise<void> {
  const fault = await faultOfDatabase(url).catch((error) => {
    throw databaseProblem(error)
  })
  if (fault !== null) throw new InvalidConfig([{ place: 'DATABASE_URL', ...fault }])
}

/** The user, the password or the name is wrong; anything else may pass. */
const MISTAKES = /^(?:28...|3D000)$/
/** Of PgBouncer. */
const UNSUPPORTED = /^unsupported startup parameter: (\w+)/

function databaseProblem(error: { code?: string; message?: string }): Error {
  // An address with two numbers fails with an error without a message.
  const message = error.message || error.code || 'cannot be reached'
  const mistake = (cure: string) => new InvalidConfig([{ place: 'DATABASE_URL', message, cure }])
  if (MISTAKES.test(error.code ?? '')) return mistake('Correct the user, the password or the name')
  const [, parameter] = UNSUPPORTED.exec(message) ?? []
  if (parameter !== undefined)
    return mistake(
      `Take ${parameter} out of the address and PGOPTIONS, or write "ignore_startup_parameters = ${parameter}" into pgbouncer.ini`,
    )
  return new Error(`DATABASE_URL: the database cannot be used: ${message}`, { cause: error })
}

/** Null for a command beside a running service, and for one with `DATABASE_URL`. */
async function holdFor(config: ServiceConfig, holder: Holder): Promise<DataFolderHold | null> {
  if (holder === 'command' && config.databaseUrl !== null) return null
  try {
    return await holdDataFolder(config.dataFolder, holder)
  } catch (error) {
    if (holder === 'command' && error instanceof DataFolderInUse) return null
    throw error
  }
}

async function ownPostgres(
  folder: string,
  hold: DataFolderHold | null,
  closing: (() => Promise<unknown>)[],
  log: Log,
): Promise<{ url: string; check: () => void }> {
  if (hold === null && !(await hasOwnPostgres(folder)))
    throw new Error(
      `The service that runs on ${folder} has its database elsewhere: set DATABASE_URL as that service has it, or write it into settings.env of the folder`,
    )
  const { url, stop } = await startOwnPostgres({ folder })
  // Without the lock, the running service manages the server.
  if (hold === null) return { url, check: () => {} }
  closing.push(stop)
  const loop = restartLoop(folder, log)
  closing.push(loop.close)
  return { url, check: loop.check }
}

/**
 * Starts the server again where it was killed; it recovers its committed data. Each check connects, for which the server
 * makes a process, so it is woken when a connection breaks.
 */
function restartLoop(folder: string, log: Log): { check(): void; close(): Promise<void> } {
  let isDown = false
  let brokeAt = Number.NEGATIVE_INFINITY
  async function poll(): Promise<number> {
    const { isFresh } = await startOwnPostgres({ folder })
    if (isFresh) log.warn({}, 'PostgreSQL was not running and was started again')
    isDown = false
    return performance.now() - brokeAt < UNCERTAIN_MS ? LOOK_AGAIN_MS : LOOK_MS
  }
  const onError = (error: unknown) => {
    if (!isDown) log.error({ error: String(error) }, 'PostgreSQL is not running and could not be started')
    isDown = true
  }
  const loop = startLoop(poll, { onError, afterErrorMs: LOOK_AGAIN_MS })
  return {
    check() {
      brokeAt = performance.now()
      loop.wake()
    },
    close: loop.close,
  }
}

/** The keys of the configuration, or those of the data folder, which the first start makes. */
async function openSeals(config: ServiceConfig, database: Database): Promise<KeyRing> {
  if (config.secretKeys !== null) {
    const seals = createSeals(config.secretKeys)
    await checkSealKeys(database, seals)
    return seals
  }
  const file = secretKeysFile(config.dataFolder)
  const stored = await readSecretFile(file)
  const text = stored ?? newSealKey('k1')
  // On disk before the database depends on it.
  if (stored === null) await writeSecretFile(file, text)
  try {
    const seals = createSeals(parseSealKeys(text))
    await checkSealKeys(database, seals)
    return seals
  } catch (error) {
    if (stored === null) await rm(file, { force: true })
    throw new Error(
      stored === null
        ? `This database belongs to an installation whose secret keys are missing in ${config.dataFolder}: ` +
            'set STANDIN_SECRET_KEYS to them'
        : `The secret keys in ${file} do not fit this database: ${(error as Error).message}`,
      { cause: error },
    )
  }
}
