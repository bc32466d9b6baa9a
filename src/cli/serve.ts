import { resolve } from 'node:path'
import { serveRecordings } from '../../report/serve.ts'
import { InvalidJob } from '../job/config.ts'
import type { Io } from './io.ts'

/** `standin serve`: shows a folder of recordings until it is interrupted. Throws InvalidJob where it cannot be served. */
export async function serve(folder: string, flags: { port?: number }, io: Io): Promise<number> {
  const server = await serveRecordings(resolve(folder), flags.port).catch((error: Error) => {
    throw new InvalidJob([{ path: folder, message: error.message }])
  })
  io.output.write(`The recordings are at ${server.url}\nCtrl-C ends it.\n`)
  await new Promise<void>((end) => {
    process.once('SIGINT', end)
    process.once('SIGTERM', end)
  })
  await server.close()
  return 0
}
