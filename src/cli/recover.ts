import { readdir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { toError } from '@standin/wire/text/error-text.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { InvalidJob } from '../job/config.ts'
import { listAbandoned, recoverAbandoned, recoverFolderAndArtifacts } from '../wiring/recovery.ts'
import { s3AddressOf } from './s3-address.ts'

export interface RecoverFlags {
  s3?: string
  s3Endpoint?: string
  s3Region?: string
  botId?: string
  olderThan: string
  list?: boolean
  json?: boolean
}

type Recovered = Awaited<ReturnType<typeof recoverFolderAndArtifacts>>

const EXIT_UNFINISHED = 4
const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * `standin recover`: recovers recordings of bots that crashed, in folders of this machine or in a bucket. Throws
 * InvalidJob or CommandMistake.
 */
export async function recover(folder: string | undefined, flags: RecoverFlags, io: Io): Promise<number> {
  if ((folder === undefined) === (flags.s3 === undefined))
    throw new CommandMistake('standin recover: name either a folder or a bucket (--s3)')
  const stop = new AbortController()
  const onInterrupt = () => stop.abort(new Error('It was interrupted.'))
  process.once('SIGINT', onInterrupt)
  try {
    if (folder !== undefined) return await recoverFolders(resolve(folder), flags, io, stop.signal)
    return await recoverBucket(flags.s3!, flags, io, stop.signal)
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'StorageError') throw error
    io.errors.write(`${error.message}\n`)
    return EXIT_UNFINISHED
  } finally {
    process.off('SIGINT', onInterrupt)
  }
}

async function recoverFolders(folder: string, flags: RecoverFlags, io: Io, signal: AbortSignal): Promise<number> {
  const recovered: Recovered = { files: [], beside: [], problems: [] }
  for (const place of await recordingsWithSpool(folder)) {
    try {
      const { files, beside, problems } = await recoverFolderAndArtifacts(place, { signal, tuning: printRetries(io) })
      recovered.files.push(...files)
      recovered.beside.push(...beside)
      recovered.problems.push(...problems)
    } catch (error) {
      recovered.problems.push({ name: place, error: toError(error) })
    }
  }
  return report(recovered, flags, io)
}

async function recoverBucket(address: string, flags: RecoverFlags, io: Io, signal: AbortSignal): Promise<number> {
  const place = placeOf(address, flags)
  const options = { olderThanMs: millisecondsOf(flags.olderThan), botId: flags.botId, signal, tuning: printRetries(io) }
  if (flags.list) {
    io.output.write(`${jsonText(await listAbandoned(place, options), 2)}\n`)
    return 0
  }
  return report({ ...(await recoverAbandoned(place, options)), beside: [] }, flags, io)
}

/** Prints each retry, so that the operator knows why the command waits. */
function printRetries(io: Io) {
  return { onRetry: ({ error }: { error: string }) => void io.errors.write(`${error} Standin tries again.\n`) }
}

/** The folder itself, or the folders in it, where they contain a spool. */
async function recordingsWithSpool(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    throw new InvalidJob([{ path: folder, message: `cannot be read (${error.code})` }])
  })
  if (entries.some(({ name }) => name === 'spool')) return [folder]
  const inside = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  const hasSpool = await Promise.all(inside.map((each) => stat(join(each, 'spool')).catch(() => null)))
  return inside.filter((_, index) => hasSpool[index] !== null)
}

function placeOf(address: string, flags: RecoverFlags): Parameters<typeof recoverAbandoned>[0] {
  return { type: 's3', ...s3AddressOf(address, '--s3'), endpoint: flags.s3Endpoint, region: flags.s3Region }
}

function millisecondsOf(time: string): number {
  const { count, unit } = /^(?<count>\d+)(?<unit>[smhd])$/.exec(time)?.groups ?? {}
  if (count === undefined || unit === undefined)
    throw new InvalidJob([{ path: '--older-than', message: 'must be a number with s, m, h or d, such as 2h' }])
  return Number(count) * UNITS[unit]!
}

function report({ files, beside, problems }: Recovered, { json }: RecoverFlags, io: Io): number {
  for (const file of files) {
    const { location, bytes, seconds, index } = file
    const length = seconds === null ? '' : `, ${Math.round(seconds)} s`
    const caveat = index === 'whole' ? '' : '; it plays fragment by fragment, because its index could not be rebuilt'
    io.output.write(json ? `${jsonText(file)}\n` : `${location}: ${bytes} bytes${length}${caveat}\n`)
  }
  for (const file of beside) io.output.write(json ? `${jsonText(file)}\n` : `${file.location}: ${file.bytes} bytes\n`)
  for (const { name, error } of problems)
    io.errors.write(
      json ? `${jsonText({ name, error: error.message })}\n` : `${name} was not recovered: ${error.message}\n`,
    )
  if (files.length + problems.length === 0 && !json) io.output.write('No recording needs recovery.\n')
  return problems.length === 0 ? 0 : EXIT_UNFINISHED
}
