import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  filesBeside,
  saveEvidence,
  setAsideEarlier,
  writeFilesAboutPeople,
  writeJson,
} from '../../../src/run/artifacts.ts'

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'standin-artifacts-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

test('a bot that comes again with the same id writes over nothing', async () => {
  const place = await folder()
  await mkdir(join(place, 'segments'))
  await writeFile(join(place, 'segments', '0001.mp4'), 'recorded before a kill')
  await writeFile(join(place, 'video.mp4'), 'recorded')
  await writeFile(join(place, 'events.jsonl'), 'goes on')
  const earlier = await setAsideEarlier(place)
  expect(await readdir(place)).toEqual([expect.stringMatching(/^earlier-/), 'events.jsonl'])
  expect(await readFile(join(earlier!, 'segments', '0001.mp4'), 'utf8')).toBe('recorded before a kill')
  expect(await setAsideEarlier(place)).toBeNull()
})

test('what there is nothing to say about leaves no file', async () => {
  const place = await folder()
  await writeFilesAboutPeople(place, { botId: 'b1', participants: [], diarization: [], chat: [], reactions: [] })
  expect(await filesBeside(place)).toEqual([])
})

test('evidence holds the sentence and the log, and no secret of an address', async () => {
  const place = await folder()
  await writeFile(join(place, 'standin.log'), 'a line')
  const evidence = {
    screenshot: new Uint8Array([1, 2]),
    html: '<a href="https://meet.example/?token=s3cret">',
    console: ['https://u:s3cret@host/'],
    url: 'https://meet.example/?access_token=s3cret',
    signs: { lobby: true },
  }
  await saveEvidence(place, evidence, { code: 'LOGIN_REQUIRED', sentence: 'Sign in.', step: 'pre-join' })
  const files = await filesBeside(place)
  expect(files.map(({ name }) => name)).toEqual([
    'debug/console.log',
    'debug/failure.json',
    'debug/page.html',
    'debug/screenshot.png',
    'debug/standin.log',
  ])
  for (const { path, name } of files) expect(await readFile(path, 'utf8'), name).not.toContain('s3cret')
})

test('a failure before any page was open still leaves its sentence', async () => {
  const place = await folder()
  await saveEvidence(place, null, { code: 'INTERNAL_ERROR', sentence: 'No display.', step: 'recorder' })
  expect(JSON.parse(await readFile(join(place, 'debug', 'failure.json'), 'utf8'))).toMatchObject({
    sentence: 'No display.',
  })
})

test('a name with line separators is escaped in every file of JSON, and read back whole', async () => {
  const place = await folder()
  const speaker = 'Ann\u2028Berg\u2029'
  const segment = {
    speaker,
    user_id: 1,
    start_time: 0,
    end_time: 1,
    source: 'csrc',
    confidence: 1,
    start_utc: '',
  } as const
  await writeFilesAboutPeople(place, {
    ...{ botId: 'b1', participants: [], chat: [], reactions: [] },
    diarization: [segment],
  })
  await writeJson(place, 'manifest.json', { name: speaker })
  const [lines, whole] = await Promise.all(
    ['diarization.jsonl', 'manifest.json'].map((name) => readFile(join(place, name), 'utf8')),
  )
  expect(lines! + whole!).not.toMatch(/[\u2028\u2029]/)
  expect([JSON.parse(lines!).speaker, JSON.parse(whole!).name]).toEqual([speaker, speaker])
})

test('files of JSON are written beside their place, and a link there is not followed', async () => {
  const place = await folder()
  await writeFile(join(place, 'target'), 'of another program')
  await symlink(join(place, 'target'), join(place, 'manifest.json'))
  await writeJson(place, 'manifest.json', { files: [] })
  expect(await readFile(join(place, 'target'), 'utf8')).toBe('of another program')
  expect(JSON.parse(await readFile(join(place, 'manifest.json'), 'utf8'))).toEqual({ files: [] })
})
