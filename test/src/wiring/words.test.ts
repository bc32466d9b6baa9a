import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SHIPPED_WORDS } from '@standin/wire/words.ts'
import { afterAll, afterEach, expect, test } from 'vitest'
import type { Logger } from '../../../packages/core/logger.ts'
import { WORDS } from '../../../platforms/google-meet/words.ts'
import { useWords } from '../../../platforms/index.ts'
import { openWords } from '../../../src/wiring/words.ts'

const folder = mkdtempSync(join(tmpdir(), 'words-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => useWords(SHIPPED_WORDS))

/** The built-in words with a new one for the button that joins. */
const changed = structuredClone(SHIPPED_WORDS)
changed.version = '2027.1.1'
changed.platforms.meet.words.en.labels.join.push('^step inside$')
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
const joins = () => WORDS.labels.join.some((expression) => expression.test('Step inside'))

test.each([
  ['words of the job', changed, '/nowhere'],
  ['words of a file', null, file('changed.json', JSON.stringify(changed))],
])('a bot reads pages with %s', async (_, given, place) => {
  expect(await openWords(given, place, {} as Logger, expect.unreachable)).toBe('2027.1.1')
  expect(joins()).toBe(true)
})

test.each([
  ['a job with other words', { version: '2027.1.1' }, null, 'no valid words: platforms'],
  ['a file that is missing', null, '/nowhere', 'ENOENT'],
  ['a file that is no JSON', null, file('broken.json', '{"version":'), 'JSON'],
])('%s is a mistake that is named, and the built-in words are used', async (_, given, place, why) => {
  const said: string[] = []
  const logger = { warn: (message: string) => said.push(message) } as unknown as Logger
  const version = await openWords(given, place, logger, (sentence) => said.push(sentence))
  expect([version, joins()]).toEqual([SHIPPED_WORDS.version, false])
  expect(said).toEqual(['The words cannot be used', expect.stringContaining(why)])
})
