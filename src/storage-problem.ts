/** Storage that cannot be used is a mistake in the job. */
import { messageOf } from '@standin/wire/text/error-text.ts'
import { InvalidJob } from './job/config.ts'
import { explainFolderError } from './storage/folder/errors.ts'

/** Rejects with InvalidJob, which names the folder or file and what is wrong with it. */
export async function asJobProblem<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { path } = error as NodeJS.ErrnoException
    const explained = path === undefined ? error : explainFolderError(error, 'record', path)
    throw new InvalidJob([{ path: 'storage', message: messageOf(explained) }])
  }
}
