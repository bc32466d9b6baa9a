/** A platform changes its page; changed words mend the bots of a service that runs. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { replayStructure, startMock } from '../../packages/mock/index.ts'
import type { MockMeeting } from '../../packages/mock/types.ts'
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

let teams: Awaited<ReturnType<typeof startMock>>
let service: ServiceProcess
let folder: string
let words: string

function mendedWords() {
  const pageWords = structuredClone(SHIPPED_WORDS)
  const { words: ofTeams, selectors } = pageWords.platforms.teams
  ofTeams.en.labels.onWeb.push('^stay here$')
  Object.assign(selectors, {
    launcher: `${selectors.launcher}, #entryChoice`,
    onWeb: `${selectors.onWeb}, [data-tid="stayHere"]`,
  })
  return { ...pageWords, version: '2027.1.1' }
}

beforeAll(async () => {
  teams = await startMock('teams')
  folder = await mkdtemp(join(tmpdir(), 'words-'))
  words = join(folder, 'words.json')
  service = await ServiceProcess.prepare({
    STANDIN_MAP_HOSTS: teams.hosts.map((host) => `${host}=${teams.address}`).join(','),
    STANDIN_RESUME_BOTS: 'off',
    STANDIN_WORDS: words,
  })
  await writeFile(words, JSON.stringify(SHIPPED_WORDS))
  await service.start()
})

afterAll(async () => {
  await service?.dispose()
  await teams?.close()
  await rm(folder, { recursive: true, force: true })
})

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

test('a bot fails on a changed page and says so, and the next one gets in with changed words, without a restart', {
  timeout: 600_000,
}, async () => {
  const changed = () => teams.open('launcher-choice-click', { rewording: REWORDING })
  const lost = await send(changed())
  await expect.poll(async () => (await bot(lost))?.status, LONG).toBe('failed')
  expect(await bot(lost)).toMatchObject({ reason: 'page_unknown' })

  const structure = await fileOf(lost, 'structure.html')
  expect(structure).toContain('data-tid="stayHere"')
  expect(structure).toContain('Stay here')
  expect(JSON.parse(await fileOf(lost, 'failure.json'))).toMatchObject({ words_version: SHIPPED_WORDS.version })

  await writeFile(words, JSON.stringify(mendedWords()))
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
