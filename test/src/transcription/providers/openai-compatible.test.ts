import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { recognizedIn, wordsOf } from '../../../../src/transcription/providers/openai-answer.ts'
import { createOpenAiCompatible } from '../../../../src/transcription/providers/openai-compatible.ts'
import type { Answer } from '../service.ts'
import { startSpeechService } from '../speech-service.ts'
import { expectPatience, expectStop, transcribed } from './provider-test.ts'

const WORDS = [{ word: 'Hello', start: 0.1, end: 0.4 }]

function provider(url: string, customParams: Record<string, unknown> = {}, key: string | null = 'sk-secret') {
  const liveUrl = 'ws://127.0.0.1:9/v1/realtime'
  return createOpenAiCompatible({ url, key, model: 'whisper-1', liveUrl, liveModel: 'live', customParams, retryMs: 1 })
}

test('asks as the interface has it: model, verbose answer, times of words, the key as a bearer', async () => {
  const service = await startSpeechService(() => ({ body: { text: 'Hello', language: 'english', words: WORDS } }))
  const made = await transcribed(provider(service.url, { language: 'en', prompt: 'Names: Ann' }))
  expect(made).toMatchObject({
    language: 'english',
    words: [{ word: 'Hello', start: 0.1, end: 0.4, confidence: null }],
  })
  const [asked] = service.asked
  expect(asked).toMatchObject({ path: '/v1/audio/transcriptions', authorization: 'Bearer sk-secret' })
  expect(asked!.fields).toEqual([
    ['model', 'whisper-1'],
    ['response_format', 'verbose_json'],
    ['language', 'en'],
    ['prompt', 'Names: Ann'],
    ['timestamp_granularities[]', 'word'],
    ['timestamp_granularities[]', 'segment'],
  ])
  expect(Buffer.from(asked!.file).toString()).toBe('not really sound')
})

test('a server without keys is asked without one, and a caller cannot replace the file', async () => {
  const service = await startSpeechService(() => ({ body: { text: '', words: WORDS } }))
  await transcribed(provider(service.url, { file: 'other', model: 'large-v3' }, null))
  expect(service.asked[0]?.authorization).toBeUndefined()
  expect(service.asked[0]?.fields).toContainEqual(['model', 'large-v3'])
  expect(service.asked[0]?.file.byteLength).toBe(16)
})

test.each([
  ['overload', { status: 429, headers: { 'retry-after': '0.01' }, body: 'slow down' }],
  ['its own failure', { status: 503, body: 'starting' }],
] satisfies [string, Answer][])('%s is tried again', async (_name, failure) => {
  const service = await startSpeechService((_asked, number) => (number < 3 ? failure : { body: { words: WORDS } }))
  await transcribed(provider(service.url))
  expect(service.asked).toHaveLength(3)
})

test.each([
  ['a wrong key', { status: 401, body: { error: 'invalid key' } }, 'answered with status 401'],
  ['an answer without a body', { status: 204, body: '' }, 'no transcription'],
  ['an answer that is no JSON', { body: '<html>' }, 'no transcription'],
  ['words without times', { body: { words: [{ word: 'Hello' }] } }, 'no transcription'],
] satisfies [string, Answer, string][])('%s is said at once, and the key is not', async (_name, answer, sentence) => {
  const service = await startSpeechService(() => answer)
  const failure = await transcribed(provider(service.url)).catch((error) => error as Error)
  expect(failure).toMatchObject({ message: expect.stringContaining(sentence) })
  expect(String(failure)).not.toContain('sk-secret')
  expect(service.asked).toHaveLength(1)
})

test('an answer without an end is given up at its limit, and not asked for again', async () => {
  const service = await startSpeechService(() => ({ body: 'x'.repeat(50_000_001) }))
  const failure = transcribed(provider(service.url))
  await expect(failure).rejects.toThrow('gave no whole answer: sent more than 50000000 bytes')
  expect(service.asked).toHaveLength(1)
})

test('a service that cannot be reached is reported after its tries, with the host', async () => {
  const failure = await transcribed(provider('http://127.0.0.1:9/v1')).catch((error) => error as Error)
  expect(failure).toMatchObject({ message: expect.stringMatching(/^127\.0\.0\.1:9 could not be asked: /) })
})

test('a stop ends the wait', async () => {
  const service = await startSpeechService(() => new Promise(() => {}))
  await expectStop(provider(service.url), () => service.asked.length, 1)
})

test('an answer is waited for longer than the five minutes of `fetch`, and asked for once', async () => {
  const service = await startSpeechService(() => delay(1500, { body: { words: WORDS } }))
  await expectPatience(provider(service.url))
  expect(service.asked).toHaveLength(1)
})

test('times come from the words, from the words of segments, or from how long each word is', () => {
  const segment = { start: 10, end: 14, text: ' One three' }
  expect(wordsOf({ words: WORDS, segments: [segment] })).toHaveLength(1)
  const inner = { word: ' One', start: 10, end: 10.5, probability: 0.9 }
  // The segment has a word more than its words.
  expect(wordsOf({ segments: [{ ...segment, words: [inner] }] })).toEqual([
    { word: 'One', start: 10, end: 10.5, confidence: 0.9 },
    { word: 'three', start: 10.5, end: 10.85, confidence: null },
  ])
  expect(wordsOf({ segments: [segment] })).toEqual([
    { word: 'One', start: 10, end: 11.5, confidence: null },
    { word: 'three', start: 11.5, end: 14, confidence: null },
  ])
  expect(wordsOf({ text: 'a b', duration: 2 }).map(({ start }) => start)).toEqual([0, 1])
  expect(wordsOf({})).toEqual([])
})

const said = (answer: Parameters<typeof wordsOf>[0]) => wordsOf(answer).map(({ word }) => word)
const token = (word: string, start?: number | null, end?: number | null) => ({ word, start, end })

test('odd times lose no word: absent, null, negative, equal', () => {
  const four = [token('cost', 1, 1.3), token('is', 1.4, 1.5), token('2266'), token('okay', 2.6, 3)]
  expect(wordsOf({ text: 'cost is 2266 okay', words: four })[2]).toMatchObject({ word: '2266', start: 1.5, end: 2.6 })
  expect(wordsOf({ words: [token('Hello', -0.02, 0.4), token('there', 0.5, null)] })[0]).toMatchObject({ start: 0 })
  expect(wordsOf({ words: [token('a', 3, 3)] })).toEqual([{ word: 'a', start: 3, end: 3.35, confidence: null }])
  const segments = [
    { start: 1, end: 2, text: 'Hello' },
    { start: 2, end: null, text: 'there' },
  ]
  expect(said({ text: 'Hello there', segments })).toEqual(['Hello', 'there'])
})

test('what is no speech by the service’s own figures, and marks of sounds, are no words; a service that is sure is believed', () => {
  const noise = { start: 2, end: 4, text: ' Thank you', no_speech_prob: 0.9, avg_logprob: -1.2 }
  const spoken = { start: 0, end: 2, text: ' Hello', no_speech_prob: 0.9, avg_logprob: -0.2 }
  const mark = { start: 4, end: 6, text: ' [BLANK_AUDIO]' }
  const segments = [spoken, noise, mark]
  const words = [token('Hello', 0, 1), token('Thank', 2, 2.5), token('you', 3, 3.5)]
  const text = 'Hello Thank you [BLANK_AUDIO]'
  for (const answer of [{ segments }, { segments, text }, { segments, text, words }])
    expect(said(answer)).toEqual(['Hello'])
  for (const answer of [
    { segments: [mark, noise] },
    { text: '[BLANK_AUDIO]', duration: 3 },
    { words: [token('(music)', 0, 1)] },
  ])
    expect(said(answer)).toEqual([])
  expect(recognizedIn({ text: ' [BLANK_AUDIO]\n' })).toMatchObject({ words: [], untimed: '' })
})

const FORMAT = 'response_format is not supported by this model'
test.each([
  [400, FORMAT, 2],
  [415, FORMAT, 2],
  [422, FORMAT, 2],
  [501, FORMAT, 2],
  [200, FORMAT, 2],
  [406, 'Not Acceptable', 2],
  [500, "got an unexpected keyword argument 'word_timestamps'", 3],
  [405, 'timestamp_granularities is not allowed', 3],
])('a refusal with %i and "%s" is met without what is ours, also for later pieces', async (status, message, first) => {
  const service = await startSpeechService(({ fields }) =>
    fields.some(([field, value]) => field.startsWith('timestamp') || value === 'verbose_json')
      ? { status, body: { error: { message } } }
      : { body: { text: 'Hello' } },
  )
  const plain = provider(service.url)
  for (const asked of [first, first + 1]) {
    expect((await transcribed(plain)).untimed).toBe('Hello')
    expect(service.asked).toHaveLength(asked)
  }
})

test('the refusal that is left is the one that is said; a used-up quota is asked once', async () => {
  const refusals = ['timestamp_granularities is not supported', "language 'xx' is not supported"]
  const deciding = await startSpeechService(({ fields }) => {
    const hasTimes = fields.some(([field]) => field.startsWith('timestamp'))
    return { status: 400, body: { error: { message: refusals[hasTimes ? 0 : 1] } } }
  })
  await expect(transcribed(provider(deciding.url))).rejects.toThrow(refusals[1])
  for (const status of [400, 429]) {
    const empty = await startSpeechService(() => ({ status, body: { error: { code: 'insufficient_quota' } } }))
    await expect(transcribed(provider(empty.url))).rejects.toThrow('insufficient_quota')
    await expect(transcribed(provider(empty.url, { response_format: 'srt' }))).rejects.toThrow('"srt"')
    expect(empty.asked).toHaveLength(1)
  }
})

test('a refusal that names no parameter is met without ours, and stays if that is no help', async () => {
  const service = await startSpeechService(({ fields }) =>
    fields.some(([field, value]) => field.startsWith('timestamp') || value === 'verbose_json')
      ? { status: 400, body: { error: 'bad request' } }
      : { body: { text: 'Good morning all of you.', usage: { type: 'tokens' } } },
  )
  const made = await transcribed(provider(service.url))
  expect(made.untimed).toBe('Good morning all of you.')
  const stubborn = await startSpeechService(() => ({ status: 400, body: { error: 'bad request' } }))
  await expect(transcribed(provider(stubborn.url))).rejects.toThrow('status 400')
  expect(stubborn.asked).toHaveLength(2)
})
