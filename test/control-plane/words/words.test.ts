import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newSigningKey, signJson } from '@standin/base/signed-json.ts'
import type { OutgoingAnswer, OutgoingRequest } from '@standin/control-plane/ports.ts'
import { Words, watchWords } from '@standin/control-plane/words/words.ts'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { afterAll, describe, expect, test, vi } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'words-'))
afterAll(() => rmSync(folder, { recursive: true }))
const { privateKey, publicKey } = newSigningKey()

const pack = (version: string, more: object = {}) => ({ ...SHIPPED_WORDS, version, ...more })
const signed = (version: string, more: object = {}, key = privateKey) =>
  JSON.stringify(signJson(pack(version, more), key).document)
const noClient = { request: () => Promise.reject(new Error('unexpected')) }
let written = 0
function write(file: string, text: string) {
  writeFileSync(file, text)
  // Each writing has its own time, however coarse the clock of the file system is.
  utimesSync(file, new Date(), new Date(Date.now() + 1000 * ++written))
}

function inFile(text: string, key: string | null = publicKey) {
  const place = join(folder, `${++written}.json`)
  write(place, text)
  return { place, words: new Words({ place, key, client: noClient, program: '0.2.0' }) }
}

describe('a file', () => {
  test('with a newer pack is used, then read again only if it changes', async () => {
    const { place, words } = inFile(signed('2027.1.1'))
    expect(words.forBots).toBeNull()
    expect(await words.refresh()).toBe('new')
    expect([words.version, words.forBots?.version]).toEqual(['2027.1.1', '2027.1.1'])
    expect(await words.refresh()).toBe('unchanged')
    write(place, signed('2027.1.2'))
    expect(await words.refresh()).toBe('new')
    expect(words.version).toBe('2027.1.2')
  })

  test('with the shipped version changes nothing', async () => {
    const { words } = inFile(signed(SHIPPED_WORDS.version))
    expect(await words.refresh()).toBe('same')
    expect(words.forBots).toBeNull()
  })

  test.each([
    ['an older pack', () => signed('2026.1.1'), 'is older than'],
    ['a pack of another key', () => signed('2027.1.1', {}, newSigningKey().privateKey), 'does not fit'],
    ['a pack without a signature', () => JSON.stringify(pack('2027.1.1')), 'not signed'],
    ['a pack for a later program', () => signed('2027.1.1', { needs: '9.0.0' }), 'needs Standin 9.0.0'],
    ['a pack without platforms', () => signed('2027.1.1', { platforms: {} }), 'no valid words pack'],
    ['half a pack', () => signed('2027.1.1').slice(0, 1000), 'JSON'],
    ['too many bytes', () => `${signed('2027.1.1')}${' '.repeat(600_000)}`, 'larger than'],
  ])('with %s is refused, and the words in use stay', async (_, text, why) => {
    const { place, words } = inFile(signed('2026.12.1'))
    await words.refresh()
    write(place, text())
    await expect(words.refresh()).rejects.toThrow(why)
    expect(words.version).toBe('2026.12.1')
  })

  test('is used without a signature if there is no key', async () => {
    const { place, words } = inFile(JSON.stringify(pack('2027.1.1')), null)
    expect(await words.refresh()).toBe('new')
    write(place, signed('2027.1.2'))
    expect(await words.refresh()).toBe('new')
  })
})

describe('an address', () => {
  const answer = (status: number, text: string, etag?: string): OutgoingAnswer => ({
    status,
    headers: etag ? { etag } : {},
    body: Buffer.from(text),
    isCut: false,
  })
  function at(...answers: OutgoingAnswer[]) {
    const asked: OutgoingRequest[] = []
    const client = {
      request: async (request: OutgoingRequest) => {
        asked.push(request)
        return answers.shift()!
      },
    }
    return {
      asked,
      words: new Words({ place: 'https://packs.example/words.json', key: publicKey, client, program: '0.2.0' }),
    }
  }

  test('is asked with its last tag', async () => {
    const { asked, words } = at(
      answer(200, signed('2027.1.1'), '"one"'),
      answer(304, ''),
      answer(200, signed('2027.1.2')),
    )
    expect([await words.refresh(), await words.refresh(), await words.refresh()]).toEqual(['new', 'unchanged', 'new'])
    expect(asked.map(({ headers }) => headers?.['if-none-match'])).toEqual([undefined, '"one"', '"one"'])
    expect(words.version).toBe('2027.1.2')
  })

  test('that fails or gives too much is refused', async () => {
    const { words } = at(answer(500, ''), { ...answer(200, signed('2027.1.1')), isCut: true })
    await expect(words.refresh()).rejects.toThrow('answered 500')
    await expect(words.refresh()).rejects.toThrow('larger than')
    expect(words.forBots).toBeNull()
  })
})

test('the watch says what was refused until the file is mended, and counts', async () => {
  const place = join(folder, 'watched.json')
  write(place, signed('2027.1.1', { needs: '9.0.0' }))
  const count = vi.fn()
  const log = { debug: vi.fn(), info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const settings = { place, key: publicKey, client: noClient, program: '0.2.0', seconds: 0.02 }
  const watch = watchWords({ ...settings, log: log as never, meters: { count } })
  try {
    await watch.ready
    expect(watch.problem()).toContain('needs Standin 9.0.0')
    const looks = vi.spyOn(watch.words, 'refresh')
    await vi.waitFor(() => expect(looks.mock.calls.length).toBeGreaterThan(2), 10_000)
    expect(watch.problem()).toContain('needs Standin 9.0.0')
    expect(log.warn).toHaveBeenCalledTimes(1)
    write(place, signed('2027.1.1'))
    await vi.waitFor(() => expect(watch.words.version).toBe('2027.1.1'), 10_000)
    await vi.waitFor(() => expect(watch.problem()).toBeNull(), 10_000)
    expect(count.mock.calls).toEqual([
      ['words_packs', { result: 'refused' }],
      ['words_packs', { result: 'accepted' }],
    ])
  } finally {
    await watch.close()
  }
})
