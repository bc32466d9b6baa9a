import type { Problem } from '@standin/wire/job.ts'
import { expect, test } from 'vitest'
import { voiceAccessOf } from '../../../packages/wire/voice-access.ts'

const URL = 'http://10.0.0.7:8880/v1'
const SERVICE = { kind: 'service', url: URL, key: null, model: 'gpt-4o-mini-tts', voice: 'alloy' }

test.each<[environment: Record<string, string>, voice: object, wrong?: string[]]>([
  [{}, { kind: 'flite', voice: 'slt' }],
  [
    { STANDIN_VOICE_NAME: 'rms', STANDIN_VOICE_URL: '' },
    { kind: 'flite', voice: 'rms' },
  ],
  [{ STANDIN_VOICE_NAME: '/etc/passwd' }, { kind: 'flite' }, ['STANDIN_VOICE_NAME']],
  [{ STANDIN_VOICE_URL: URL }, SERVICE],
  [
    { STANDIN_VOICE_URL: URL, STANDIN_VOICE_KEY: 'k', STANDIN_VOICE_NAME: 'af_heart' },
    { key: 'k', voice: 'af_heart' },
  ],
  [{ STANDIN_VOICE_URL: 'ftp://x/' }, { kind: 'service' }, ['STANDIN_VOICE_URL']],
  [{ STANDIN_VOICE_URL: URL, STANDIN_VOICE_MODEL: '/m' }, { kind: 'service' }, ['STANDIN_VOICE_MODEL']],
  [
    { STANDIN_VOICE_MODEL: '/m', STANDIN_VOICE_NAME: '3' },
    { kind: 'model', folder: '/m', voice: 3 },
  ],
  [{ STANDIN_VOICE_MODEL: '/m', STANDIN_VOICE_NAME: 'slt' }, { kind: 'model' }, ['STANDIN_VOICE_NAME']],
])('%j', (environment, voice, wrong = []) => {
  const problems: Problem[] = []
  expect(voiceAccessOf({}, environment, problems)).toMatchObject(voice)
  expect(problems.map(({ path }) => path)).toEqual(wrong)
})

test('the key of the job goes before that of the environment', () => {
  const environment = { STANDIN_VOICE_URL: URL, STANDIN_VOICE_KEY: 'theirs' }
  expect(voiceAccessOf({ voice_api_key: 'mine' }, environment, [])).toMatchObject({ key: 'mine' })
})
