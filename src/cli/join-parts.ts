import { resolve } from 'node:path'
import type { Io } from '@standin/wire/process/command-io.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { jsonText } from '@standin/wire/text/json-text.ts'
import { InvalidJob } from '../job/config.ts'
import { joinRecordings, type StoragePlace } from '../wiring/joining.ts'
import { s3AddressOf } from './s3-address.ts'

export interface JoinPartsFlags {
  botId: string
  part: string[]
  to: string
  beganAt?: string
  s3Endpoint?: string
  s3Region?: string
  json?: boolean
}

const EXIT_NOT_JOINED = 4

/** `standin join-parts`: one recording from those of several attempts. Throws InvalidJob. */
export async function joinParts(flags: JoinPartsFlags, io: Io): Promise<number> {
  const beganAt = flags.beganAt === undefined ? null : Date.parse(flags.beganAt)
  if (Number.isNaN(beganAt)) throw new InvalidJob([{ path: '--began-at', message: 'must be an instant' }])
  const stop = new AbortController()
  const onStop = () => stop.abort(new Error('It was interrupted.'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, onStop)
  try {
    const files = await joinRecordings(
      {
        botId: flags.botId,
        parts: flags.part.map((place) => placeOf(place, flags)),
        to: placeOf(flags.to, flags),
        beganAt,
      },
      stop.signal,
    )
    for (const file of files)
      io.output.write(flags.json ? `${jsonText(file)}\n` : `${file.location}: ${file.bytes} bytes\n`)
    return 0
  } catch (error) {
    if (error instanceof InvalidJob) throw error
    io.errors.write(`The parts are not joined: ${messageOf(error)}\n`)
    return EXIT_NOT_JOINED
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onStop)
  }
}

function placeOf(address: string, { s3Endpoint: endpoint, s3Region: region }: JoinPartsFlags): StoragePlace {
  if (!address.startsWith('s3://')) return { type: 'folder', path: resolve(address) }
  return { type: 's3', ...s3AddressOf(address, address), ...(endpoint && { endpoint }), ...(region && { region }) }
}
