import { expect, test } from 'vitest'
import { createAssemblyAi } from '../../../../src/transcription/providers/assemblyai.ts'
import { startAssemblyAi, turn, wordsOf } from '../assemblyai-service.ts'
import { expectStop, openLive, transcribed } from './provider-test.ts'

const KEY = 'aai-canary-key'
const HELLO = [{ word: 'hello', start: 0.1, end: 0.4, probability: 0.9 }]
const FORMATTED = [{ word: 'Hello.', start: 0.1, end: 0.4, probability: 0.9 }]

const provider = (place: { url: string; liveUrl: string }, customParams: Record<string, unknown> = {}) =>
  createAssemblyAi({ ...place, key: KEY, customParams, retryMs: 1, pollMs: 1 })

test('a sound is sent up, asked for with the caller’s parameters and waited for', async () => {
  const service = await startAssemblyAi({
    poll: (number) =>
      number < 3
        ? { body: { id: 't-1', status: number === 1 ? 'queued' : 'processing' } }
        : { body: { id: 't-1', status: 'completed', language_code: 'en', words: wordsOf(FORMATTED) } },
  })
  const given = { speaker_labels: true, audio_url: 'https://elsewhere.example/sound' }
  const made = await transcribed(provider(service, given))
  expect(made).toMatchObject({
    language: 'en',
    words: [{ word: 'Hello.', start: 0.1, end: 0.4, confidence: 0.9 }],
    raw: { id: 't-1', status: 'completed' },
  })
  expect(service.asked.map(({ path }) => path)).toEqual([
    'POST /v2/upload',
    'POST /v2/transcript',
    ...Array(3).fill('GET /v2/transcript/t-1'),
  ])
  expect(service.asked.every(({ authorization }) => authorization === KEY)).toBe(true)
  expect(service.asked[0]!.body.toString()).toBe('not really sound')
  expect(JSON.parse(service.asked[1]!.body.toString())).toEqual({
    language_detection: true,
    speaker_labels: true,
    audio_url: `${service.url}/upload/1`,
  })
})

test('a failure that passes is tried again where it happened; the sound is sent once', async () => {
  const service = await startAssemblyAi({
    submit: (_request, number) =>
      number === 1 ? { status: 503, body: { error: 'busy' } } : { body: { id: 't-1', status: 'queued' } },
    poll: (number) =>
      number === 1 ? { status: 500, body: { error: 'oops' } } : { body: { id: 't-1', status: 'completed', words: [] } },
  })
  await expect(transcribed(provider(service))).resolves.toMatchObject({ words: [] })
  expect(service.asked.filter(({ path }) => path === 'POST /v2/upload')).toHaveLength(1)
})

test('what it cannot transcribe, and a refusal, are said without the key', async () => {
  const unfit = await startAssemblyAi({ poll: () => ({ body: { id: 't-1', status: 'error', error: `no, ${KEY}` } }) })
  await expect(transcribed(provider(unfit))).rejects.toThrow(/^localhost:\d+ could not transcribe it: no, \[key\]$/)
  const refused = await startAssemblyAi({ upload: () => ({ status: 401, body: { error: `Invalid API key ${KEY}` } }) })
  await expect(transcribed(provider(refused))).rejects.toThrow(
    /^localhost:\d+ answered with status 401: .*Invalid API key \[key\]"}$/,
  )
})

test('a text without words keeps all of it', async () => {
  const service = await startAssemblyAi({
    poll: () => ({ body: { id: 't-1', status: 'completed', text: 'Hello there, Ann.', words: null } }),
  })
  expect(await transcribed(provider(service))).toMatchObject({ words: [], untimed: 'Hello there, Ann.' })
})

test('an answer that is too long is given up at its limit, and not asked for again', async () => {
  const service = await startAssemblyAi({ submit: () => ({ body: 'x'.repeat(50_000_001) }) })
  const failure = transcribed(provider(service))
  await expect(failure).rejects.toThrow('sent more than 50000000 bytes')
  expect(service.asked).toHaveLength(2)
})

test('a stop ends the wait for a transcript', async () => {
  const service = await startAssemblyAi({ poll: () => new Promise(() => {}) })
  await expectStop(provider(service), () => service.asked.length, 3)
})

async function opened(script: Parameters<typeof startAssemblyAi>[0], customParams = {}) {
  const service = await startAssemblyAi(script)
  return { service, ...(await openLive(provider(service, customParams).live!)) }
}

test('a turn is final once, with punctuation where that comes and without where it does not', async () => {
  const { connection, heard, finals, lost, service } = await opened(
    {
      sound(session) {
        session.say(turn(0, HELLO, { ends: false, isFormatted: false }))
        session.say(turn(0, HELLO, { ends: true, isFormatted: false }))
        session.say(turn(0, FORMATTED, { ends: true, isFormatted: true }))
        session.say(turn(1, HELLO, { ends: true, isFormatted: false }))
        session.say(turn(2, HELLO, { ends: true, isFormatted: false }))
      },
      text(session, { type }) {
        if (type !== 'Terminate') return
        session.say({ type: 'Termination', audio_duration_seconds: 1, session_duration_seconds: 1 })
        session.socket.close(1000)
      },
    },
    // The last two would take the key to another place, or replace it.
    {
      keyterms_prompt: ['Berg'],
      end_of_turn_confidence_threshold: 0.5,
      websocket_base_url: 'wss://elsewhere.example/v3/ws',
      token: 'other',
    },
  )
  connection.send(new Uint8Array(3200))
  await expect.poll(() => heard.length).toBeGreaterThanOrEqual(5)
  await connection.finish(AbortSignal.timeout(20_000))
  expect(finals()).toMatchObject([
    { raw: { turn_order: 0 }, words: [{ word: 'Hello.' }] },
    { raw: { turn_order: 1 }, words: [{ word: 'hello' }] },
    { raw: { turn_order: 2 }, words: [{ word: 'hello' }] },
  ])
  expect(lost).toEqual([])
  const [session] = service.sessions
  expect(session!.authorization).toBe(KEY)
  expect(Object.fromEntries(session!.query)).toEqual({
    sample_rate: '16000',
    encoding: 'pcm_s16le',
    format_turns: 'true',
    speech_model: 'universal-streaming-multilingual',
    keyterms_prompt: '["Berg"]',
    end_of_turn_confidence_threshold: '0.5',
  })
})

test('a connection that breaks is reported once, after the words that were held', async () => {
  const { connection, heard, lost } = await opened({
    sound(session) {
      session.say(turn(0, HELLO, { ends: true, isFormatted: false }))
      session.socket.close(3005, 'session expired')
    },
  })
  connection.send(new Uint8Array(3200))
  await expect.poll(() => lost).toEqual([expect.stringContaining('3005')])
  expect(heard.at(-1)).toMatchObject({ isFinal: true, words: [{ word: 'hello' }] })
  connection.send(new Uint8Array(3200))
  await connection.finish(AbortSignal.timeout(5000))
  expect(lost).toHaveLength(1)
})

test.each([
  [401, false],
  [503, true],
])('a connection refused with %i says whether another try may help: %s', async (status, isTransient) => {
  const message = expect.stringContaining(String(status))
  await expect(opened({ refuse: () => status })).rejects.toMatchObject({ isTransient, message })
})
