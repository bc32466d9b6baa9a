import { resolve } from 'node:path'
import type { Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake } from '@standin/wire/process/command-output.ts'
import { serveRecordings } from '../report/serve.ts'
import { fileProblem } from './shown-text.ts'

/** `standin serve`: shows a folder of recordings until it is interrupted. Throws CommandMistake if it cannot be served. */
export async function serve(folder: string, flags: { port?: number }, io: Io): Promise<number> {
  const server = await serveRecordings(resolve(folder), flags.port).catch((error: Error) => {
    throw new CommandMistake(`standin serve: ${fileProblem(error, folder)}`)
  })
  io.output.write(`The recordings are at ${server.url}\nCtrl-C ends it.\n`)
  await new Promise<void>((end) => {
    process.once('SIGINT', end)
    process.once('SIGTERM', end)
  })
  await server.close()
  return 0
}
