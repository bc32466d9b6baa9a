/** A job in a file that is read once: it may hold secrets, so it is deleted when it was read. */
import { closeSync, constants, fstatSync, openSync, readFileSync, unlinkSync } from 'node:fs'
import { MAX_JOB_BYTES } from '@standin/wire/job.ts'
import { InvalidJob } from '../job/config.ts'

const VARIABLE = 'STANDIN_JOB_FILE'
const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** The file's text. Throws InvalidJob, and leaves a file that it does not accept as it is. */
export function takeJobFile(path: string): string {
  const file = attempt(() => openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), 'cannot be opened')
  try {
    const info = fstatSync(file)
    if (!info.isFile()) throw refused('is not a regular file')
    if ((info.mode & 0o077) !== 0) throw refused('can be read by others; its mode has to be 0600')
    if (info.size > MAX_JOB_BYTES) throw refused(`is larger than ${MAX_JOB_BYTES} bytes`)
    const text = attempt(() => readFileSync(file, 'utf8'), 'cannot be read')
    attempt(() => unlinkSync(path), 'cannot be deleted, and a job with secrets must not stay')
    return text
  } finally {
    closeSync(file)
  }
}

function attempt<T>(work: () => T, problem: string): T {
  try {
    return work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw refused(code === 'ELOOP' ? 'is a link, which is not followed' : `${problem}: ${message}`)
  }
}

function refused(message: string): InvalidJob {
  return new InvalidJob([{ path: VARIABLE, message }])
}
