import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDeepgram } from '../../../../src/transcription/providers/deepgram.ts'
import { fileAnswer, results, startDeepgram } from '../deepgram-service.ts'
import { expectPatience, expectStop, openLive, transcribed } from './provider-test.ts'

const KEY = 'dg-canary-key'
const HELLO = [{ word: 'Hello.', start: 0.1, end: 0.4, probability: 0.9 }]

const provider = (url: string, customParams: Record<string, unknown> = {}) =>
  createDeepgram({ key: KEY, url, customParams, retryMs: 1 })

test('a file is sent with its model and the caller’s parameters, and its words come back', async () => {
  const service = await startDeepgram({ file: () => ({ body: fileAnswer(HELLO) }) })
  const given = { language: 'de', keyterm: ['Ann', 'Berg'], diarize: true }
  const made = await transcribed(provider(service.url, given))
  expect(made).toMatchObject({
    language: 'en',
    words: [{ word: 'Hello.', start: 0.1, end: 0.4, confidence: 0.9 }],
    raw: { results: { channels: [{ detected_language: 'en' }] } },
  })
  const [asked] = service.asked
  expect(asked!.authorization).toBe(`Token ${KEY}`)
  expect(asked!.sound.toString()).toBe('not really sound')
  expect([...asked!.query]).toEqual([
    ['model', 'nova-3'],
    ['language', 'de'],
    ['smart_format', 'true'],
    ['keyterm', 'Ann'],
    ['keyterm', 'Berg'],
    ['diarize', 'true'],
  ])
})

test.each([
  ['overload', 429, 3],
  ['its own failure', 503, 3],
  ['a wrong key', 401, 1],
])('%s is answered by so many tries, in a sentence without the key', async (_name, status, tries) => {
  const service = await startDeepgram({ file: () => ({ status, body: { err_msg: `no, ${KEY}` } }) })
  const failure = await transcribed(provider(service.url)).catch((error) => error as Error)
  expect(failure).toMatchObject({ message: expect.stringContaining(`answered with status ${status}`) })
  expect(JSON.stringify([String(failure), (failure as Error).stack, (failure as Error).cause])).not.toContain(KEY)
  expect(service.asked).toHaveLength(tries)
})

test('an answer that is too long is given up at its limit, and not asked for again', async () => {
  const service = await startDeepgram({ file: () => ({ body: 'x'.repeat(50_000_001) }) })
  const failure = transcribed(provider(service.url))
  await expect(failure).rejects.toThrow('sent more than 50000000 bytes')
  expect(service.asked).toHaveLength(1)
})

test('a stop ends the wait for an answer', async () => {
  const service = await startDeepgram({ file: () => new Promise(() => {}) })
  await expectStop(provider(service.url), () => service.asked.length, 1)
})

test('an answer is waited for longer than the five minutes of `fetch`, and asked for once', async () => {
  const service = await startDeepgram({ file: () => delay(1500, { body: fileAnswer(HELLO) }) })
  await expectPatience(provider(service.url))
  expect(service.asked).toHaveLength(1)
})

async function opened(script: Parameters<typeof startDeepgram>[0]) {
  const service = await startDeepgram(script)
  return { service, ...(await openLive(provider(service.url).live!)) }
}

test('live sound goes out as it is, and words come back until they are final', async () => {
  const { connection, heard, lost, service } = await opened({
    sound: (session) => session.say(results(HELLO, session.seconds > 0.15)),
    text(session, { type }) {
      if (type !== 'CloseStream') return
      session.say(results([{ word: 'Bye.', start: 1, end: 1.2, probability: 1 }], true))
      session.socket.close(1000)
    },
  })
  connection.send(new Uint8Array(3200))
  connection.send(new Uint8Array(3200))
  connection.keepAlive()
  await connection.finish(AbortSignal.timeout(20_000))
  expect(heard.map(({ isFinal, words }) => [isFinal, words[0]?.word])).toEqual([
    [false, 'Hello.'],
    [true, 'Hello.'],
    [true, 'Bye.'],
  ])
  expect(lost).toEqual([])
  const [session] = service.sessions
  expect(session!.authorization).toBe(`Token ${KEY}`)
  expect(Object.fromEntries(session!.query)).toMatchObject({
    ...{ model: 'nova-3', encoding: 'linear16', sample_rate: '16000', channels: '1', interim_results: 'true' },
  })
  expect(session!.seconds).toBeCloseTo(0.2)
  expect(session!.texts.map(({ type }) => type)).toEqual(['KeepAlive', 'CloseStream'])
})

test('a text without words keeps all of it, in the time that the message names', async () => {
  const alone = { channel: { alternatives: [{ transcript: 'Good morning all', words: [] }] } }
  const file = await startDeepgram({ file: () => ({ body: { results: { channels: [alone.channel] } } }) })
  expect(await transcribed(provider(file.url))).toMatchObject({ words: [], untimed: 'Good morning all' })
  const { connection, heard } = await opened({ sound: (session) => session.say({ ...results([], true, 3), ...alone }) })
  connection.send(new Uint8Array(3200))
  await expect.poll(() => heard[0]?.words).toMatchObject([{ word: 'Good', start: 3 }, {}, { word: 'all', end: 4 }])
})

test('a connection that breaks is reported once; the provider does not connect again by itself', async () => {
  const { connection, lost, service } = await opened({ sound: ({ socket }) => socket.close(1011, 'NET-0001') })
  connection.send(new Uint8Array(3200))
  await expect.poll(() => lost).toEqual([expect.stringContaining('1011')])
  connection.send(new Uint8Array(3200))
  await connection.finish(AbortSignal.timeout(5000))
  expect(lost).toHaveLength(1)
  expect(service.sessions).toHaveLength(1)
})

test.each([
  [401, false],
  [503, true],
])('a connection refused with %i says whether another try may help: %s', async (status, isTransient) => {
  const message = expect.stringContaining(`status ${status}`)
  await expect(opened({ refuse: () => status })).rejects.toMatchObject({ isTransient, message })
})
