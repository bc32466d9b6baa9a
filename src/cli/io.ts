/** Streams and environment of the process, so that a demo or a test can run a command inside another process. */
export interface Io {
  input: NodeJS.ReadStream
  output: NodeJS.WriteStream
  errors: NodeJS.WritableStream
  environment: Readonly<Record<string, string | undefined>>
}
