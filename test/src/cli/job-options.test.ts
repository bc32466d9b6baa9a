import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { jobFrom, jobPlaceOf } from '../../../src/cli/job-options.ts'
import type { JoinOptions } from '../../../src/cli/join-options.ts'
import { takeSecrets } from '../../../src/cli/run.ts'
import { InvalidJob } from '../../../src/job/config.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const URL_OF_MEETING = 'https://meet.google.com/abc-defg-hij'
const folder = temporaryFolder()

describe('options as a job', () => {
  test('every bot gets its own id', () => {
    const ids = [1, 2].map(() => (jobFrom(URL_OF_MEETING, {}, {}) as { bot_id: string }).bot_id)
    expect(ids[0]).not.toBe(ids[1])
  })

  test('options overrule a job from a file, from standard input and from the environment', () => {
    const file = join(folder, 'job.json')
    writeFileSync(file, JSON.stringify({ bot_name: 'From file', timeout_config: { silence_timeout: 1 } }))
    expect(jobFrom(URL_OF_MEETING, { job: file, name: 'Mine', recordingTimeout: 9 }, {})).toMatchObject({
      meeting_url: URL_OF_MEETING,
      bot_name: 'Mine',
      timeout_config: { silence_timeout: 1, recording_timeout: 9 },
    })
    expect(jobFrom(undefined, { job: '-' }, {}, () => '{"bot_name":"piped"}')).toMatchObject({ bot_name: 'piped' })
    expect(jobFrom(undefined, { job: '-' }, {}, () => '\uFEFF{"bot_name":"piped"}')).toMatchObject({
      bot_name: 'piped',
    })
    expect(jobFrom(undefined, {}, { STANDIN_JOB: '{"bot_name":"env"}' })).toMatchObject({ bot_name: 'env' })
  })

  test.each<[JoinOptions, object]>([
    [{ notBefore: '2026-11-21T10:00:00+01:00' }, { not_before: '2026-11-21T10:00:00+01:00' }],
    [{ separateTracks: true }, { separate_tracks: true }],
    [
      { s3: 's3://calls/a/b', s3Endpoint: 'http://127.0.0.1:9' },
      { storage: { type: 's3', bucket: 'calls', prefix: 'a/b', endpoint: 'http://127.0.0.1:9' } },
    ],
  ])('%o are fields of the job', (options, fields) => {
    expect(jobFrom(URL_OF_MEETING, options, {})).toMatchObject(fields)
    expect(jobFrom(URL_OF_MEETING, {}, {})).not.toHaveProperty(Object.keys(fields)[0]!)
  })

  test('a picture file becomes a data: URL by its content, not by its name', () => {
    const file = join(folder, 'me.txt')
    writeFileSync(file, PNG)
    expect((jobFrom(URL_OF_MEETING, { image: file }, {}) as { bot_image: string }).bot_image).toMatch(
      /^data:image\/png;base64,/,
    )
    writeFileSync(file, 'not a picture')
    expect(() => jobFrom(URL_OF_MEETING, { image: file }, {})).toThrow('--image')
  })

  test.each([
    [{ transcribe: true }, {}],
    [{ captions: true }, { provider: 'captions' }],
    [
      { captions: true, transcriptionProvider: 'deepgram' },
      { provider: 'deepgram', mode: 'live' },
    ],
    [
      { captions: true, transcribe: true, transcriptionProvider: 'deepgram' },
      { provider: 'deepgram', mode: 'live_and_after' },
    ],
    [
      { transcriptionProvider: 'assemblyai', transcriptionLanguage: 'de' },
      { provider: 'assemblyai', custom_params: { language_code: 'de' } },
    ],
    [{ transcriptionLanguage: 'de' }, { custom_params: { language: 'de' } }],
  ] satisfies [JoinOptions, object][])('%o are what is asked of transcripts', (options, transcription) => {
    expect(jobFrom(URL_OF_MEETING, options, {})).toMatchObject({ transcription })
    expect((jobFrom(URL_OF_MEETING, {}, {}) as { transcription?: unknown }).transcription).toBeUndefined()
  })

  test('a job’s own provider stays where a person wants to read along', () => {
    const own = { transcription: { provider: 'deepgram', api_key: 'k', mode: 'live_and_after' } }
    const environment = { STANDIN_JOB: JSON.stringify(own) }
    expect(jobFrom(URL_OF_MEETING, { captions: true }, environment)).toMatchObject(own)
  })

  test.each([
    [{ job: '/nowhere/job.json' }, '--job'],
    [{ s3: 'calls' }, '--s3'],
    [{ s3: 's3://a', out: 'b' }, '--out'],
    [{ image: '/nowhere.png' }, '--image'],
    [{ teamsTokenFile: '/nowhere.jwt' }, '--teams-token-file'],
  ])('%o is refused naming the option', (options, path) => {
    try {
      jobFrom(URL_OF_MEETING, options, {})
      expect.unreachable()
    } catch (error) {
      expect((error as InvalidJob).problems[0]?.path).toBe(path)
    }
  })

  test('the secrets of the SDK come from the environment, where no list of processes shows them', () => {
    const environment = { STANDIN_CONF_SDK_PWD: 'secret', STANDIN_CONF_OBF_TOKEN: 'obf' }
    const options = { confSdkId: 'id', confAccessTokenUrl: 'https://tokens.test/' }
    expect(jobFrom('https://zoom.us/j/88240852079', options, environment)).toMatchObject({
      conf_sdk_id: 'id',
      conf_sdk_pwd: 'secret',
      conf_obf_token: 'obf',
      conf_access_token_url: 'https://tokens.test/',
    })
    // An environment that serves several bots gives its secrets only to those who ask for the SDK.
    expect(jobFrom('https://zoom.us/j/88240852079', {}, environment)).not.toHaveProperty('conf_sdk_pwd')
  })

  test('the token of a registered bot of Microsoft Teams comes from a file', () => {
    const file = join(folder, 'token.jwt')
    writeFileSync(file, 'eyJ0eXAi.e30.c2ln\n')
    expect(jobFrom(URL_OF_MEETING, { teamsTokenFile: file }, {})).toMatchObject({ teams_token: 'eyJ0eXAi.e30.c2ln' })
  })

  test('a job that is not JSON, or no object, is refused', () => {
    expect(() => jobFrom(undefined, {}, { STANDIN_JOB: '{' })).toThrow(InvalidJob)
    expect(() => jobFrom(undefined, {}, { STANDIN_JOB: '[1]' })).toThrow(InvalidJob)
  })
})

test('an error in the JSON of a job repeats no part of its text', () => {
  for (const text of [
    '{"token": s3cretvalue}',
    's3cretvalue',
    '{"conf_sdk_pwd": "s3cretvalue" x',
    '{"a": "s3cretvalue',
  ]) {
    try {
      jobFrom(undefined, {}, { STANDIN_JOB: text })
      expect.unreachable()
    } catch (error) {
      expect(error).toBeInstanceOf(InvalidJob)
      expect((error as Error).message).toMatch(/^STANDIN_JOB: not valid JSON( \(at character \d+\))?$/)
    }
  }
})

test('a job without an end is refused at its limit', () => {
  expect(() => jobFrom(undefined, { job: '/dev/zero' }, {})).toThrow('larger than')
})

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
    STANDIN_DEEPGRAM_KEY: 'key',
  }
  expect(takeSecrets(environment)).toMatchObject({ PATH: '/bin', STANDIN_JOB_TOKEN: 'one-time', STANDIN_JOB: '{}' })
  expect(environment).toEqual({ PATH: '/bin' })
})
