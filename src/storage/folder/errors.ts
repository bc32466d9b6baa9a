import { StorageError, type StorageTrouble } from '../error.ts'

/** A file system's error code, or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** The file system's error as a sentence that says how to solve it. */
export function explainFolderError(error: unknown, action: string, place: string): Error {
  if (error instanceof StorageError) return error
  const code = systemCode(error)
  const judged = (trouble: StorageTrouble, problem: string) =>
    new StorageError(trouble, `Cannot ${action}: ${problem}`, { cause: error })
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return judged(
        'access',
        `${place} cannot be written (${code}). Choose another folder, or let the user who runs the bot write there.`,
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return judged(
        'invalid',
        `${place}, or a part of its path, is a file and not a folder (${code}). Choose another folder.`,
      )
    case 'EISDIR':
    case 'ENOTEMPTY':
      return judged('invalid', `${place} is a folder (${code}). Remove or rename it.`)
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return judged('full', `no room left at ${place} (${code}). Free some space or choose another folder.`)
    case 'ENAMETOOLONG':
      return judged('invalid', `the path ${place} is too long (${code}).`)
    case 'ELOOP':
      return judged('invalid', `${place} is a symbolic link, which is not followed (${code}). Remove it.`)
    case 'ENOENT':
      return judged('missing', `${place} does not exist (${code}).`)
    default:
      if (code === undefined)
        return error instanceof Error ? error : new StorageError('other', String(error), { cause: error })
      return judged('other', `${place}: the file system answered ${code}.`)
  }
}
