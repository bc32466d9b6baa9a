/** Streams and environment of a command, so that a demo or a test can run it inside another process. */
export interface Io {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WritableStream & { isTTY?: boolean }
  /** A command adds the settings of files to it, and takes the secrets out of it. */
  environment: Record<string, string | undefined>
}
