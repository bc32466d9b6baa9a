/** The kind of a storage failure, for callers that decide by it. */
export type StorageTrouble =
  /** The name, address or settings can never work. */
  | 'invalid'
  /** The place exists, and we may not do this there. */
  | 'access'
  /** Bucket, folder or file is not there. */
  | 'missing'
  /** No room, or a quota. */
  | 'full'
  /** The server does not answer, or answered with temporary errors until the deadline. */
  | 'unreachable'
  /** The stored bytes differ from the sent ones. */
  | 'corrupted'
  | 'other'

/** A file that is not certainly stored. The message says where, what was answered, and the cure; never a secret. */
export class StorageError extends Error {
  readonly trouble: StorageTrouble
  /** The S3 server's own word for it, such as `NoSuchUpload`. */
  readonly serverCode: string | undefined

  constructor(trouble: StorageTrouble, message: string, options: { cause?: unknown; serverCode?: string } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'StorageError'
    this.trouble = trouble
    this.serverCode = options.serverCode
  }

  /** Other files of this bot cannot be stored either. */
  get concernsEveryFile(): boolean {
    return this.trouble !== 'corrupted' && this.trouble !== 'other'
  }

  /** A wrong bucket, region or endpoint: the job has to change before another try can succeed. */
  get isInvalidJob(): boolean {
    return this.trouble === 'invalid' || this.trouble === 'missing'
  }
}
