import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAssemblyAi } from '../../../transcription/providers/assemblyai.ts'
import type { HeardWords } from '../../../transcription/types.ts'
import { startAssemblyAi, turn, wordsOf } from '../assemblyai-service.ts'

const SIGNAL = new AbortController().signal
const KEY = 'aai-canary-key'
const HELLO = [{ word: 'hello', start: 0.1, end: 0.4, probability: 0.9 }]
const FORMATTED = [{ word: 'Hello.', start: 0.1, end: 0.4, probability: 0.9 }]

function sound(): string {
  const folder = mkdtempSync(join(tmpdir(), 'standin-speech-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'audio.m4a')
  writeFileSync(file, 'not really sound')
  return file
}

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
  const made = await provider(service, given).afterwards!.transcribe(sound(), SIGNAL)
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
  await expect(provider(service).afterwards!.transcribe(sound(), SIGNAL)).resolves.toMatchObject({ words: [] })
  expect(service.asked.filter(({ path }) => path === 'POST /v2/upload')).toHaveLength(1)
})

test('what it cannot transcribe, and a refusal, are said without the key', async () => {
  const unfit = await startAssemblyAi({ poll: () => ({ body: { id: 't-1', status: 'error', error: `no, ${KEY}` } }) })
  await expect(provider(unfit).afterwards!.transcribe(sound(), SIGNAL)).rejects.toThrow(
    /^localhost:\d+ could not transcribe it: no, \[key\]$/,
  )
  const refused = await startAssemblyAi({ upload: () => ({ status: 401, body: { error: `Invalid API key ${KEY}` } }) })
  await expect(provider(refused).afterwards!.transcribe(sound(), SIGNAL)).rejects.toThrow(
    /^localhost:\d+ answered: Invalid API key \[key\]$/,
  )
})

test('an answer that is too long is given up at its limit, and not asked for again', async () => {
  const service = await startAssemblyAi({ submit: () => ({ body: 'x'.repeat(50_000_001) }) })
  const failure = provider(service).afterwards!.transcribe(sound(), SIGNAL)
  await expect(failure).rejects.toThrow('sent more than 50000000 bytes')
  expect(service.asked).toHaveLength(2)
})

test('a stop ends the wait for a transcript', async () => {
  const stop = new AbortController()
  const service = await startAssemblyAi({ poll: () => new Promise(() => {}) })
  const work = provider(service).afterwards!.transcribe(sound(), stop.signal)
  await expect.poll(() => service.asked.length).toBe(3)
  stop.abort(new Error('enough'))
  await expect(work).rejects.toThrow('enough')
})

async function opened(script: Parameters<typeof startAssemblyAi>[0], customParams = {}) {
  const service = await startAssemblyAi(script)
  const heard: HeardWords[] = []
  const lost: string[] = []
  const listener = { heard: (words: HeardWords) => heard.push(words), lost: (reason: string) => lost.push(reason) }
  const connection = await provider(service, customParams).live!.open(listener, SIGNAL)
  onTestFinished(() => connection.close())
  return { connection, heard, lost, service }
}

test('a turn is final once, with punctuation where that comes and without where it does not', async () => {
  const { connection, heard, lost, service } = await opened(
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
  expect(
    heard
      .filter(({ isFinal }) => isFinal)
      .map(({ words, raw }) => [(raw as { turn_order: number }).turn_order, words[0]?.word]),
  ).toEqual([
    [0, 'Hello.'],
    [1, 'hello'],
    [2, 'hello'],
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

test('a refused connection says whether another try may help', async () => {
  const listener = { heard: () => {}, lost: () => {} }
  for (const [status, isTransient] of [
    [401, false],
    [503, true],
  ] as const) {
    const service = await startAssemblyAi({ refuse: () => status })
    const failure = await provider(service)
      .live!.open(listener, SIGNAL)
      .catch((error) => error)
    expect(failure).toMatchObject({ isTransient, message: expect.stringContaining(String(status)) })
  }
})
