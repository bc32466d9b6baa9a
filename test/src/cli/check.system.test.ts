/** `standin check` as a person runs it, with its own browser and sound servers. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pageCheckSchema } from '@standin/wire/page-check.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { packageRoot } from '../../../core/process/page-scripts.ts'
import { startMock } from '../../../mock/index.ts'
import { PROGRAM_ENVIRONMENT } from '../../servers/program-environment.ts'

const folder = mkdtempSync(join(tmpdir(), 'check-'))
let mock: Awaited<ReturnType<typeof startMock>>
beforeAll(async () => {
  mock = await startMock('jitsi', { hostPort: null })
})
afterAll(async () => {
  await mock.close()
  rmSync(folder, { recursive: true })
})

function check(...given: string[]): Promise<{ code: number; output: string; errors: string }> {
  const mapped = mock.hosts.flatMap((host) => ['--map-host', `${host}=${mock.address}`])
  const program = join(packageRoot, 'src/cli/index.ts')
  const options = { cwd: folder, env: { ...PROGRAM_ENVIRONMENT, HOME: process.env.HOME } }
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'check', ...given, ...mapped], options, (error, output, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code), output, errors }),
    )
  })
}

test('a page as this version knows it is good: a table for people, a file for a report', async () => {
  const meeting = mock.open('open')
  const { code, output, errors } = await check(meeting.url)
  expect({ code, errors }).toEqual({ code: 0, errors: expect.stringContaining('standin-check-jitsi.json') })
  expect(output).toMatch(/selectors\.join +selector +yes/)
  expect(output).toContain('The page is as Standin knows it.')
  const result = pageCheckSchema.parse(JSON.parse(readFileSync(join(folder, 'standin-check-jitsi.json'), 'utf8')))
  expect(result).toMatchObject({ platform: 'jitsi', state: 'good', reached: 'entrance', missing: [] })
  expect(meeting.botName).toBeNull()
})

test('a changed page ends with 1 and names the sign', async () => {
  const meeting = mock.open('open', { rewording: { 'prejoin.joinMeeting': 'prejoin.go' } })
  const { code, output } = await check(meeting.url, '--seconds', '12', '--json')
  expect(code).toBe(1)
  expect(pageCheckSchema.parse(JSON.parse(output))).toMatchObject({ state: 'changed', missing: ['selectors.join'] })
})

test('a link of no platform ends with 2', async () => {
  expect((await check('https://example.com/meeting')).code).toBe(2)
})
