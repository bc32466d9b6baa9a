/**
 * The cost of storing while the meeting runs, and the time from the last byte to the verified file: `node
 * bench/storage.ts [minutes]`. A server of ours behind a link of 100 Mbit/s with 20 ms each way; a recording of 1
 * Mbit/s in fragments of half a second, fed as fast as the spool takes it.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import type { GrowingFile, Storage } from '../core/recording.ts'
import { FolderStorage } from '../storage/folder/storage.ts'
import { S3Storage } from '../storage/s3/storage.ts'
import { startS3Server } from '../test/servers/s3-server.ts'

const LINK_BITS = 100e6
const ONE_WAY_MS = 20
const FRAGMENT_BYTES = 62_500
const HEAD_BYTES = 5_700_000

/** Passes bytes on in order, no faster than the link, with its delay. */
async function throttle(from: Socket, to: Socket, link: { freeAt: number }): Promise<void> {
  from.on('error', () => to.destroy())
  let passed: Promise<unknown> = Promise.resolve()
  try {
    // Waiting here holds the sender back, as a full link does.
    for await (const chunk of from as AsyncIterable<Buffer>) {
      link.freeAt = Math.max(performance.now(), link.freeAt) + (chunk.length * 8e3) / LINK_BITS
      const arrival = delay(link.freeAt - performance.now() + ONE_WAY_MS)
      passed = passed.then(() => arrival).then(() => to.write(chunk))
      if (link.freeAt - performance.now() > 10) await delay(link.freeAt - performance.now())
    }
  } finally {
    await passed
    to.end()
  }
}

async function startLink(port: number): Promise<{ port: number; close(): void }> {
  const [up, down] = [{ freeAt: 0 }, { freeAt: 0 }]
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1')
    for (const way of [throttle(near, far, up), throttle(far, near, down)]) way.catch(() => {})
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { port: address.port, close: () => server.close() }
}

async function bytesIn(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(names.map((name) => stat(path.join(folder, name)).catch(() => null)))
  return sizes.reduce((sum, each) => sum + (each?.isFile() ? each.size : 0), 0)
}

async function feed(
  file: GrowingFile,
  minutes: number,
  spool: string,
): Promise<{ cpuMs: number; mostSpooled: number }> {
  const piece = Buffer.alloc(FRAGMENT_BYTES, 'fragment')
  const before = process.cpuUsage()
  let mostSpooled = 0
  const pieces = minutes * 120
  for (let number = 0; number < pieces; number++) {
    await file.append(piece)
    // A rate of ten times the link's would only fill the spool; a meeting is a hundred times slower.
    while (number * FRAGMENT_BYTES - file.storedBytes() > 24e6) await delay(10)
    if (number % 100 === 0) mostSpooled = Math.max(mostSpooled, await bytesIn(spool))
  }
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, mostSpooled }
}

async function measure(name: string, storage: Storage, minutes: number, spool: string): Promise<void> {
  const recoveryHead = Buffer.alloc(1500, 'head')
  const start = { name: 'video.mp4', contentType: 'video/mp4', headBytes: HEAD_BYTES, recoveryHead }
  const file = await storage.grow(start, new AbortController().signal)
  const { cpuMs, mostSpooled } = await feed(file, minutes, spool)
  // The meeting ends in the middle of a part, as usual.
  await delay(3_000)
  const begun = performance.now()
  const stored = await file.finish((room) => Buffer.alloc(room ?? 2_000, 'head'), new AbortController().signal)
  const seconds = (performance.now() - begun) / 1000
  console.log(
    [
      name.padEnd(20),
      `${minutes} min`.padStart(8),
      `${(stored.bytes / 1e6).toFixed(0)} MB`.padStart(8),
      `finish ${seconds.toFixed(2)} s`,
      `CPU ${((cpuMs / (minutes * 60_000)) * 100).toFixed(2)} % of a core at the meeting's pace`,
      name === 'folder' ? '' : `at most ${(mostSpooled / 1024 / 1024).toFixed(0)} MiB in the spool`,
    ].join('  '),
  )
}

const given = Number(process.argv[2] ?? 0)
const lengths = given > 0 ? [given] : [1, 10, 60]
const work = await mkdtemp(path.join(tmpdir(), 'standin-bench-storage-'))
try {
  for (const minutes of lengths) {
    await measure('folder', new FolderStorage({ path: work }, { botId: 'folder' }), minutes, work)
    const server = await startS3Server()
    const link = await startLink(Number(new URL(server.endpoint).port))
    const { accessKeyId: access_key_id, secretAccessKey: secret_access_key } = server.keys
    const endpoint = `http://127.0.0.1:${link.port}`
    const config = { type: 's3' as const, bucket: server.bucket, endpoint, access_key_id, secret_access_key }
    const workFolder = path.join(work, 's3')
    await measure('S3 at 100 Mbit/s', new S3Storage(config, { botId: 'bot', workFolder }), minutes, workFolder)
    link.close()
    await server.close()
  }
} finally {
  await rm(work, { recursive: true, force: true })
}
