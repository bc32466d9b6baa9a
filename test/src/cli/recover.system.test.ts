/** `standin recover` and a bot that is started again, with real media: the files play to their end. */

import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { packageRoot } from '../../../packages/core/process/page-scripts.ts'
import { run as standin } from '../../../src/cli/run.ts'
import { FolderStorage } from '../../../src/storage/folder/storage.ts'
import { S3Storage } from '../../../src/storage/s3/storage.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { inProcess } from '../../fakes/in-process.ts'
import { startS3Server, storageOf } from '../../servers/s3-server.ts'
import { never } from '../storage/place.ts'

const run = promisify(execFile)
const PROGRAM = path.join(packageRoot, 'src/cli/index.ts')
const SECONDS = 6
const WHAT = { name: 'video.mp4', contentType: 'video/mp4', headBytes: 200_000 }

let recoveryHead: Buffer
let fragments: Buffer[]

/** The bytes that the recorder would append: a header, and whole fragments of half a second. */
beforeAll(async () => {
  const source = path.join(tmpdir(), `standin-recover-${randomUUID()}.mp4`)
  const inputs = ['-f', 'lavfi', '-i', `testsrc=size=320x180:rate=25:duration=${SECONDS}`]
  const sound = ['-f', 'lavfi', '-i', `sine=sample_rate=48000:duration=${SECONDS}`]
  const codecs = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '12', '-bf', '0', '-c:a', 'aac', '-shortest']
  const boxes = ['-movflags', '+frag_keyframe+empty_moov+default_base_moof', '-frag_duration', '500000']
  await run('ffmpeg', ['-v', 'error', ...inputs, ...sound, ...codecs, ...boxes, source])
  const all = await readFile(source)
  await rm(source)
  const starts: { type: string; at: number; end: number }[] = []
  for (let at = 0; at < all.length; at = starts.at(-1)!.end)
    starts.push({ type: all.toString('latin1', at + 4, at + 8), at, end: at + all.readUInt32BE(at) })
  const first = starts.findIndex(({ type }) => type === 'moof')
  recoveryHead = all.subarray(0, starts[first]!.at)
  fragments = starts.flatMap(({ type, at }, index) =>
    type === 'moof' ? [all.subarray(at, starts[index + 1]!.end)] : [],
  )
})

const recovered = (...words: string[]) => inProcess(standin, ['recover', ...words])

/** A bucket, and the keys of its server in the environment. */
async function startBucket() {
  const server = await startS3Server()
  onTestFinished(() => server.close())
  stubKeys(server.keys)
  return { server, config: { ...storageOf(server), prefix: 'calls' }, botId: randomUUID() }
}

function stubKeys(keys: { accessKeyId: string; secretAccessKey: string } | null): void {
  vi.stubEnv('AWS_ACCESS_KEY_ID', keys?.accessKeyId)
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', keys?.secretAccessKey)
  vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', '/nowhere')
  vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
  onTestFinished(() => void vi.unstubAllEnvs())
}

/** Seconds of a file that decodes without a complaint, whose index comes first. */
async function soundSeconds(file: string): Promise<number> {
  const { stderr } = await run('ffmpeg', ['-v', 'error', '-i', file, '-f', 'null', '-'])
  expect(stderr).toBe('')
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', 'format=duration', '-of', 'csv=p=0', file])
  return Number(stdout)
}

/** Records as a bot that crashes before it can finish. */
async function abandon(storage: FolderStorage | S3Storage) {
  const file = await storage.grow({ ...WHAT, recoveryHead }, never)
  for (const fragment of fragments) await file.append(fragment)
  return file
}
const abandonIn = async (path: string, botId: string) => (await abandon(new FolderStorage({ path }, { botId }))).close()

describe('standin recover', () => {
  test('finishes the recordings of a folder', async () => {
    const root = temporaryFolder()
    const botId = randomUUID()
    await abandonIn(root, botId)
    const { exitCode, out } = await recovered(root, '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ name: 'video.mp4', botId, index: 'whole' })
    expect(await soundSeconds(path.join(root, botId, 'video.mp4'))).toBeCloseTo(SECONDS, 0)
    expect(await recovered(root)).toEqual({ exitCode: 0, out: 'No recording needs recovery.\n', errors: '' })
  })

  test('finishes a recording in S3 from the work folder, with the other files of the folder', async () => {
    const { server, config, botId } = await startBucket()
    const workFolder = path.join(temporaryFolder(), botId)
    await (await abandon(new S3Storage(config, { botId, workFolder }))).close()
    await writeFile(path.join(workFolder, 'events.jsonl'), '{"seq":1}\n')
    const { exitCode, out } = await recovered(workFolder)
    expect(exitCode).toBe(0)
    expect(out).toContain(`s3://${server.bucket}/calls/${botId}/events.jsonl: 10 bytes`)
    expect([...server.state.objects.keys()].sort()).toEqual([`calls/${botId}/events.jsonl`, `calls/${botId}/video.mp4`])
    expect(server.state.objects.get(`calls/${botId}/events.jsonl`)?.contentType).toBe('application/x-ndjson')
  })

  test('lists and finishes the recordings of a bucket', async () => {
    const { server, config, botId } = await startBucket()
    const workFolder = temporaryFolder()
    const file = await abandon(new S3Storage({ ...config, tail_seconds: 0.05 }, { botId, workFolder }))
    const bytes = Buffer.concat(fragments).length
    const ends = () =>
      [...server.state.objects].map(([key, { body }]) => Number(/\.recovery\/(\d+)$/.exec(key)?.[1]) + body.length)
    await expect.poll(ends).toContain(bytes)
    await file.close()
    await rm(workFolder, { recursive: true })

    const place = ['--s3', `s3://${server.bucket}/calls`, '--s3-endpoint', server.endpoint]
    expect(JSON.parse((await recovered(...place, '--list')).out)).toEqual([])
    const listed = await recovered(...place, '--list', '--older-than', '0s')
    expect(JSON.parse(listed.out)).toMatchObject([{ bot_id: botId, name: 'video.mp4' }])
    const { exitCode, out } = await recovered(...place, '--older-than', '0s', '--json')
    expect(exitCode).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ botId, index: 'whole' })
    expect([...server.state.objects.keys()]).toEqual([`calls/${botId}/video.mp4`])
    const local = path.join(temporaryFolder(), 'video.mp4')
    await new S3Storage(config, { botId, workFolder }).fetch('video.mp4', local, never)
    expect(await soundSeconds(local)).toBeCloseTo(SECONDS, 0)
  })

  test('says what is wrong with its options, or with the place', async () => {
    const mistaken = async (...words: string[]) => {
      const { exitCode, errors } = await recovered(...words)
      expect(exitCode).toBe(2)
      return errors
    }
    expect(await mistaken()).toContain('name either a folder or a bucket (--s3)')
    expect(await mistaken('--s3', 's3://bucket', '--older-than', 'long ago')).toContain('such as 2h')
    stubKeys(null)
    const { exitCode, errors } = await recovered('--s3', 's3://bucket', '--s3-endpoint', 'http://127.0.0.1:9')
    expect({ exitCode, errors }).toEqual({ exitCode: 4, errors: expect.stringContaining('No credentials were found') })
  })
})

test('a bot that is started again finishes what it left, and sets it aside', async () => {
  const root = temporaryFolder()
  const botId = randomUUID()
  await abandonIn(root, botId)
  // No meeting answers at this address; the bot does its first steps all the same.
  const meeting = ['https://meet.google.com/abc-defg-hij', '--map-host', 'meet.google.com=127.0.0.1:9']
  const bot = spawn(process.execPath, [PROGRAM, 'join', ...meeting, '--bot-id', botId, '--out', root, '--json'], {
    stdio: 'ignore',
  })
  const ended = once(bot, 'exit')
  onTestFinished(() => void bot.kill('SIGKILL'))
  const folder = path.join(root, botId)
  const earlier = async () => (await readdir(folder)).filter((name) => name.startsWith('earlier-'))
  await expect.poll(earlier).toHaveLength(1)
  bot.kill('SIGINT')
  await ended
  expect(await soundSeconds(path.join(folder, (await earlier())[0]!, 'video.mp4'))).toBeCloseTo(SECONDS, 0)
  expect(await readdir(folder)).not.toContain('spool')
})
