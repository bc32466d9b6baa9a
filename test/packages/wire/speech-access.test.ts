import { jobSchema, type Problem } from '@standin/wire/job.ts'
import { describe, expect, test } from 'vitest'
import { speechProblemsOf, transcriptionPlanOf } from '../../../packages/wire/speech-access.ts'

const URL = 'http://10.0.0.7:8000/v1'

function planned(transcription: Record<string, unknown>, environment: Record<string, string> = {}) {
  const problems: Problem[] = []
  const bot_id = '5b0d4f2e-7c55-4c86-9d2c-0f6a1f0c7f11'
  const job = jobSchema.parse({ bot_id, meeting_url: 'https://meet.google.com/abc-defg-hij', transcription })
  return { plan: transcriptionPlanOf(job, environment, problems), paths: problems.map(({ path }) => path), problems }
}

describe('which service transcribes', () => {
  test('is the operator’s own by default, after the meeting; a caller’s key goes first', () => {
    const environment = { STANDIN_TRANSCRIPTION_URL: URL, STANDIN_TRANSCRIPTION_KEY: '' }
    expect(planned({}, environment).plan).toEqual({
      access: {
        ...{ provider: 'Default', url: URL, key: null, model: 'whisper-1' },
        ...{ liveUrl: 'ws://10.0.0.7:8000/v1/realtime?intent=transcription', liveModel: 'gpt-live-transcribe' },
      },
      isLive: false,
      isAfterwards: true,
    })
    const { plan } = planned({ api_key: 'mine' }, { ...environment, STANDIN_TRANSCRIPTION_KEY: 'theirs' })
    expect(plan?.access.key).toBe('mine')
  })

  test('is a keyed one with the caller’s key or the operator’s, at its usual address or another', () => {
    expect(planned({ provider: 'deepgram', api_key: 'mine' }, { STANDIN_DEEPGRAM_KEY: 'theirs' }).plan?.access).toEqual(
      {
        ...{ provider: 'deepgram', key: 'mine', url: null },
      },
    )
    const environment = {
      STANDIN_ASSEMBLYAI_KEY: 'theirs',
      STANDIN_ASSEMBLYAI_URL: 'https://api.eu.assemblyai.com',
      STANDIN_ASSEMBLYAI_LIVE_URL: 'wss://streaming.eu.assemblyai.com',
    }
    expect(planned({ provider: 'assemblyai', mode: 'live_and_after' }, environment).plan).toEqual({
      access: {
        provider: 'assemblyai',
        key: 'theirs',
        url: environment.STANDIN_ASSEMBLYAI_URL,
        liveUrl: environment.STANDIN_ASSEMBLYAI_LIVE_URL,
      },
      isLive: true,
      isAfterwards: true,
    })
  })

  test('is the recognizer of this machine where no service is named, and the service of the operator knows languages', () => {
    expect(planned({}).plan?.access).toEqual({
      ...{ provider: 'local', name: 'Default', key: null, engine: 'sherpa-onnx-node', models: null },
    })
    const environment = { STANDIN_TRANSCRIPTION_URL: URL, STANDIN_TRANSCRIPTION_LANGUAGES: 'en' }
    for (const language of ['en', 'en-GB', 'English', 'EN'])
      expect(planned({ custom_params: { language } }, environment).paths).toEqual([])
    const problems = (hasModel: boolean) => speechProblemsOf({}, { hasModel }).Default.withoutKey?.message
    expect(problems(true)).toBeUndefined()
    expect(problems(false)).toContain('standin speech install')
  })

  test('is the platform itself for captions, which need no key and are live', () => {
    const expected = { access: { provider: 'captions', key: null }, isLive: true, isAfterwards: false }
    expect(planned({ provider: 'captions' }).plan).toEqual(expected)
  })
})

test.each([
  [
    'a language that the service does not know',
    { custom_params: { language: ['en', 'fr-CA'] } },
    { STANDIN_TRANSCRIPTION_URL: URL, STANDIN_TRANSCRIPTION_LANGUAGES: 'EN, de' },
    'transcription.custom_params.language',
  ],
  ['a keyed service without a key', { provider: 'deepgram' }, {}, 'transcription.api_key'],
  ['another one without', { provider: 'assemblyai', mode: 'live' }, {}, 'transcription.api_key'],
  ['captions afterwards', { provider: 'captions', mode: 'after' }, {}, 'transcription.mode'],
  ['an address that is none', {}, { STANDIN_TRANSCRIPTION_URL: 'speech' }, 'STANDIN_TRANSCRIPTION_URL'],
  [
    'a live address that is none',
    { mode: 'live' },
    { STANDIN_TRANSCRIPTION_URL: URL, STANDIN_TRANSCRIPTION_LIVE_URL: URL },
    'STANDIN_TRANSCRIPTION_LIVE_URL',
  ],
  [
    'live sound without encryption',
    { provider: 'assemblyai', api_key: 'k' },
    { STANDIN_ASSEMBLYAI_LIVE_URL: 'ws://localhost' },
    'STANDIN_ASSEMBLYAI_LIVE_URL',
  ],
])('%s is a problem with its path, which names no key', (_name, transcription, environment, path) => {
  const { paths, problems } = planned(transcription, { ...environment, STANDIN_TRANSCRIPTION_KEY: 'canary' })
  expect(paths).toEqual([path])
  expect(JSON.stringify(problems)).not.toContain('canary')
})
