import { describe, expect, test } from 'vitest'
import { jobPlaceOf } from '../../../src/cli/job-place.ts'
import { takeSecrets } from '../../../src/cli/run.ts'

describe('the place a job is taken from', () => {
  test.each([
    [{ job: 'job.json' }, {}, { from: '--job', value: 'job.json' }],
    [{ jobUrl: 'https://c.test/j' }, {}, { from: '--job-url', value: 'https://c.test/j' }],
    [{}, { STANDIN_JOB: '{}' }, { from: 'STANDIN_JOB', value: '{}' }],
    [{}, { STANDIN_JOB_FILE: '/run/job' }, { from: 'STANDIN_JOB_FILE', value: '/run/job' }],
    [{}, { STANDIN_JOB_URL: 'https://c.test/j' }, { from: 'STANDIN_JOB_URL', value: 'https://c.test/j' }],
    [{ job: '-' }, { STANDIN_JOB: '{}', STANDIN_JOB_FILE: '/run/job' }, { from: '--job', value: '-' }],
    [
      {},
      { STANDIN_JOB: '', STANDIN_JOB_URL: 'https://c.test/j' },
      { from: 'STANDIN_JOB_URL', value: 'https://c.test/j' },
    ],
  ])('%o with %o', (options, environment, place) => {
    expect(jobPlaceOf(options, environment)).toEqual(place)
  })

  test('is none if options alone describe the job', () => {
    expect(jobPlaceOf({}, {})).toBeNull()
  })

  test('two places are refused by name', () => {
    expect(() => jobPlaceOf({ job: '-', jobUrl: 'https://c.test/j' }, {})).toThrow('--job-url: excludes --job')
    expect(() => jobPlaceOf({}, { STANDIN_JOB: '{}', STANDIN_JOB_FILE: '/run/job' })).toThrow(
      'STANDIN_JOB_FILE: excludes STANDIN_JOB',
    )
  })
})

test('secrets leave the environment that child processes inherit', () => {
  const environment: Record<string, string | undefined> = {
    PATH: '/bin',
    STANDIN_JOB: '{}',
    STANDIN_JOB_TOKEN: 'one-time',
    STANDIN_CONTROL_TOKEN: 'link',
  }
  expect(takeSecrets(environment)).toMatchObject({ PATH: '/bin', STANDIN_JOB_TOKEN: 'one-time', STANDIN_JOB: '{}' })
  expect(environment).toEqual({ PATH: '/bin' })
})
