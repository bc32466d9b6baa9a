import { chmodSync, existsSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MAX_JOB_BYTES } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import { takeJobFile } from '../../../src/cli/job-file.ts'
import { jobFrom } from '../../../src/cli/job-options.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

function jobFile(text: string, mode = 0o600): string {
  const path = join(temporaryFolder(), 'job.json')
  writeFileSync(path, text)
  chmodSync(path, mode)
  return path
}

test.each([0o600, 0o400])('a job file of mode %o is read and deleted', (mode) => {
  const path = jobFile('{"bot_name":"From file"}', mode)
  expect(jobFrom(undefined, {}, { STANDIN_JOB_FILE: path })).toMatchObject({ bot_name: 'From file' })
  expect(existsSync(path)).toBe(false)
})

test('a job file that is not JSON is deleted too, and the message quotes no part of it', () => {
  const path = jobFile('{"token":"s3cret" oops')
  const read = () => jobFrom(undefined, {}, { STANDIN_JOB_FILE: path })
  expect(read).toThrow(/^STANDIN_JOB_FILE: not valid JSON( \(at character \d+\))?$/)
  expect(existsSync(path)).toBe(false)
})

test.each([0o640, 0o604, 0o644, 0o620])('a job file of mode %o is refused and stays', (mode) => {
  const path = jobFile('{}', mode)
  expect(() => takeJobFile(path)).toThrow('STANDIN_JOB_FILE: can be read by others; its mode has to be 0600')
  expect(readFileSync(path, 'utf8')).toBe('{}')
})

test('a link is not followed', () => {
  const path = jobFile('{}')
  symlinkSync(path, `${path}.link`)
  expect(() => takeJobFile(`${path}.link`)).toThrow('STANDIN_JOB_FILE: is a link, which is not followed')
  expect(existsSync(path)).toBe(true)
})

test('what is no regular file is refused at once', () => {
  expect(() => takeJobFile(join(jobFile('{}'), '..'))).toThrow('is not a regular file')
})

test('a file that is missing or too large is refused', () => {
  const path = jobFile('{}')
  expect(() => takeJobFile(`${path}.gone`)).toThrow('STANDIN_JOB_FILE: cannot be opened: ENOENT')
  truncateSync(path, MAX_JOB_BYTES + 1)
  expect(() => takeJobFile(path)).toThrow(`is larger than ${MAX_JOB_BYTES} bytes`)
})
