/** Streams and environment of a command, so that a demo or a test can run it inside another process. */
export interface Io {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WritableStream & { isTTY?: boolean }
  /** A command adds the settings of files to it, and takes the secrets out of it. */
  environment: Record<string, string | undefined>
  /** Before a command that opens strangers' pages. Absent where a command must not change the user of its process. */
  leaveRoot?(need: RootNeed): Promise<void>
}

/** Whether what stands on the output can be written over. A dumb terminal, such as a shell inside Emacs, prints escape sequences as text. */
export const canRedraw = (output: { isTTY?: boolean }, environment: Io['environment']): boolean =>
  output.isTTY === true && environment.TERM !== 'dumb'

/** What a command that leaves root needs as the user of bots. */
export interface RootNeed {
  /** Absolute; made for that user. */
  folder?: string
  /** Read by that user, as well as the program. */
  reads?: readonly string[]
}
