import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPages } from '@standin/control-plane/files/jobs/page-checks.ts'
import type { PageCheck } from '@standin/wire/page-check.ts'
import { afterAll, expect, test, vi } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'page-checks-'))
afterAll(() => rmSync(folder, { recursive: true }))
const MEET = 'https://meet.google.com/abc-defg-hij'
const ZOOM = 'https://zoom.us/j/93812345678'

const result = (state: PageCheck['state'], missing: string[] = []): PageCheck => ({
  ...{
    platform: 'meet',
    checked_at: '2026-11-27T22:00:00.000Z',
    program_version: '0.2.0',
    words_version: '2026.11.27',
  },
  ...{ state, reached: 'entrance', missing, found: [], not_found: [], pages: ['green room'], signals: {}, error: null },
})

/** A program that writes its arguments down and answers for each link. */
function program(answers: Record<string, string>, code = 0): string[] {
  const file = join(folder, 'check.mjs')
  const source = `import { writeFileSync } from 'node:fs'
writeFileSync(${JSON.stringify(join(folder, 'arguments.json'))}, JSON.stringify(process.argv.slice(2)))
process.stdout.write(${JSON.stringify(answers)}[process.argv[2]] ?? '')
process.stderr.write('The browser did not start')
process.exitCode = ${code}`
  writeFileSync(file, source)
  return [process.execPath, file]
}

function checks(links: string[], command: string[], words: string | null = null) {
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const count = vi.fn()
  const settings = { links, command, log, jitsiHosts: [], environment: {}, words }
  return { run: checkPages({ ...settings, meters: { count } }, new AbortController().signal), log, count }
}

test('each meeting is counted by its platform and its state, and the log names what is missing', async () => {
  const answers = {
    [MEET]: JSON.stringify(result('changed', ['selectors.join'])),
    [ZOOM]: JSON.stringify(result('good')),
  }
  const { run, log, count } = checks([MEET, ZOOM], program(answers, 1))
  expect(await run).toEqual({ good: 1, changed: 1, failed: 0 })
  expect(count.mock.calls).toEqual([
    ['page_checks', { platform: 'meet', state: 'changed' }],
    ['page_checks', { platform: 'zoom', state: 'good' }],
  ])
  expect(log.warn.mock.calls[0]![0]).toMatchObject({ platform: 'meet', missing: ['selectors.join'] })
})

test.each(['', 'no JSON', '{"state":"good"}'])(
  'a program that answers "%s" has failed, and the log says why',
  async (output) => {
    const { run, log, count } = checks([MEET], program({ [MEET]: output }, 3))
    expect(await run).toEqual({ good: 0, changed: 0, failed: 1 })
    expect(count).toHaveBeenCalledWith('page_checks', { platform: 'meet', state: 'failed' })
    expect(log.warn.mock.calls[0]![0].error).toContain('The browser did not start')
  },
)

test('the check reads pages with the words that new bots get', async () => {
  await checks([MEET], program({ [MEET]: JSON.stringify(result('good')) }), '/srv/words.json').run
  const given: unknown = JSON.parse(readFileSync(join(folder, 'arguments.json'), 'utf8'))
  expect(given).toEqual([MEET, '--json', '--words', '/srv/words.json'])
})

test('a link that is no meeting is left out', async () => {
  const { run, log } = checks(['https://example.com/x'], program({}))
  expect(await run).toEqual({ good: 0, changed: 0, failed: 0 })
  expect(log.warn).toHaveBeenCalledOnce()
})
