/** The speech server with its recognizers in processes: words live and of recordings, through crashes, growth and hostile requests. */
import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@standin/wire/time/deadline.ts'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { silentLogger } from '../../../packages/core/logger.ts'
import { localSpeech } from '../../../src/speech/child.ts'
import { type RecognizerOptions, Recognizers, UnusableModel } from '../../../src/speech/recognizers.ts'
import { startSpeechServer } from '../../../src/speech/server.ts'
import { LiveWords } from '../../../src/transcription/live-words.ts'
import { createLocal } from '../../../src/transcription/providers/local.ts'
import type { LiveRecognition } from '../../../src/transcription/types.ts'
import { temporaryFolder } from '../../fakes/at-end.ts'
import { RATE, silence, wordSound } from '../transcription/realtime-service.ts'

const ENGINE = join(import.meta.dirname, 'stand-in-engine.ts')
const SIGNAL = new AbortController().signal
const KEY = 'key-of-the-test'

function model(orders: Record<string, string> = {}): { engine: string; models: string } {
  const folder = temporaryFolder()
  for (const [file, text] of Object.entries({ model: '', ...orders })) writeFileSync(join(folder, file), text)
  return { engine: ENGINE, models: folder }
}

async function serve(orders: Record<string, string> = {}, options: Partial<RecognizerOptions> = {}) {
  const server = await startSpeechServer({
    ...model(orders),
    host: '127.0.0.1',
    port: 0,
    key: KEY,
    count: 1,
    ...options,
  })
  onTestFinished(() => server.close())
  const provider = createLocal({ name: 'local', open: async () => ({ url: server.url, key: KEY }), customParams: {} })
  return { ...server, provider }
}

/** Processes below this one that run this file. */
const running = (name: string) =>
  readdirSync('/proc')
    .map(Number)
    .filter((id) => {
      try {
        const parent = Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1])
        return parent === process.pid && readFileSync(`/proc/${id}/cmdline`, 'utf8').includes(name)
      } catch {
        return false
      }
    })

function recording(...sound: Buffer[]): string {
  const file = join(temporaryFolder(), 'sound.wav')
  const raw = ['-f', 's16le', '-ar', String(RATE), '-ac', '1', '-i', '-']
  execFileSync('ffmpeg', ['-v', 'error', ...raw, file], { input: Buffer.concat(sound) })
  return file
}

/** A meeting that is heard, and what comes of it. */
function listen(recognition: LiveRecognition) {
  const finals: string[] = []
  const partials: string[] = []
  const notices: string[] = []
  const words = new LiveWords({
    ...{ recognition, clock: systemClock, logger: silentLogger, notice: (sentence) => notices.push(sentence) },
    onWords: ({ isFinal, words: heard }) => (isFinal ? finals : partials).push(heard.map(({ word }) => word).join(' ')),
  })
  onTestFinished(() => words.close())
  const play = (...sound: Buffer[]) => {
    const all = Buffer.concat(sound)
    for (let at = 0; at < all.byteLength; at += RATE / 5) words.send(all.subarray(at, at + RATE / 5))
  }
  return { words, finals, partials, notices, play }
}

test.each(['crash-at', 'hang-at'])(
  'live words come in their order from a niced recognizer, and once more after %s',
  async (order) => {
    const { provider, recognizers } = await serve({ [order]: 'w3' }, { turnMs: 2_000 })
    const { words, finals, partials, play } = listen(provider.live!)
    play(...[1, 2, 1, 2].map(wordSound), silence(1))
    await expect.poll(() => finals).toEqual(['w1 w2 w1 w2'])
    expect(getPriority(running('recognizer-process')[0]!)).toBe(5)
    play(wordSound(3), wordSound(4), silence(1), wordSound(5), silence(1))
    await expect.poll(() => finals).toEqual(['w1 w2 w1 w2', 'w3 w4', 'w5'])
    await words.close()
    expect(partials[0]).toMatch(/^w1/)
    expect(recognizers.counts.crashed).toBe(1)
    expect({ holes: words.holes, failure: words.failure }).toEqual({ holes: [], failure: null })
  },
)

test('a speaker who follows another without a pause keeps the first words, although the change is known late', async () => {
  const { provider } = await serve()
  const { words, finals, play } = listen(provider.live!)
  play(...[1, 2, 3].map(wordSound), silence(0.2), ...[4, 5].map(wordSound))
  words.cut()
  play(...[6, 7].map(wordSound), silence(1))
  await expect.poll(() => finals).toEqual(['w1 w2 w3', 'w4 w5 w6 w7'])
  // It is their turn already.
  play(wordSound(1))
  words.cut()
  play(wordSound(2), silence(1))
  await expect.poll(() => finals.slice(2)).toEqual(['w1 w2'])
  await words.close()
  expect(words.holes).toEqual([])
})

test('no word is missing or comes twice after SIGKILL of the speech process, live and afterwards', async () => {
  const provider = createLocal({ name: 'local', open: localSpeech(model({ slow: '300' })), customParams: {} })
  const { words, finals, play } = listen(provider.live!)
  const kill = () => process.kill(running('server-process')[0]!, 'SIGKILL')
  play(wordSound(1), silence(1))
  await expect.poll(() => finals).toEqual(['w1'])
  // In a turn, and while the end of the one before it waits for its words.
  play(wordSound(2), wordSound(3), silence(1), wordSound(4))
  kill()
  play(wordSound(5), silence(1), wordSound(6), silence(1))
  await expect.poll(() => finals, { timeout: 20_000 }).toEqual(['w1', 'w2 w3', 'w4 w5', 'w6'])
  const file = recording(wordSound(1), silence(1), wordSound(2), silence(1), wordSound(3))
  const made = provider.afterwards!.transcribe(file, SIGNAL)
  await expect.poll(() => readdirSync(tmpdir()).some((name) => name.startsWith('standin-speech-'))).toBe(true)
  kill()
  expect((await made).words.map(({ word }) => word)).toEqual(['w1', 'w2', 'w3'])
  await words.close()
  expect({ holes: words.holes, failure: words.failure }).toEqual({ holes: [], failure: null })
})

test('ends of turns that wait too long stop partial texts, then the live words of their meeting, and are counted', async () => {
  const orders = { slow: '500' }
  const { provider, url, recognizers } = await serve(orders, { lateMs: 100, tooLateMs: 1_200 })
  const { words, notices, play, finals } = listen(provider.live!)
  const dropped = async () => {
    const partial = recognizers.recognize(new Float32Array(16_000), 'partial', SIGNAL)
    return (await partial) === null
  }
  for (const number of [1, 2, 3, 4, 5]) play(wordSound(number), silence(1))
  await expect.poll(() => recognizers.waited('live')).toBeGreaterThan(100)
  expect(await dropped()).toBe(true)
  await expect
    .poll(() => notices)
    .toEqual([expect.stringMatching(/^Live recognition was given up: speech is recognized more slowly/)])
  expect(words.failure).toBe(notices[0])
  expect(finals.length).toBeLessThan(5)
  const figures = await (
    await fetch(url.replace('/v1', '/metrics'), { headers: { authorization: `Bearer ${KEY}` } })
  ).text()
  const value = (name: string) => Number(new RegExp(`^standin_speech_${name} ([\\d.]+)$`, 'm').exec(figures)?.[1])
  for (const name of [
    'turns_total',
    'sound_seconds_total',
    'busy_seconds_total',
    'partials_dropped_total',
    'live_given_up_total',
  ])
    expect({ name, value: value(name) }).toEqual({ name, value: expect.toSatisfy((count) => count > 0) })
  for (const name of [
    'recognizers_renewed_total',
    'recognizers_crashed_total',
    'live_sessions',
    'memory_bytes',
    'wait_seconds{of="live"}',
  ])
    expect({ name, value: value(name) }).toEqual({ name, value: expect.any(Number) })
  expect(figures.match(/^standin/gm)).toHaveLength(figures.match(/^# HELP/gm)!.length + 2)
})

test('a recording is recognized turn by turn with the times of its voices, and a runaway text is no words', async () => {
  const file = recording(silence(1), wordSound(1), silence(2), wordSound(2), wordSound(3))
  const { provider } = await serve()
  const { words, language } = await provider.afterwards!.transcribe(file, SIGNAL)
  expect(words.map(({ word }) => word)).toEqual(['w1', 'w2', 'w3'])
  expect(words[0]!.start).toBeCloseTo(1, 1)
  expect(words[1]!.start).toBeCloseTo(3.3, 1)
  expect(language).toBe('en')
  const wild = await serve({ repeat: '' })
  expect((await wild.provider.afterwards!.transcribe(file, SIGNAL)).words).toEqual([])
})

test('a recognizer that takes too much memory is replaced between two turns', async () => {
  const recognizers = new Recognizers({ ...model({ grow: '' }), count: 1, maxMemory: 250_000_000 })
  onTestFinished(() => recognizers.close())
  for (let turn = 0; turn < 6; turn++) await recognizers.recognize(new Float32Array(16_000), 'stored', SIGNAL)
  expect(recognizers.counts).toMatchObject({ turns: 6, crashed: 0, renewed: expect.any(Number) })
  expect(recognizers.counts.renewed).toBeGreaterThan(0)
})

test('a recognizer without work gives its memory back, and is started again for the next turn', async () => {
  const recognizers = new Recognizers({ ...model(), count: 1, idleMs: 100 })
  onTestFinished(() => recognizers.close())
  const turn = () => recognizers.recognize(new Float32Array(16_000), 'stored', SIGNAL)
  await turn()
  await expect.poll(() => recognizers.memory).toBe(0)
  expect(await turn()).toMatchObject({ text: '' })
  expect(recognizers.counts.crashed).toBe(0)
})

test('ends of live turns come first, then texts of open turns, then recordings', async () => {
  const recognizers = new Recognizers({ ...model(), count: 1 })
  onTestFinished(() => recognizers.close())
  const order: string[] = []
  const ask = (name: string, urgency: 'live' | 'partial' | 'stored') =>
    recognizers.recognize(new Float32Array(16_000), urgency, SIGNAL).then(() => order.push(name))
  const left = new AbortController()
  const leaving = recognizers.recognize(new Float32Array(16_000), 'stored', left.signal)
  const all = [ask('first', 'stored'), ask('second', 'stored'), ask('open', 'partial'), ask('end', 'live')]
  left.abort(new Error('left'))
  await expect(leaving).rejects.toThrow('left')
  await Promise.all(all)
  expect(order).toEqual(['end', 'open', 'first', 'second'])
})

test.each([
  ['without a key', { key: '' }, 401],
  ['with another key', { key: 'key-of-the-tesT' }, 401],
  ['of another method', { method: 'PUT' }, 405],
  ['without a file', { form: {} }, 400],
  ['with what is no sound', { form: { file: new Blob(['no sound']) } }, 400],
  ['that is no form', { body: 'x' }, 400],
  ['that is too large', { form: { file: new Blob([Buffer.alloc(27_000_000)]) } }, 413],
  ['to another path', { path: '/chat/completions' }, 404],
])('a request %s is refused with its status', async (_, asked: object, status) => {
  const { url } = await serve()
  const {
    key = KEY,
    method = 'POST',
    form,
    body,
    path = '/audio/transcriptions',
  } = asked as {
    key?: string
    method?: string
    form?: Record<string, Blob>
    body?: string
    path?: string
  }
  const fields = new FormData()
  for (const [name, value] of Object.entries(form ?? {})) fields.append(name, value)
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(url + path, { method, headers, body: form ? fields : (body ?? '') })
  expect({ status: answer.status, error: await answer.json() }).toMatchObject({
    status,
    error: { error: { message: expect.any(String) } },
  })
})

test('a live session refuses other rates and events, and a socket without a key', async () => {
  const { url } = await serve()
  const dial = (key: string) =>
    new WebSocket(`${url.replace('http', 'ws')}/realtime`, { headers: { authorization: `Bearer ${key}` } })
  const refused = await new Promise<string>((resolve) => dial('x').on('error', ({ message }) => resolve(message)))
  expect(refused).toContain('401')
  const socket = dial(KEY)
  onTestFinished(() => socket.terminate())
  const codes: (string | undefined)[] = []
  socket.on('message', (data) => codes.push(JSON.parse(String(data)).error?.code))
  await new Promise((resolve) => socket.on('open', resolve))
  const format = { type: 'audio/pcm', rate: 8000 }
  for (const event of [
    '{',
    '[]',
    JSON.stringify({ type: 'session.update', session: { audio: { input: { format } } } }),
  ])
    socket.send(event)
  socket.send(JSON.stringify({ type: 'input_audio_buffer.commit' }))
  await expect
    .poll(() => codes)
    .toEqual([undefined, 'invalid_event', 'invalid_event', 'invalid_format', 'input_audio_buffer_commit_empty'])
})

test.each([
  ['transducer', ['encoder.onnx', 'decoder.onnx', 'joiner.onnx']],
  ['Whisper', ['encoder.onnx', 'decoder.onnx']],
  ['Moonshine', ['encoder.onnx', 'decoder_merged.onnx']],
  ['SenseVoice', ['model.onnx']],
])('files that are no %s, as their names say, are refused in one sentence', async (_, files) => {
  const models = temporaryFolder()
  for (const file of [...files, 'tokens.txt']) writeFileSync(join(models, file), 'no model')
  const recognizers = new Recognizers({ engine: 'sherpa-onnx-node', models, count: 1 })
  onTestFinished(() => recognizers.close())
  const refusal = await recognizers.ready().catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(UnusableModel)
  expect(String(refusal)).toMatch(/cannot load the model in .+: (?!.*(?:what\(\)|\.cc:)).+/)
})

test('the server of a bot is its child, and a model that cannot be used is said once and for all', async () => {
  const open = localSpeech(model())
  const first = await open()
  expect(await open()).toEqual(first)
  expect((await fetch(first.url.replace('/v1', '/healthz'))).status).toBe(200)
  const [server] = running('server-process')
  process.kill(server!, 'SIGKILL')
  // At the same address, for what was asked of it.
  await expect.poll(() => running('server-process')).toEqual([expect.not.toSatisfy((id) => id === server)])
  expect(await open()).toEqual(first)
  const empty = temporaryFolder()
  const broken = createLocal({ name: 'local', open: localSpeech({ engine: ENGINE, models: empty }), customParams: {} })
  await expect(broken.live!.open({ heard: () => {}, lost: () => {} }, SIGNAL)).rejects.toMatchObject({
    message: expect.stringContaining(`There is no model in ${empty}`),
    isTransient: false,
  })
})
