/** `standin bots`: the commands ask the real API with a real database, and print what a person or a program reads. */

import { randomUUID } from 'node:crypto'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { NumberedEvent } from '@standin/wire/events.ts'
import { afterAll, expect, test, vi } from 'vitest'
import { accessOf } from '../../../src/cli/bots/service.ts'
import { run } from '../../../src/cli/run.ts'
import { startReporting } from '../../control-plane/api/reporting.ts'
import { MEET, openWorld } from '../../control-plane/world.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { inProcess } from '../../fakes/in-process.ts'

const VIDEO = Buffer.alloc(300_000, 7)

/** Whether the storage breaks off in the middle of a file. */
let isCut = false

const folder = temporaryFolder()
const files = createServer((_request, answer) => {
  answer.setHeader('content-length', VIDEO.length)
  if (isCut) answer.write(VIDEO.subarray(0, 1000), () => answer.destroy())
  else answer.end(VIDEO)
}).listen(0, '127.0.0.1')
await new Promise((done) => files.once('listening', done))
const video = `http://127.0.0.1:${(files.address() as AddressInfo).port}/video`
const none = { audio: null, diarization: null, raw_transcription: null, transcription: null, chat_messages: null }
const world = await openWorld({
  api: {
    links: {
      publicUrl: 'http://127.0.0.1',
      sign: async () => null,
      olderTranscript: async () => [],
      screenshotsOf: async () => [],
      linkTo: async () => null,
      linksOf: async () => ({ video, ...none }),
    },
  },
})
const baseUrl = await world.app.listen({ host: '127.0.0.1', port: 0 })
const key = (await world.team()).key

afterAll(async () => {
  files.close()
})

const environment = () => ({ STANDIN_URL: baseUrl, STANDIN_API_KEY: key, STANDIN_DATA: folder })
const standin = (...words: string[]) => inProcess(run, ['bots', ...words], environment())

async function sent(...words: string[]): Promise<string> {
  const { exitCode: code, out } = await standin('send', MEET, '--quiet', ...words)
  expect(code).toBe(0)
  return out.trim()
}

type Event = NumberedEvent['event']
const joined = (name: string): Event => ({
  type: 'participant_joined',
  participant: { id: 1, name, platform_id: 'p' },
  offset: 0,
})

/** The bot reports these, and has ended with this status. */
async function ended(id: string, status: 'completed' | 'failed', ...events: Event[]) {
  const { report } = await startReporting(world.database, id)
  await report(...events)
  await world.set(id, { phase: 'ended', status, ...(status === 'failed' && { error_code: 'BOT_NOT_ACCEPTED' }) })
}

test('a bot is sent with what the options say; the fields of --request stay', async () => {
  const request = join(folder, 'request.json')
  await writeFile(request, JSON.stringify({ bot_name: 'File', extra: { a: '1' }, timeout_config: { grace_period: 7 } }))
  const words = ['--request', request, '--mode', 'audio_only', '--captions', '--extra', 'b=x=y', '--extra', 'c=']
  const id = await sent(...words)
  const bots = await world.database.selectFrom('bots').select('request').where('id', '=', id).execute()
  expect(bots[0]!.request).toMatchObject({
    transcription: { provider: 'captions' },
    timeout_config: { grace_period: 7 },
  })
  const [bot] = JSON.parse((await standin('list', '--name', 'File', '--json')).out) as Record<string, unknown>[]
  expect(bot).toMatchObject({ bot_id: id, bot_name: 'File', extra: { a: '1', b: 'x=y', c: '' } })
  expect(JSON.parse((await standin('get', id, '--json')).out)).toMatchObject({ recording_mode: 'audio_only' })
})

test('the same idempotency key sends one bot', async () => {
  const words = ['--idempotency-key', randomUUID()]
  expect(await sent(...words)).toBe(await sent(...words))
})

test('lists continue behind the first page, and stop at the limit', async () => {
  const name = `L${randomUUID()}`
  for (let count = 0; count < 3; count += 1) await sent('--name', name)
  const ids = async (...words: string[]) =>
    (await standin('list', '--name', name, '--quiet', ...words)).out.split('\n').filter(Boolean)
  expect(await ids()).toHaveLength(3)
  expect(await ids('--limit', '2')).toEqual((await ids()).slice(0, 2))
  expect((await standin('list', '--name', 'no such bot')).out).toBe('There are no such bots.\n')
})

test('a name from outside cannot color the terminal', async () => {
  const id = await sent('--name', '[31mRed')
  await ended(id, 'completed', joined('\u001b[31mEve'))
  for (const command of ['get', 'watch']) {
    const { out } = await standin(command, id)
    expect(out).toMatch(/Red|Eve/)
    expect(out).not.toContain('\u001b[31m')
  }
})

test('a scheduled bot says when it joins, is listed, found, watched and cancelled', async () => {
  const at = new Date(Date.now() + 3_600_000).toISOString()
  const shown = at.slice(0, 16).replace('T', ' ')
  const { out } = await standin('send', MEET, '--name', 'Planned', '--at', at.replace('Z', '+00:00'))
  const [, id = ''] = /The bot (\S+) joins/.exec(out) ?? []
  const next = `Next: standin bots watch ${id}\nCancel: standin bots leave ${id}\n`
  expect(out).toBe(`The bot ${id} joins ${shown} UTC.\n${next}`)
  const listed = async (...words: string[]) => (await standin('list', '--name', 'Planned', ...words)).out
  expect(await listed('--scheduled')).toMatch(
    new RegExp(`${id} +${shown} +scheduled: waiting for its time +meet +Planned\\n`),
  )
  expect(await listed('--scheduled', '--quiet', '--since', at)).toBe(`${id}\n`)
  expect(await listed()).not.toContain(id)
  expect((await standin('get', id)).out).toContain(`Joins    ${at}`)
  expect((await standin('leave', id)).out).toBe(`Bot ${id} was asked to leave.\n`)
  expect((await standin('get', id, '--quiet')).out).toBe('cancelled\n')
})

test.each([
  { status: 'completed', events: [joined('Ann')], code: 0 },
  { status: 'failed', events: [joined('Ann')], code: 3 },
  { status: 'failed', events: [{ type: 'status_change', status: 'in_call_recording' } as Event], code: 4 },
] as const)('a watch of a bot that $status ends with code $code, and each line comes once', async (world) => {
  const id = await sent()
  await ended(id, world.status, ...world.events)
  const { exitCode: code, out } = await standin('watch', id)
  expect(code).toBe(world.code)
  const lines = out.trim().split('\n')
  expect(new Set(lines).size).toBe(lines.length)
  expect(lines).toContainEqual(expect.stringMatching(world.status === 'failed' ? /^✗ BOT_NOT_ACCEPTED/ : /^✓ comp/))
  expect((await standin('watch', id, '--quiet')).out.trim().split('\n')).toHaveLength(1)
  const events = (await standin('watch', id, '--json')).out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(events.at(-1)).toMatchObject({ type: 'bot', data: { bot_id: id, status: world.status } })
})

test('a watch continues while the bot runs, and a terminal shows words before they are final', async () => {
  const id = await sent()
  const { report } = await startReporting(world.database, id)
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 60 })
  let early = ''
  const watching = inProcess(run, ['bots', 'watch', id], environment(), output)
  const dumb = Object.assign(new PassThrough(), { isTTY: true, columns: 60 })
  const alsoWatching = inProcess(run, ['bots', 'watch', id], { ...environment(), TERM: 'dumb' }, dumb)
  await report(joined('Early'))
  const seen = () => (early += output.read() ?? '')
  await expect.poll(seen).toContain('Early joined')
  const transcript = { type: 'transcript', id: 'm1', is_final: false, speaker: null, start: 1, end: 2, language: null }
  const partials = JSON.stringify([
    { botId: id, attempt: 1, at: new Date().toISOString(), transcript: { ...transcript, text: 'so shall we beg' } },
  ])
  const heard = () => {
    world.dependencies.partials.receive(partials)
    return seen()
  }
  await expect.poll(heard, { interval: 200 }).toContain('… Unknown: so shall we beg')
  await report(joined('Later'))
  await world.set(id, { phase: 'ended', status: 'completed' })
  expect((await watching).exitCode).toBe(0)
  expect(String(output.read())).toMatch(/^[^\n]*Later joined\n.*completed/s)
  expect((await alsoWatching).exitCode).toBe(0)
  const lines = String(dumb.read())
  expect(lines).toMatch(/Early joined\n.*Later joined\n.*completed/s)
  for (const drawn of ['…', '\u001b[2K']) expect(lines).not.toContain(drawn)
})

test('files are downloaded whole, for their user only', async () => {
  const id = await sent()
  const { exitCode: code, out } = await standin('download', id, '--out', folder)
  expect(code).toBe(0)
  expect(out).toContain(`The files are in ${join(folder, id)}`)
  expect(await readFile(join(folder, id, 'video.mp4'))).toEqual(VIDEO)
  expect(JSON.parse((await standin('download', id, '--out', folder, '--json')).out)).toEqual({
    folder: join(folder, id),
    files: [{ name: 'video.mp4', bytes: VIDEO.length }],
  })
})

test('a file that breaks off is an error and leaves nothing that looks like it', async () => {
  const id = await sent()
  isCut = true
  const { exitCode: code, errors } = await standin('download', id, '--out', folder).finally(() => {
    isCut = false
  })
  expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(/^standin bots: video\.mp4 was not/) })
  expect(await readdir(join(folder, id))).toEqual([])
})

test('a service cannot name the folder of a download, nor write commands for the shell', async () => {
  const inner = join(folder, 'inner')
  const names = ['../elsewhere', '/tmp/elsewhere', '..', '.', '', 'a/b', '$(touch elsewhere)', `${randomUUID()}/..`]
  const ask = vi.spyOn(globalThis, 'fetch')
  try {
    for (const name of [...names, 7, null]) {
      ask.mockImplementation(async () =>
        Response.json({ success: true, data: { bot_id: name, status: 'completed', video: 'data:,video' } }),
      )
      const commands = [
        ['download', randomUUID(), '--out', inner],
        ['get', randomUUID()],
        ['send', MEET, '--quiet'],
      ]
      for (const words of commands) {
        const { exitCode: code, out, errors } = await standin(...words)
        expect({ code, out }, `${words[0]} ${name}`).toEqual({ code: 1, out: '' })
        expect(errors).toContain('answered about another bot')
      }
    }
    ask.mockImplementation(async () => Response.json({ success: true, data: { bot_id: randomUUID() } }))
    expect((await standin('download', randomUUID(), '--out', inner)).exitCode).toBe(1)
  } finally {
    ask.mockRestore()
  }
  expect(await readdir(folder)).not.toContain('inner')
  expect(await readdir(folder)).not.toContain('elsewhere')
})

test('a file that a bot does not have is said with its status', async () => {
  const id = await sent()
  expect(await standin('download', id, '--only', 'audio')).toEqual({
    ...{ exitCode: 2, out: '', errors: 'This bot has no such file yet; its status is queued.\n' },
  })
})

test('a refusal of the service is one sentence with its code', async () => {
  const { exitCode: code, errors } = await standin('get', randomUUID())
  expect(code).toBe(1)
  expect(errors).toMatch(/^standin bots: .*not found.* \(FST_ERR_BOT_NOT_FOUND_BY_ID\)\n$/)
  expect((await standin('chat', await sent(), 'hello', 'all')).errors).toContain('FST_ERR_BOT_STATUS')
  expect((await standin('say', await sent(), 'hello', 'all')).errors).toContain('FST_ERR_BOT_STATUS')
  expect((await standin('say', await sent(), '--stop')).errors).toContain('FST_ERR_BOT_STATUS')
  expect((await standin('say', await sent())).errors).toContain('--stop')
  expect((await standin('show', await sent(), 'https://example.com/')).errors).toContain('FST_ERR_BOT_STATUS')
  expect((await standin('show', await sent(), '--stop')).errors).toContain('FST_ERR_BOT_STATUS')
  expect((await standin('show', await sent())).errors).toContain('--stop')
  expect((await standin('agent', await sent(), '--off')).errors).toContain('FST_ERR_BOT_STATUS')
  expect((await standin('agent', await sent())).errors).toContain('--on or --off')
  const other = ['--key-file', join(folder, 'other-key')]
  await writeFile(join(folder, 'other-key'), 'standin_not_the_key')
  expect((await standin('list', ...other)).errors).toMatch(/^standin bots: The service does not accept the API key/)
  expect((await standin('list', '--url', 'http://127.0.0.1:9')).exitCode).toBe(1)
})

test('address and key come from the data folder, and its key goes to this machine only', async () => {
  const environment = { STANDIN_DATA: folder }
  const noKey = 'An API key is needed'
  expect(() => accessOf({}, environment)).toThrow(noKey)
  await writeFile(join(folder, 'api-key'), `${key}\n`)
  expect(accessOf({}, environment)).toEqual({ url: 'http://127.0.0.1:8080', apiKey: key })
  await writeFile(join(folder, 'address'), 'https://bots.example.com\n')
  expect(accessOf({}, environment)).toEqual({ url: 'https://bots.example.com', apiKey: key })
  expect(accessOf({ url: 'http://localhost:9000' }, environment)).toMatchObject({ apiKey: key })
  expect(() => accessOf({ url: 'https://elsewhere.example' }, environment)).toThrow(noKey)
  expect(() => accessOf({}, { ...environment, STANDIN_URL: 'http://127.0.0.1.example.com' })).toThrow(noKey)
  expect(() => accessOf({ url: 'bots.example.com' }, environment)).toThrow('--url: "bots.example.com"')
  expect(() => accessOf({ keyFile: join(folder, 'none') }, environment)).toThrow('--key-file: there is no file')
})

test('an address with https where the service speaks http says so', async () => {
  const { exitCode, errors } = await standin('list', '--url', baseUrl.replace('http:', 'https:'))
  expect({ exitCode, errors }).toEqual({
    exitCode: 1,
    errors: expect.stringContaining('try http:// instead of https://'),
  })
})
