/** `standin check` with its own browser and sound servers. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pageCheckSchema } from '@standin/wire/page-check.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { startMock } from '../../../packages/mock/index.ts'
import { run } from '../../../src/cli/run.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { inProcess } from '../../fakes/in-process.ts'

const folder = temporaryFolder()
let mock: Awaited<ReturnType<typeof startMock>>
beforeAll(async () => {
  mock = await startMock('jitsi', { hostPort: null })
})
afterAll(() => mock.close())

function check(...given: string[]) {
  const mapped = mock.hosts.flatMap((host) => ['--map-host', `${host}=${mock.address}`])
  return inProcess(run, ['check', ...given, ...mapped])
}

test('a page as this version knows it is good: a table for people, a file for a report', async () => {
  const meeting = mock.open('open')
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  const { exitCode, out, errors } = await check(meeting.url)
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: expect.stringContaining('standin-check-jitsi.json') })
  expect(out).toMatch(/selectors\.join +selector +yes/)
  expect(out).toContain('The page is as Standin knows it.')
  const result = pageCheckSchema.parse(JSON.parse(readFileSync(join(folder, 'standin-check-jitsi.json'), 'utf8')))
  expect(result).toMatchObject({ platform: 'jitsi', state: 'good', reached: 'entrance', missing: [] })
  expect(meeting.botName).toBeNull()
})

test('a changed page ends with 1 and names the sign', async () => {
  const meeting = mock.open('open', { rewording: { 'prejoin.joinMeeting': 'prejoin.go' } })
  const { exitCode, out } = await check(meeting.url, '--seconds', '12', '--json')
  expect(exitCode).toBe(1)
  expect(pageCheckSchema.parse(JSON.parse(out))).toMatchObject({ state: 'changed', missing: ['selectors.join'] })
})
