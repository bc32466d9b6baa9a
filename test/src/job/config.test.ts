import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { InvalidJob, readConfig, type Settings } from '../../../src/job/config.ts'
import { checkEngine } from '../../../src/wiring/transcription.ts'

const BOT_ID = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
const MEETING = 'https://meet.google.com/abc-defg-hij'

function settings(job: Record<string, unknown> = {}, rest: Partial<Settings> = {}): Settings {
  return { job: { bot_id: BOT_ID, meeting_url: MEETING, ...job }, hostMap: [], environment: {}, ...rest }
}

function problems(from: Settings): readonly string[] {
  try {
    readConfig(from)
  } catch (error) {
    if (error instanceof InvalidJob) return error.problems.map(({ path }) => path)
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('a planned time (not_before)', () => {
  const now = Date.parse('2026-11-21T09:00:00Z')

  test.each(['2026-11-22T09:00:00Z', '2026-11-21T10:30:00+01:00', '2026-11-21T09:00:30.250Z', '2020-01-01T00:00:00Z'])(
    '%s is accepted',
    (not_before) => {
      expect(readConfig(settings({ not_before }, { now })).job.not_before).toBe(not_before)
    },
  )

  test.each([
    ['2026-11-22T09:00:01Z', 'is more than 24 hours ahead'],
    ['2026-11-22T10:00:01+00:30', 'is more than 24 hours ahead'],
    ['2026-11-21T10:00:00', 'must be an instant with its offset'],
  ])('%s is refused: %s', (not_before, message) => {
    expect(() => readConfig(settings({ not_before }, { now }))).toThrow(`not_before: ${message}`)
  })
})

describe('configuration', () => {
  test('puts the recording in a folder named by the bot', () => {
    const config = readConfig(settings({ storage: { type: 'folder', path: 'out' } }))
    expect(config.workFolder).toBe(resolve('out', BOT_ID))
    expect(Object.isFrozen(config)).toBe(true)
  })

  test('works in a folder of the user where the files go to S3', () => {
    const storage = { type: 's3', bucket: 'calls' }
    expect(readConfig(settings({ storage })).workFolder).toBe(join(tmpdir(), `standin-${process.geteuid!()}`, BOT_ID))
    const elsewhere = readConfig(settings({ storage }, { environment: { STANDIN_WORK_FOLDER: '/data' } }))
    expect(elsewhere.workFolder).toBe(`/data/${BOT_ID}`)
  })

  test.each(['talk.example.org', 'meet.example.com', 'calls.example.net'])(
    "recognizes the operator's own Jitsi host %s, from the command line and the environment",
    (host) => {
      const job = { meeting_url: `https://${host}/Weekly` }
      const own = {
        jitsiHosts: ['talk.example.org'],
        environment: { STANDIN_JITSI_HOSTS: ' meet.example.com, , calls.example.net' },
      }
      expect(readConfig(settings(job, own)).target).toMatchObject({ platform: 'jitsi', host })
      expect(problems(settings(job))).toEqual(['meeting_url'])
    },
  )

  test('adds the names of bots that the operator knows', () => {
    const environment = { STANDIN_BOT_NAMES: 'Protokoll, Acme Scribe' }
    const { bot_names: names } = readConfig(settings({}, { environment })).job.timeout_config
    expect(names).toEqual(expect.arrayContaining(['notetaker', 'Protokoll', 'Acme Scribe']))
  })

  test('reports everything that is wrong together', () => {
    const wrong = settings(
      { meeting_url: 'https://example.com', frame_rate: 7, nonsense: 1 },
      { hostMap: ['meet.google.com'], environment: { STANDIN_LOG_LEVEL: 'loud' } },
    )
    expect([...problems(wrong)].sort()).toEqual(
      ['--map-host', 'STANDIN_LOG_LEVEL', 'frame_rate', 'meeting_url', 'nonsense'].sort(),
    )
  })

  test.each([
    ['wss://127.0.0.1:1/', 'not a public address'],
    ['wss://[::1]:1/', 'not a public address'],
    ['wss://agent.localhost/', 'not a public address'],
    ['ws://agent.example/', 'must start with wss://'],
  ])('refuses to stream to %s unless the operator allows it', (output, message) => {
    const job = { streaming: { output } }
    expect(problems(settings(job))).toEqual(['streaming.output'])
    expect(() => readConfig(settings(job))).toThrow(message)
    const permitted = new Set(['streaming.output'])
    expect(readConfig(settings(job, { environment: { STANDIN_PRIVATE_STREAMS: 'allow' } })).permitted).toEqual(
      permitted,
    )
    expect(readConfig(settings(job, { typed: ['streaming.output'] })).permitted).toEqual(permitted)
  })

  test('streams to a public address without permission', () => {
    expect(readConfig(settings({ streaming: { input: 'wss://agent.example/' } })).permitted).toEqual(new Set())
  })

  test('a transcript is made by the recognizer of this machine unless a speech service is named', () => {
    const job = { transcription: {} }
    expect(readConfig(settings(job)).transcription?.access.provider).toBe('local')
    const environment = { STANDIN_TRANSCRIPTION_URL: 'http://10.0.0.7:8000/v1' }
    expect(readConfig(settings(job, { environment })).transcription?.access.provider).toBe('Default')
  })

  test.each([
    ['meet.google.com=127.0.0.1:8443', { host: 'meet.google.com', address: '127.0.0.1:8443' }],
    ['Meet.Google.com=localhost:1', { host: 'meet.google.com', address: '127.0.0.1:1' }],
    ['a.example=[::1]:8443', { host: 'a.example', address: '[::1]:8443' }],
    ...['meet.google.com=evil.example:1', 'a,b=127.0.0.1:1', '*=127.0.0.1:1', 'a=127.0.0.1'].map(
      (text) => [text, null] as const,
    ),
  ] as const)('reads --map-host %s as %j', (text, mapping) => {
    const given = settings({}, { hostMap: [text] })
    if (mapping) expect(readConfig(given).hostMap).toEqual([mapping])
    else expect(problems(given)).toEqual(['--map-host'])
  })

  test('refuses a transcript by an engine that has no model here', () => {
    const job = { transcription: { provider: 'local' } }
    const config = readConfig(settings(job, { environment: { STANDIN_SPEECH_MODEL: '/no/such/folder' } }))
    expect(() => checkEngine(config)).toThrow(InvalidJob)
  })

  test('refuses parameters of a transcript whose answer could not be read', () => {
    const refused = (format: string, mode: string) => {
      const transcription = { provider: 'Default', mode, custom_params: { response_format: format } }
      const environment = { STANDIN_TRANSCRIPTION_URL: 'http://127.0.0.1:1/v1' }
      const config = readConfig(settings({ transcription }, { environment }))
      return () => checkEngine(config)
    }
    expect(refused('srt', 'after')).toThrow(InvalidJob)
    expect(refused('json', 'after')).not.toThrow()
    expect(refused('srt', 'live')).not.toThrow()
  })

  test('a meeting link that is too long is one problem', () => {
    expect(problems(settings({ meeting_url: 'a'.repeat(150_000) }))).toEqual(['meeting_url'])
  })

  test('a job that is no object is one problem, not a crash', () => {
    for (const job of [null, 7, 'x', []]) expect(problems(settings({}, { job }))).toEqual([''])
  })
})
