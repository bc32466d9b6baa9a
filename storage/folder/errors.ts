import { StorageError } from '../error.ts'

/** A file system's error code, or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}

/** The file system's error as a sentence that says how to solve it. */
export function explainFolderError(error: unknown, action: string, place: string): Error {
  if (error instanceof StorageError) return error
  const code = systemCode(error)
  const options = { cause: error }
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new StorageError(
        'access',
        `Cannot ${action}: ${place} cannot be written (${code}). Choose another folder, or let the user who runs the bot write there.`,
        options,
      )
    case 'ENOTDIR':
    case 'EEXIST':
      return new StorageError(
        'invalid',
        `Cannot ${action}: ${place}, or a part of its path, is a file and not a folder (${code}). Choose another folder.`,
        options,
      )
    case 'EISDIR':
    case 'ENOTEMPTY':
      return new StorageError(
        'invalid',
        `Cannot ${action}: ${place} is a folder (${code}). Remove or rename it.`,
        options,
      )
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new StorageError(
        'full',
        `Cannot ${action}: no room left at ${place} (${code}). Free some space or choose another folder.`,
        options,
      )
    case 'ENAMETOOLONG':
      return new StorageError('invalid', `Cannot ${action}: the path ${place} is too long (${code}).`, options)
    case 'ELOOP':
      return new StorageError(
        'invalid',
        `Cannot ${action}: ${place} is a symbolic link, which is not followed (${code}). Remove it.`,
        options,
      )
    case 'ENOENT':
      return new StorageError('missing', `Cannot ${action}: ${place} does not exist (${code}).`, options)
    default:
      if (code === undefined) return error instanceof Error ? error : new StorageError('other', String(error), options)
      return new StorageError('other', `Cannot ${action}: ${place}: the file system answered ${code}.`, options)
  }
}
