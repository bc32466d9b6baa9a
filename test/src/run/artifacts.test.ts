import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { secretsOfSession, storageStateSchema } from '@standin/wire/account-session.ts'
import { expect, onTestFinished, test } from 'vitest'
import { registerSecrets } from '../../../packages/core/process/known-secrets.ts'
import {
  filesBeside,
  saveEvidence,
  setAsideEarlier,
  writeFilesAboutPeople,
  writeJson,
} from '../../../src/run/artifacts.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

test('a bot that comes again with the same id writes over nothing', async () => {
  const place = temporaryFolder()
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
  const place = temporaryFolder()
  await writeFilesAboutPeople(place, { botId: 'b1', participants: [], diarization: [], chat: [], reactions: [] })
  expect(await filesBeside(place)).toEqual([])
})

test('evidence holds the sentence and the log, and no secret of an address or of the job', async () => {
  const place = temporaryFolder()
  registerSecrets({ conf_obf_token: 'obf-s3cret-unique' })
  onTestFinished(() => registerSecrets())
  await writeFile(join(place, 'standin.log'), 'a line')
  const said = 'it said obf-s3cret-unique'
  const evidence = {
    screenshot: new Uint8Array([1, 2]),
    html: `<a href="https://meet.example/?token=s3cret">${said}`,
    console: ['https://u:s3cret@host/', said],
    url: 'https://meet.example/obf-s3cret-unique?access_token=s3cret',
    signs: { heading: said, list: [{ text: said }] },
  }
  await saveEvidence(place, evidence, { code: 'LOGIN_REQUIRED', sentence: said, step: said })
  const files = await filesBeside(place)
  const names = ['console.log', 'failure.json', 'page.html', 'screenshot.png', 'standin.log']
  expect(files.map(({ name }) => name)).toEqual(names.map((name) => `debug/${name}`))
  for (const { path, name } of files) expect(await readFile(path, 'utf8'), name).not.toContain('s3cret')
  expect(await readFile(join(place, 'debug/failure.json'), 'utf8')).toContain('it said [redacted]')
})

const PLANTED = [
  `<script nonce="pl4nted">window.WIZ_global_data = {"SNlM0e":"pl4nted:17","FdrFJe":"-pl4nted","thykhd":"pl4nted"}</script>`,
  `<SCRIPT type="application/json">{"ds": ["pl4nted"]}</script >`,
  `<script>var xsrf='pl4nted'; if (a < b) { x = "</scrip" + "t>pl4nted" }</script>`,
  '<a href="https://login.example/?ticket=pl4nted&otp=pl4nted">',
  '<a href="https://login.example/?a=1&amp;sid=pl4nted#nonce=pl4nted">',
  '<form action="/done?continue=https%3A%2F%2Fx%2F%3Fxsrf%3Dpl4nted">',
  '<div data-sid="pl4nted" data-session-id=pl4nted data-xsrf="pl4nted">',
  '<input type="hidden" name="continue" value="pl4nted">',
  '<p>the cookie of the account: c00kie</p>',
  'SAPISID=pl4nted; __Secure-1PSID=pl4nted; __Secure-3PAPISID=pl4nted; HSID=pl4nted; NID=pl4nted; SIDCC=pl4nted',
  'ESTSAUTHPERSISTENT=pl4nted; ESTSAUTHLIGHT=pl4nted; buid=pl4nted; MSPAuth=pl4nted; RPSSecAuth=pl4nted; _zm_ssid=pl4nted',
  `{"sessionId":"pl4nted","sid": "pl4nted"} { session_id: 'pl4nted', APISID: 'pl4nted' }`,
  '<script>never closed, pl4nted',
]

test('evidence of a signed-in page has nothing that gives access to the account', async () => {
  const place = temporaryFolder()
  const cookie = { name: 'any', value: 'c00kie', domain: '.google.com' }
  registerSecrets(secretsOfSession(storageStateSchema.parse({ cookies: [cookie] })))
  onTestFinished(() => registerSecrets())
  const lines = PLANTED.filter((text) => !/<script/i.test(text))
  const html = PLANTED.map((text) => `<p>kept</p>${text}`).join('\n')
  const evidence = { screenshot: null, html, structure: lines.join(''), console: lines, url: null, signs: {} }
  await saveEvidence(place, evidence, { code: 'LOGIN_REQUIRED', sentence: 'Out.', step: 'join' })
  for (const { path, name } of await filesBeside(place)) {
    const left = (await readFile(path, 'utf8')).split('\n').filter((line) => /pl4nted|c00kie/.test(line))
    expect(left, name).toEqual([])
  }
  expect((await readFile(join(place, 'debug/page.html'), 'utf8')).match(/kept/g)).toHaveLength(PLANTED.length)
})

test('a failure before any page was open still leaves its sentence', async () => {
  const place = temporaryFolder()
  await saveEvidence(place, null, { code: 'INTERNAL_ERROR', sentence: 'No display.', step: 'recorder' })
  expect(JSON.parse(await readFile(join(place, 'debug', 'failure.json'), 'utf8'))).toMatchObject({
    sentence: 'No display.',
  })
})

test('a name with line separators is escaped in every file of JSON, and read back whole', async () => {
  const place = temporaryFolder()
  const speaker = 'Ann\u2028Berg\u2029'
  const times = { start_time: 0, end_time: 1, start_utc: '' }
  const diarization = [{ speaker, user_id: 1, source: 'csrc', confidence: 1, ...times } as const]
  await writeFilesAboutPeople(place, { botId: 'b1', participants: [], chat: [], reactions: [], diarization })
  await writeJson(place, 'manifest.json', { name: speaker })
  const [lines, whole] = await Promise.all(
    ['diarization.jsonl', 'manifest.json'].map((name) => readFile(join(place, name), 'utf8')),
  )
  expect(lines! + whole!).not.toMatch(/[\u2028\u2029]/)
  expect([JSON.parse(lines!).speaker, JSON.parse(whole!).name]).toEqual([speaker, speaker])
})

test('files of JSON are written beside their place, and a link there is not followed', async () => {
  const place = temporaryFolder()
  await writeFile(join(place, 'target'), 'of another program')
  await symlink(join(place, 'target'), join(place, 'manifest.json'))
  await writeJson(place, 'manifest.json', { files: [] })
  expect(await readFile(join(place, 'target'), 'utf8')).toBe('of another program')
  expect(JSON.parse(await readFile(join(place, 'manifest.json'), 'utf8'))).toEqual({ files: [] })
})
