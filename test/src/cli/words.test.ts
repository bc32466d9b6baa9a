import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import type { Io } from '@standin/base/command-io.ts'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Logger } from '../../../core/logger.ts'
import { WORDS } from '../../../platforms/google-meet/words.ts'
import { useWords } from '../../../platforms/index.ts'
import { wordsKeygen, wordsPrint, wordsSign, wordsVerify } from '../../../src/cli/words.ts'
import { InvalidJob, readConfig } from '../../../src/job/config.ts'
import { openWords } from '../../../src/wiring/words.ts'

const folder = mkdtempSync(join(tmpdir(), 'words-'))
const file = (name: string) => join(folder, name)
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => useWords(SHIPPED_WORDS))

function shell(environment: Record<string, string> = {}) {
  const [output, errors] = [new PassThrough(), new PassThrough()]
  const io = { output, errors, environment } as unknown as Io
  return { io, said: () => String(output.read() ?? ''), complained: () => String(errors.read() ?? '') }
}

/** The shipped pack with a new word for the button that joins. */
function newPack(version: string) {
  const pack = structuredClone(SHIPPED_WORDS)
  pack.version = version
  pack.platforms.meet.words.en.labels.join.push('^step inside$')
  return pack
}

const joins = (label: string) => WORDS.labels.join.some((expression) => expression.test(label))
const silent = { warn() {} } as unknown as Logger
const open = async (given: unknown, source: Parameters<typeof openWords>[1]) => {
  const refused: string[] = []
  const version = await openWords(given, source, silent, (sentence) => refused.push(sentence))
  return { version, refused }
}

test('a pack that was printed, changed and signed is used by a bot with the public key', async () => {
  const { io, said } = shell()
  await wordsKeygen(file('key.pem'), io)
  const key = said().trim()
  expect(statSync(file('key.pem')).mode & 0o777).toBe(0o600)
  await expect(wordsKeygen(file('key.pem'), io)).rejects.toThrow('could not be written')
  wordsPrint(io)
  expect(JSON.parse(said())).toEqual(SHIPPED_WORDS)

  writeFileSync(file('pack.json'), JSON.stringify(newPack('2027.1.1')))
  await wordsSign(file('pack.json'), { key: file('key.pem'), out: file('words.json') }, io)
  expect(said()).toContain(key)
  expect(await wordsVerify(file('words.json'), { key }, io)).toBe(0)
  expect(await wordsVerify(file('words.json'), {}, shell({ STANDIN_WORDS_KEY: key }).io)).toBe(0)
  expect(await wordsVerify(file('pack.json'), { key }, io)).toBe(1)
  expect(await wordsVerify(file('pack.json'), {}, io)).toBe(0)

  expect(joins('Step inside')).toBe(false)
  expect(await open(null, { place: file('words.json'), key })).toEqual({ version: '2027.1.1', refused: [] })
  expect(joins('Step inside')).toBe(true)

  const forged = JSON.parse(readFileSync(file('words.json'), 'utf8'))
  forged.signed.version = '2027.1.2'
  writeFileSync(file('forged.json'), JSON.stringify(forged))
  const { version, refused } = await open(null, { place: file('forged.json'), key })
  expect([version, refused]).toEqual([SHIPPED_WORDS.version, [expect.stringContaining('does not fit the key')]])
  expect(joins('Step inside')).toBe(false)
})

test('the words of a job are used, and those that a bot cannot use are refused', async () => {
  expect(await open(newPack('2027.1.1'), { place: '/nowhere', key: null })).toEqual({
    version: '2027.1.1',
    refused: [],
  })
  expect(joins('step inside')).toBe(true)
  expect((await open({ version: '2027.1.1' }, null)).refused).toEqual([expect.stringContaining('no valid words pack')])
  expect((await open({ ...newPack('2027.1.1'), needs: '99.0' }, null)).version).toBe(SHIPPED_WORDS.version)
})

test('a pack that no program would use is not signed', async () => {
  const { io } = shell()
  await wordsKeygen(file('other.pem'), io)
  for (const [version, change] of [
    ['2020.1.1', {}],
    ['2027.1.1', { platforms: {} }],
  ] as const) {
    writeFileSync(file('bad.json'), JSON.stringify({ ...newPack(version), ...change }))
    await expect(wordsSign(file('bad.json'), { key: file('other.pem'), out: file('bad.out') }, io)).rejects.toThrow(
      'was not signed',
    )
  }
})

test.each([
  [{ STANDIN_WORDS: 'https://packs.example/words.json' }, 'needs a public key'],
  [{ STANDIN_WORDS: 'words.json', STANDIN_WORDS_KEY: 'short' }, 'no public key'],
])('%j is refused', (environment, why) => {
  const settings = {
    job: { bot_id: '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11', meeting_url: 'https://meet.google.com/abc-defg-hij' },
    hostMap: [],
    environment,
  }
  expect(() => readConfig(settings)).toThrow(InvalidJob)
  expect(() => readConfig(settings)).toThrow(why)
})
