/** A job that cannot be run ends with code 2 and a message. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../../../src/cli/run.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { inProcess } from '../../fakes/in-process.ts'

const MEETING = 'https://meet.google.com/abc-defg-hij'

const standin = (...given: string[]) => inProcess(run, given)

test.each([
  [['join', MEETING, '--not-before', 'yesterday'], '--not-before: must be an instant with its offset'],
  [['join', MEETING, '--image', 'none.png'], '--image: there is no file or folder none.png'],
  [['join', MEETING, '--silence-timeout', 'abc'], "option '--silence-timeout <seconds>' argument 'abc' is invalid"],
  [['join', MEETING, '--stream-output', 'http://x'], '--stream-output: must be an address that starts with ws://'],
  [['join', '--job', 'none.json'], '--job: there is no file or folder none.json'],
  [['join'], 'The link of the meeting is missing: standin join <meeting link>'],
  [['join', MEETING, '--out', '/proc/x'], '--out: Cannot record: /proc/x'],
  [['join', MEETING, '--out', 'x', '--s3', 's3://y'], '--out: excludes --s3'],
  [['transcribe', 'none'], 'standin transcribe: there is no file or folder none'],
  [['serve', 'none'], 'standin serve: there is no file or folder none'],
  [['recover'], 'standin recover: name either a folder or a bucket (--s3)'],
  [['doctr'], 'Did you mean doctor?'],
])('a mistake is said with the name of the option: %j', async (args, sentence) => {
  const { exitCode, errors } = await standin(...args)
  expect(exitCode).toBe(2)
  expect(errors).toContain(sentence)
  expect(errors).not.toMatch(/no such file|job is not valid/)
})

test.each([
  [
    ['join', 'https://zoom.us/j/88240852079', '--conf-sdk-id', 'id'],
    'conf_sdk_pwd: SET_CONF_ID_AND_PWD_TOGETHER: conf_sdk_id and conf_sdk_pwd go together',
  ],
  [['join', '--job-url', 'https://control.test/jobs/1'], 'STANDIN_JOB_TOKEN: is missing'],
  [['check', 'https://example.com/meeting'], 'meeting_url'],
])('a job that is not valid ends with exit code 2: %j', async (args, sentence) => {
  const { exitCode, errors } = await standin(...args)
  expect({ exitCode, errors }).toEqual({ exitCode: 2, errors: expect.stringContaining(sentence) })
})

test('a job with many unknown fields and escape sequences is refused in few plain lines', async () => {
  const fields = Array.from({ length: 20_000 }, (_, index) => [`\u001b[31m${index}`, 1])
  const file = join(temporaryFolder(), 'job.json')
  await writeFile(file, JSON.stringify(Object.fromEntries(fields)))
  const { exitCode, errors } = await standin('join', '--job', file)
  expect(exitCode).toBe(2)
  expect(errors).not.toContain('\u001b')
  expect(errors.length).toBeLessThan(20_000)
})
