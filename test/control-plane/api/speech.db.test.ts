/** A provider of transcripts that the operator has not configured is refused at the request. */
import { randomUUID } from 'node:crypto'
import { speechProblemsOf } from '@standin/wire/speech-access.ts'
import { expect, test } from 'vitest'
import { MEET, openWorld } from '../world.ts'

const speech: Record<string, string> = {}
const recognizer = { hasModel: false, isOurs: false }
const world = await openWorld({
  api: { settings: { publicUrl: 'http://127.0.0.1', speech: () => speechProblemsOf(speech, recognizer) } },
})
const team = await world.team({ byok_transcription: true })

const newer = (transcription_config?: object) => ({
  bot_name: 'Notes',
  meeting_url: MEET,
  transcription_enabled: true,
  transcription_config,
})
const older = (speech_to_text: unknown) => ({
  ...{ bot_name: 'Notes', meeting_url: MEET, speech_to_text },
  deduplication_key: randomUUID(),
})

test.each([
  ['/v2/bots', newer(), 400, 'body/transcription_config no speech service is configured (STANDIN_TRANSCRIPTION_URL)'],
  [
    '/v2/bots',
    newer({ provider: 'deepgram' }),
    400,
    'body/transcription_config/api_key is missing: deepgram needs one (or STANDIN_DEEPGRAM_KEY)',
  ],
  [
    '/v2/bots/scheduled',
    { ...newer(), join_at: new Date(Date.now() + 3_600_000).toISOString() },
    400,
    'STANDIN_TRANSCRIPTION_URL',
  ],
  ['/bots', older('Default'), 422, 'body/speech_to_text no speech service is configured (STANDIN_TRANSCRIPTION_URL)'],
])('%s %j is refused', async (path, body, status, sentence) => {
  const answer = await team.post(path, body)
  expect({ status: answer.status, text: answer.text }).toEqual({ status, text: expect.stringContaining(sentence) })
})

test('in a batch only the item fails', async () => {
  const { body } = await team.post('/v2/bots/batch', [newer(), { ...newer(), transcription_enabled: false }])
  expect(body.errors).toMatchObject([{ index: 0, code: 'VALIDATION_ERROR' }])
  expect(body.data).toMatchObject([{ index: 1 }])
})

test('captions and the caller’s own key need no setting', async () => {
  expect((await team.post('/v2/bots', newer({ provider: 'captions' }))).status).toBe(201)
  expect((await team.post('/v2/bots', newer({ provider: 'deepgram', api_key: 'own' }))).status).toBe(201)
  expect((await team.post('/bots', older({ provider: 'AssemblyAI', api_key: 'own' }))).status).toBe(200)
})

test('a transcript that is made again needs the provider too', async () => {
  const id = await world.bot(team, newer({ provider: 'captions' }))
  const again = (body?: object) => team.post(`/v2/bots/${id}/retranscribe`, body)
  for (const [body, sentence] of [
    [undefined, 'STANDIN_TRANSCRIPTION_URL'],
    [{ transcription: { provider: 'assemblyai' } }, 'body/transcription/api_key is missing'],
  ] as const)
    expect(await again(body)).toMatchObject({ status: 400, text: expect.stringContaining(sentence) })
  expect((await again({ transcription: { provider: 'assemblyai', api_key: 'own' } })).status).not.toBe(400)
})

test('a configured provider is accepted', async () => {
  speech.STANDIN_TRANSCRIPTION_URL = 'http://127.0.0.1:9/v1'
  expect((await team.post('/v2/bots', newer())).status).toBe(201)
  expect((await team.post('/bots', older('Default'))).status).toBe(200)
  speech.STANDIN_TRANSCRIPTION_URL = 'ftp://127.0.0.1/'
  expect(await team.post('/v2/bots', newer())).toMatchObject({
    status: 400,
    body: { message: 'body/transcription_config STANDIN_TRANSCRIPTION_URL must start with https:// or http://' },
  })
})

test.each([
  ['of this machine', { hasModel: true, isOurs: true }, 'http://127.0.0.1:9/v1'],
  ['of each bot', { hasModel: true, isOurs: false }, ''],
])('the recognizer %s takes no key of the caller, which is said at the request', async (_, found, url) => {
  Object.assign(recognizer, found)
  speech.STANDIN_TRANSCRIPTION_URL = url
  expect((await team.post('/v2/bots', newer())).status).toBe(201)
  for (const provider of ['default', 'local', undefined]) {
    const answer = await team.post('/v2/bots', newer({ ...(provider && { provider }), api_key: 'own' }))
    const text = expect.stringContaining('body/transcription_config/api_key is not taken')
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 400, text })
  }
})
