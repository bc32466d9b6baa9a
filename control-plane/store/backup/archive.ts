/**
 * The file of a backup: a tar in gzip, written and read as a stream. Each entry ends its name with a checksum of its content,
 * and the last entry has one of all names, so a file that was cut or changed is never taken for a whole one.
 */
import { createHash } from 'node:crypto'
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip, type Gunzip, type Gzip } from 'node:zlib'
import { Header } from 'tar'

export interface Entry {
  name: string
  content: Buffer
}

/** A backup that cannot be used. */
export class BackupProblem extends Error {}

const END = 'end'
/** Size of the blocks of a tar. */
const BLOCK = 512
const ENDING = Buffer.alloc(2 * BLOCK)
/** Entries are held in memory; the writer makes smaller ones. */
const MAX_ENTRY_BYTES = 16 * 1024 * 1024

const paddingOf = (bytes: number) => (BLOCK - (bytes % BLOCK)) % BLOCK

const checksumOf = (content: Buffer) => createHash('sha256').update(content).digest('hex').slice(0, 32)

function encode({ name, content }: Entry): Buffer {
  const head = Buffer.alloc(BLOCK)
  new Header({ path: name, type: 'File', mode: 0o600, size: content.length, mtime: new Date() }).encode(head)
  return Buffer.concat([head, content, Buffer.alloc(paddingOf(content.length))])
}

export function writeArchive(entries: AsyncIterable<Entry>): Readable {
  async function* blocks() {
    const names = createHash('sha256')
    for await (const { name, content } of entries) {
      const full = `${name}.${checksumOf(content)}`
      names.update(`${full}\n`)
      yield encode({ name: full, content })
    }
    yield encode({ name: END, content: Buffer.from(names.digest('hex')) })
    yield ENDING
  }
  return joined(Readable.from(blocks(), { objectMode: false }), createGzip())
}

/** An error of either reaches the reader, and destroys both. */
const joined = (from: Readable, to: Gzip | Gunzip): Readable => pipeline(from, to, () => {})

/** Gives only entries that are as they were written. Throws `BackupProblem` instead, at the end if one is missing. */
export async function* readArchive(file: Readable): AsyncGenerator<Entry> {
  const { readBytes, readRest } = readerOf(joined(file, createGunzip()))
  const names = createHash('sha256')
  for (;;) {
    const { path = '', size = 0, cksumValid } = new Header(await readBytes(BLOCK))
    if (!cksumValid || size > MAX_ENTRY_BYTES) throw damaged('a header is wrong')
    const content = await readBytes(size)
    await readBytes(paddingOf(size))
    if (path === END) {
      if (content.toString() !== names.digest('hex')) throw damaged('an entry is missing or in the wrong place')
      return readRest()
    }
    names.update(`${path}\n`)
    const [, name, checksum] = /^(.+)\.([0-9a-f]+)$/.exec(path) ?? []
    if (name === undefined || checksum !== checksumOf(content)) throw damaged(`the checksum of ${path} is wrong`)
    yield { name, content }
  }
}

/** Takes so many bytes, or what is left, which checks the end of the file. */
function readerOf(stream: AsyncIterable<Buffer>) {
  const chunks = stream[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)

  /** Null: the end. */
  const nextChunk = async (): Promise<Buffer | null> => {
    try {
      const { value, done } = await chunks.next()
      return done ? null : value
    } catch (error) {
      const { code = '', message } = error as NodeJS.ErrnoException
      if (code === 'Z_BUF_ERROR') throw cut()
      throw code.startsWith('Z_') ? damaged(message) : error
    }
  }
  return {
    async readBytes(bytes: number): Promise<Buffer> {
      const parts = [rest]
      for (let has = rest.length; has < bytes; has += parts.at(-1)!.length) {
        const chunk = await nextChunk()
        if (chunk === null) throw cut()
        parts.push(chunk)
      }
      const all = Buffer.concat(parts)
      rest = all.subarray(bytes)
      return all.subarray(0, bytes)
    },
    async readRest(): Promise<void> {
      while ((await nextChunk()) !== null);
    },
  }
}

const damaged = (how: string) => new BackupProblem(`The backup is damaged: ${how}`)
const cut = () => new BackupProblem('The backup is not complete: the file was cut off')
