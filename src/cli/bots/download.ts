/** `standin bots download`: the files of a bot into a folder, with their progress. */
import { createWriteStream } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { canRedraw, type Io } from '@standin/wire/process/command-io.ts'
import { CommandMistake, type Output } from '@standin/wire/process/command-output.ts'
import { messageOf } from '@standin/wire/text/error-text.ts'
import { shownBytes } from '@standin/wire/text/shown-bytes.ts'
import { STATUS_WORDS } from '../view.ts'
import { type Bot, FILES, filesOf } from './bots.ts'

const DRAW_EVERY_MS = 200

export interface DownloadFlags {
  out: string
  only?: readonly string[]
  quiet?: boolean
  signal: AbortSignal
}

/** Rejects if a file does not arrive whole; what arrived before it stays. */
export async function downloadFiles(
  bot: Bot,
  { out, only, quiet = false, signal }: DownloadFlags,
  output: Output,
  { errors, environment }: Pick<Io, 'errors' | 'environment'>,
): Promise<void> {
  const wanted = filesOf(bot).filter((field) => only?.includes(field) ?? true)
  if (wanted.length === 0)
    throw new CommandMistake(
      bot.artifacts_deleted
        ? 'The data of this bot was deleted.'
        : `This bot has no such file${['completed', 'failed'].includes(bot.status) ? '' : ' yet'}; its status is ${STATUS_WORDS[bot.status] ?? bot.status}.`,
    )
  const folder = join(out, bot.bot_id)
  await mkdir(folder, { recursive: true })
  const stored: { name: string; bytes: number }[] = []
  for (const field of wanted) {
    const name = FILES[field]
    const onProgress = !quiet && canRedraw(errors, environment) ? progressOf(name, errors) : () => {}
    const bytes = await download(bot[field]!, join(folder, name), signal, onProgress).catch((error) => {
      throw new Error(`${name} was not downloaded: ${messageOf(error)}`, { cause: error })
    })
    stored.push({ name, bytes })
    if (!quiet) output.note(`${name} (${shownBytes(bytes)})`)
  }
  output.answer({ folder, files: stored }, quiet ? [folder] : [`The files are in ${folder}`])
}

type Progress = (bytes: number, total: number | null) => void

/** Writes beside the file and renames at the end, so that a file with its name is whole. Resolves with its size. */
async function download(link: string, file: string, signal: AbortSignal, onProgress: Progress): Promise<number> {
  const response = await fetch(link, { signal })
  if (!response.ok || response.body === null) throw new Error(`the storage answered ${response.status}`)
  const total = response.headers.has('content-encoding') ? null : Number(response.headers.get('content-length') ?? NaN)
  const expected = total === null || Number.isNaN(total) ? null : total
  let bytes = 0
  const count = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      onProgress(bytes, expected)
      done(null, chunk)
    },
  })
  const part = `${file}.part`
  try {
    await pipeline(Readable.fromWeb(response.body as never), count, createWriteStream(part, { flush: true }), {
      signal,
    })
    if (expected !== null && bytes !== expected) throw new Error(`${bytes} of ${expected} bytes arrived`)
    await rename(part, file)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    onProgress(Number.NaN, null)
  }
  return bytes
}

/** One line of a terminal that shows how far a file is. */
function progressOf(name: string, errors: Io['errors']): Progress {
  let drawnAt = 0
  return (bytes, total) => {
    const isOver = Number.isNaN(bytes)
    if (!isOver && performance.now() - drawnAt < DRAW_EVERY_MS) return
    drawnAt = performance.now()
    const share = total === null ? '' : ` of ${shownBytes(total)} (${Math.floor((100 * bytes) / total)} %)`
    errors.write(`\r\u001b[K${isOver ? '' : `${name}: ${shownBytes(bytes)}${share}`}`)
  }
}
