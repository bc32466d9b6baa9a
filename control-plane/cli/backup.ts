/** Commands that write the database into a file, and make a database from it. */
import { createReadStream, createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommandMistake } from '@standin/base/command-output.ts'
import { openCheck } from '../secrets/key-check.ts'
import { BackupProblem } from '../store/backup/archive.ts'
import { backUp, restore } from '../store/backup/backup.ts'
import { migrateAs } from '../store/migrate.ts'
import { secretKeysFile } from '../wiring/data-folder.ts'
import { givenSeals, type OpenedDatabase, openInstalledDatabase } from '../wiring/installation.ts'
import { versionOfProgram } from '../wiring/installed-file.ts'
import type { CommandContext } from './context.ts'

/** Standard output, and standard input. */
const PIPE = '-'

/** Runs beside a service. */
export async function backupCommand(context: CommandContext, file: string): Promise<void> {
  const { config, output, io } = context
  if (file !== PIPE && (await stat(file).catch(() => null))) throw new CommandMistake(`${file} exists already`)
  const rows = await onDatabase(context, ({ databaseUrl }) =>
    backUp(databaseUrl, versionOfProgram(), (archive) =>
      file === PIPE ? pipeline(archive, io.output) : save(archive, file),
    ),
  )
  if (file === PIPE) return
  const { size: bytes } = await stat(file)
  const keys = config.secretKeys === null ? secretKeysFile(config.dataFolder) : 'STANDIN_SECRET_KEYS'
  output.answer({ file, rows, bytes }, [
    `${file}: ${rows} rows, ${Math.ceil(bytes / 1024)} KiB.`,
    `It holds neither the secret keys (${keys}) nor the recordings: keep copies of both. Without the keys it cannot be restored.`,
  ])
}

/** Under its name the file is whole or absent. Only its owner can read it. */
async function save(archive: Readable, file: string): Promise<void> {
  const draft = `${file}.${process.pid}.part`
  try {
    await pipeline(archive, createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }))
    await rename(draft, file)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}

/** Only into an empty database. */
export async function restoreCommand(context: CommandContext, file: string): Promise<void> {
  const { config, output, io } = context
  if (file !== PIPE && !(await stat(file).catch(() => null))) throw new CommandMistake(`There is no file ${file}`)
  const seals = await givenSeals(config)
  if (seals === null)
    throw new CommandMistake(
      `The secret keys of the installation are missing: copy its secret-keys to ${secretKeysFile(config.dataFolder)}, or set STANDIN_SECRET_KEYS`,
    )
  const rows = await onDatabase(context, ({ databaseUrl, database }) =>
    restore({
      url: databaseUrl,
      file: file === PIPE ? io.input : createReadStream(file),
      async prepare({ key_check: check, migrations }) {
        // A database that no service has started with has no secrets.
        if (check !== null) openCheck(check, seals)
        await migrateAs(database, migrations)
      },
    }),
  )
  output.answer({ rows }, [`${rows} rows are restored. Put the recordings in their place, and start the service.`])
}

async function onDatabase<T>({ config, log }: CommandContext, act: (opened: OpenedDatabase) => Promise<T>): Promise<T> {
  const opened = await openInstalledDatabase(config, 'command', log)
  try {
    return await act(opened)
  } catch (error) {
    throw error instanceof BackupProblem ? new CommandMistake(error.message) : error
  } finally {
    await opened.close()
  }
}
