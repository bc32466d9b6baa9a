/** A platform changes its page; a words pack mends the bots of a service that runs. */
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSigningKey, signJson } from '@standin/base/signed-json.ts'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayStructure, startMock } from '../../mock/index.ts'
import type { MockMeeting } from '../../mock/types.ts'
import { ServiceProcess } from './service-process.ts'

const LONG = { timeout: 420_000, interval: 500 }
/** Marks and words of the page with which a browser gets to the meeting. */
const REWORDING = {
  launcherApp: 'entryChoice',
  joinInApp: 'useNative',
  joinOnWeb: 'stayHere',
  'Join meeting from this browser': 'Stay here',
  'Continue on this browser': 'Stay here',
}
const { privateKey, publicKey } = newSigningKey()

let teams: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let folder: string
let words: string

async function putInPlace(pack: object, key = privateKey): Promise<void> {
  await writeFile(`${words}.new`, JSON.stringify(signJson(pack, key).document))
  await rename(`${words}.new`, words)
}

function mendedPack() {
  const pack = structuredClone(SHIPPED_WORDS)
  const { words: ofTeams, selectors } = pack.platforms.teams
  ofTeams.en.labels.onWeb.push('^stay here$')
  Object.assign(selectors, {
    launcher: `${selectors.launcher}, #entryChoice`,
    onWeb: `${selectors.onWeb}, [data-tid="stayHere"]`,
  })
  return { ...pack, version: '2027.1.1' }
}

beforeAll(async () => {
  teams = await startMock('teams')
  folder = await mkdtemp(join(tmpdir(), 'words-'))
  words = join(folder, 'words.json')
  service = await ServiceProcess.prepare({
    STANDIN_MAP_HOSTS: teams.hosts.map((host) => `${host}=${teams.address}`).join(','),
    STANDIN_RESUME_BOTS: 'off',
    STANDIN_WORDS_SECONDS: '1',
    STANDIN_WORDS_KEY: publicKey,
    STANDIN_WORDS: words,
  })
  await putInPlace(SHIPPED_WORDS)
  await service.start()
})

afterAll(async () => {
  await service?.dispose()
  await teams?.close()
  await rm(folder, { recursive: true, force: true })
})

const ready = async () => (await (await fetch(`${service.url}/readyz`)).json()) as Record<string, unknown>
const bot = async (id: string) => (await service.call('GET', `/v2/bots/${id}`)).body.data

async function send(meeting: MockMeeting): Promise<string> {
  const { status, body } = await service.call('POST', '/v2/bots', {
    meeting_url: meeting.url,
    bot_name: 'Notes for Ann',
  })
  expect(status).toBe(201)
  return body.data.bot_id
}

/** A file that the bot left in its folder. */
async function fileOf(botId: string, name: string): Promise<string> {
  const place = join(service.folder, 'recordings', botId)
  const found = (await readdir(place, { recursive: true })).find((file) => file.endsWith(name))
  return readFile(join(place, found!), 'utf8')
}

test('a bot fails on a changed page and says so, and the next one gets in with a new pack, without a restart', {
  timeout: 600_000,
}, async () => {
  expect(await ready()).toMatchObject({ words_version: SHIPPED_WORDS.version, warnings: {} })
  const changed = () => teams.open('launcher-choice-click', { rewording: REWORDING })
  const lost = await send(changed())
  await expect.poll(async () => (await bot(lost))?.status, LONG).toBe('failed')
  expect(await bot(lost)).toMatchObject({ reason: 'page_unknown' })

  const structure = await fileOf(lost, 'structure.html')
  expect(structure).toContain('data-tid="stayHere"')
  expect(structure).toContain('Stay here')
  expect(JSON.parse(await fileOf(lost, 'failure.json'))).toMatchObject({ words_version: SHIPPED_WORDS.version })

  await putInPlace(mendedPack(), newSigningKey().privateKey)
  await expect
    .poll(async () => (await ready()).warnings, LONG)
    .toEqual({ words: expect.stringContaining('does not fit') })
  expect(await ready()).toMatchObject({ status: 'ready', words_version: SHIPPED_WORDS.version })

  await putInPlace(mendedPack())
  await expect.poll(ready, LONG).toMatchObject({ words_version: '2027.1.1', warnings: {} })
  const meeting = changed()
  const next = await send(meeting)
  await expect.poll(async () => (await bot(next))?.status, LONG).toMatch(/in_waiting_room|in_call/)
  // No bot outlives the test.
  meeting.endForAll()
  await expect.poll(async () => (await bot(next))?.status, LONG).toMatch(/completed|failed/)
})

test('the structure of a page is served as the page of its platform', async () => {
  const replay = await replayStructure(
    '<!-- standin {"url":"https://teams.microsoft.com/v2/"} -->\n<!doctype html><p>Stay',
  )
  expect(replay.hosts).toContain('teams.microsoft.com')
  await replay.close()
})
