/** `standin recover` as a process, which finishes the recordings of bots that crashed. */
import { execFile } from 'node:child_process'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Job } from '@standin/wire/job.ts'
import { botEnvironment } from '../launchers/shared/bot-environment.ts'
import type { Recover } from '../reconcile/recovery.ts'

/** Milliseconds; a long recording is read once to make its index. */
const MAX_MS = 15 * 60_000
/**
 * Time from the stop request until the process is killed. The next process starts unfinished work from the beginning.
 */
const STOP_WITHIN_MS = 5_000
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

export interface RecoverCommandSettings {
  /** Program and arguments, such as `bin/standin recover`. */
  command: readonly string[]
  environment: Readonly<Record<string, string | undefined>>
}

export function createRecoverCommand({ command, environment }: RecoverCommandSettings): Recover {
  return async ({ botId, storage, workFolder }, signal) => {
    const folder = storage.type === 'folder' ? join(storage.path, botId) : workFolder && join(workFolder, botId)
    const found = folder === null ? null : await lstat(folder).catch(() => null)
    // A bot that was taken over could lead us to any folder of the machine.
    if (found?.isSymbolicLink()) return { files: [], problems: [`${folder} is a symbolic link, which is not followed`] }
    const isThere = found?.isDirectory() ?? false
    if (storage.type === 'folder' && !isThere) return { files: [], problems: [] }
    const options = isThere ? [folder!] : bucketOptions(botId, storage)
    const run = { command, options, environment, storage, owner: isThere ? found : null }
    const { output, errors, failure } = await runCommand('recover', run, signal)
    const isMedia = (line: Line): line is MediaLine => typeof line.seconds === 'number' || line.seconds === null
    const files = linesOf(output).filter(isMedia)
    const problems = linesOf(errors).map(({ name, error }) => `${name}: ${error}`)
    // An exit code with no problem named says that the command itself did not work.
    if (failure !== null && problems.length === 0) throw new Error(`${failure} ${errors.slice(-2000)}`.trim())
    return { files, problems }
  }
}

function bucketOptions(botId: string, storage: Job['storage']): string[] {
  if (storage.type === 'folder') return []
  return [
    ...['--s3', `s3://${storage.bucket}/${storage.prefix}`, '--bot-id', botId, '--older-than', '0s'],
    ...endpointOf(storage),
  ]
}

export function endpointOf(storage: Job['storage']): string[] {
  if (storage.type === 'folder') return []
  return [
    ...(storage.endpoint === undefined ? [] : ['--s3-endpoint', storage.endpoint]),
    ...(storage.region === undefined ? [] : ['--s3-region', storage.region]),
  ]
}

function keysOf(storage: Job['storage']): Record<string, string> {
  if (storage.type !== 's3' || storage.access_key_id === undefined) return {}
  return {
    AWS_ACCESS_KEY_ID: storage.access_key_id,
    AWS_SECRET_ACCESS_KEY: storage.secret_access_key!,
    ...(storage.session_token !== undefined && { AWS_SESSION_TOKEN: storage.session_token }),
  }
}

interface Run extends RecoverCommandSettings {
  options: string[]
  /** The store that the command uses, with its keys. */
  storage: Job['storage']
  /** Owner of the recording's folder on this machine; null if there is none. Root hands the work over to that user. */
  owner: { uid: number; gid: number } | null
}

/** Runs a command of the worker. Rejects after the end of the process if it was aborted. */
export function runCommand(name: string, { command, options, environment, storage, owner }: Run, signal?: AbortSignal) {
  signal?.throwIfAborted()
  const [program = '', ...start] = command
  const env = { ...botEnvironment(environment, storage), ...keysOf(storage) }
  return new Promise<{ output: string; errors: string; failure: string | null }>((resolve, reject) => {
    const as = owner !== null && process.geteuid?.() === 0 && { uid: owner.uid, gid: owner.gid }
    const limits = { ...as, env, timeout: MAX_MS, maxBuffer: MAX_OUTPUT_BYTES }
    const child = execFile(program, [...start, ...options, '--json'], limits, (error, output, errors) => {
      signal?.removeEventListener('abort', stop)
      clearTimeout(killing)
      if (signal?.aborted) return reject(signal.reason)
      const failure = error === null ? null : `"standin ${name}" ended with ${error.signal ?? error.code}.`
      resolve({ output, errors, failure })
    })
    let killing: NodeJS.Timeout | undefined
    const stop = () => {
      child.kill('SIGTERM')
      killing = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS)
    }
    signal?.addEventListener('abort', stop, { once: true })
  })
}

type Line = Record<string, unknown>
/** A file that a command made. */
export type MediaLine = { name: string; seconds: number | null }

export function linesOf(text: string): Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line)
      return typeof value === 'object' && value !== null ? [value] : []
    } catch {
      return []
    }
  })
}
