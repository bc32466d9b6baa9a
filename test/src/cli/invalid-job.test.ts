/** A job that cannot be run ends with code 2 and a message. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { inProcess } from '../../fakes/in-process.ts'

const MEETING = 'https://meet.google.com/abc-defg-hij'

const standin = (...given: string[]) => inProcess(run, given)

test('an SDK id without its secret is reported with the code of the specification, with exit code 2', async () => {
  const { exitCode, errors } = await standin('join', 'https://zoom.us/j/88240852079', '--conf-sdk-id', 'id')
  expect(exitCode).toBe(2)
  expect(errors).toContain('conf_sdk_pwd: SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together')
})

test('a job address without its token is reported with the name of the variable, with exit code 2', async () => {
  const { exitCode, errors } = await standin('join', '--job-url', 'https://control.test/jobs/1')
  expect(exitCode).toBe(2)
  expect(errors).toContain('STANDIN_JOB_TOKEN: is missing')
})

test.each([
  [['join', MEETING, '--not-before', 'yesterday'], '--not-before: must be an instant with its offset'],
  [['join', MEETING, '--image', 'none.png'], '--image: there is no file or folder none.png'],
  [['join', MEETING, '--silence-timeout', 'abc'], "option '--silence-timeout <seconds>' argument 'abc' is invalid"],
  [['join', MEETING, '--stream-output', 'http://x'], '--stream-output: must be an address that starts with ws://'],
  [['join', '--job', 'none.json'], '--job: there is no file or folder none.json'],
  [['serve', 'none'], 'standin serve: there is no file or folder none'],
  [['recover'], 'standin recover: name either a folder or a bucket (--s3)'],
  [['doctr'], 'Did you mean doctor?'],
])('a mistake is said with the name of the option: %j', async (args, sentence) => {
  const { exitCode, errors } = await standin(...args)
  expect(exitCode).toBe(2)
  expect(errors).toContain(sentence)
  expect(errors).not.toMatch(/ENOENT|job is not valid/)
})

test('a check of a link that no platform knows ends with exit code 2', async () => {
  const { exitCode, errors } = await standin('check', 'https://example.com/meeting')
  expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: expect.stringContaining('meeting_url') })
})

test('a job with many unknown fields and escape sequences is refused in few plain lines', async () => {
  const fields = Array.from({ length: 20_000 }, (_, index) => [`\u001b[31m${index}`, 1])
  const folder = await mkdtemp(join(tmpdir(), 'standin-jobs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'job.json')
  await writeFile(file, JSON.stringify(Object.fromEntries(fields)))
  const { exitCode, errors } = await standin('join', '--job', file)
  expect(exitCode).toBe(2)
  expect(errors).not.toContain('\u001b')
  expect(errors.length).toBeLessThan(20_000)
})
