import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createRecoverCommand } from '@standin/control-plane/launching/programs/recover-command.ts'
import { jobSchema } from '@standin/wire/job.ts'
import { afterAll, expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('stand-in-recover.sh', import.meta.url))
const BOT = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const root = mkdtempSync(join(tmpdir(), 'standin-recover-'))
mkdirSync(join(root, BOT))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const recover = (mode = 'well', environment: Record<string, string> = {}) =>
  createRecoverCommand({
    command: ['/bin/sh', PROGRAM, mode],
    environment: { PATH: process.env.PATH, DATABASE_URL: 'postgres://secret', ...environment },
  })
const storage = (given: object) => jobSchema.shape.storage.parse(given)
const s3 = { type: 's3', bucket: 'recordings', prefix: 'calls/bot/1', endpoint: 'http://127.0.0.1:9000' }

/** The arguments that the command got, and those of the given variables that it saw. */
async function askedOf(given: object, workFolder: string | null, environment = {}) {
  const [file] = (await recover('well', environment)({ botId: BOT, storage: storage(given), workFolder })).files
  return file as unknown as { location: string; saw: string }
}

test('media that were finished are named with their length', async () => {
  const place = { botId: BOT, storage: storage({ type: 'folder', path: root }), workFolder: null }
  expect(await recover()(place)).toEqual({
    files: [expect.objectContaining({ name: 'video.mp4', seconds: 12.5, location: `${join(root, BOT)} --json` })],
    problems: [],
  })
  expect((await recover('problem')(place)).problems).toEqual(['audio.m4a: the bucket is away'])
  await expect(recover('broken')(place)).rejects.toThrow('"standin recover" ended with 70. standin: not built yet')
})

test("a link in the place of a bot's folder is not followed, whatever it leads to", async () => {
  const path = join(root, 'taken-over')
  mkdirSync(path)
  symlinkSync(root, join(path, BOT))
  for (const place of [{ type: 'folder', path }, s3] as const) {
    const workFolder = place === s3 ? path : null
    const { files, problems } = await recover()({ botId: BOT, storage: storage(place), workFolder })
    expect({ files, problems }).toEqual({ files: [], problems: [expect.stringContaining('is a symbolic link')] })
  }
})

test('where the bot left nothing on this machine, nothing is started', async () => {
  const place = { botId: BOT, storage: storage({ type: 'folder', path: join(root, 'nowhere') }), workFolder: null }
  expect(await recover('broken')(place)).toEqual({ files: [], problems: [] })
})

test('a recording that went to S3 is finished from the machine, or from the bucket alone', async () => {
  expect((await askedOf(s3, root)).location).toBe(`${join(root, BOT)} --json`)
  expect((await askedOf(s3, null)).location).toBe(
    `--s3 s3://recordings/calls/bot/1 --bot-id ${BOT} --older-than 0s --s3-endpoint http://127.0.0.1:9000 --json`,
  )
})

test('the command gets the keys of the storage and nothing else of the service', async () => {
  const keys = { access_key_id: 'a', secret_access_key: 'b' }
  expect((await askedOf({ ...s3, ...keys }, root)).saw).toBe('AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY')
  expect((await askedOf(s3, root, { AWS_PROFILE: 'service' })).saw).toBe('AWS_PROFILE')
})

test('a command that is aborted is over when that is said', async () => {
  const place = { botId: BOT, storage: storage({ type: 'folder', path: root }), workFolder: null }
  const stop = new AbortController()
  const recovering = recover('slow')(place, stop.signal)
  stop.abort(new Error('The service is stopped'))
  await expect(recovering).rejects.toThrow('The service is stopped')
  await expect(recover('slow')(place, stop.signal)).rejects.toThrow('The service is stopped')
})

test('a command that does not stop is killed', async () => {
  const place = { botId: BOT, storage: storage({ type: 'folder', path: root }), workFolder: null }
  const stop = new AbortController()
  const recovering = recover('deaf')(place, stop.signal)
  // It has to run, so that it ignores the signal.
  await expect.poll(() => existsSync(join(root, BOT, 'begun'))).toBe(true)
  stop.abort(new Error('The service is stopped'))
  await expect(recovering).rejects.toThrow('The service is stopped')
})

test('a command that was aborted before is not begun', async () => {
  const place = { botId: BOT, storage: storage({ type: 'folder', path: root }), workFolder: null }
  rmSync(join(root, BOT, 'begun'), { force: true })
  await expect(recover('deaf')(place, AbortSignal.abort(new Error('Stopped')))).rejects.toThrow('Stopped')
  expect(existsSync(join(root, BOT, 'begun'))).toBe(false)
})
