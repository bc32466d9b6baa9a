/** Runs a command in this process: to start a program takes longer than what most commands do. */
import { Readable, Writable } from 'node:stream'
import type { Io } from '@standin/wire/process/command-io.ts'

export interface Ended {
  exitCode: number
  out: string
  errors: string
}

/** `run` is that of the worker or of the service. The environment of the test is not seen by the command. */
export async function inProcess(
  run: (argv: readonly string[], io: Io) => Promise<number>,
  argv: readonly string[],
  environment: Record<string, string> = {},
  output?: Writable,
): Promise<Ended> {
  const [out, errors]: [string[], string[]] = [[], []]
  const io = {
    input: Readable.from([]),
    output: output ?? writingTo(out),
    errors: writingTo(errors),
    environment: { ...environment },
  } as unknown as Io
  const exitCode = await run(argv, io)
  return { exitCode, out: out.join(''), errors: errors.join('') }
}

const writingTo = (texts: string[]) =>
  new Writable({
    write(text, _encoding, done) {
      texts.push(String(text))
      done()
    },
  })
