/** A process that appends numbered pieces and prints after each how many are kept, until a test kills it. */
import { setTimeout as delay } from 'node:timers/promises'
import { FolderStorage } from '../../../src/storage/folder/storage.ts'
import type { StorageConfig } from '../../../src/storage/s3/session.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { numberedPiece } from './numbered-pieces.ts'

export interface ChildOrder {
  config: StorageConfig
  botId: string
  workFolder: string
  partBytes: number
  pieceBytes: number
  headBytes: number
  /** After this many pieces the file is finished, over and over again for as long as the process lives. */
  pieces: number
  pauseMs: number
}

const order = JSON.parse(process.argv[2]!) as ChildOrder
const { config, botId, workFolder, partBytes } = order
const storage =
  config.type === 'folder'
    ? new FolderStorage(config, { botId })
    : new S3Storage(config, { botId, workFolder }, { partBytes })
const file = await storage.grow(
  { name: 'video.mp4', contentType: 'video/mp4', headBytes: order.headBytes, recoveryHead: Buffer.from('recovery') },
  new AbortController().signal,
)
process.stdout.write('0\n')
for (let number = 0; number < order.pieces; number++) {
  await file.append(numberedPiece(number, order.pieceBytes))
  process.stdout.write(`${number + 1}\n`)
  if (order.pauseMs > 0) await delay(order.pauseMs)
}
// A kill from here on finds a file whose maker was about to finish it.
await delay(60_000)
