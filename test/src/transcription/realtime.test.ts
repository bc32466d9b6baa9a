/** Live words by OpenAI's Realtime interface: its sessions, their end, and words that come once and in order after each break. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { LiveWords } from '../../../src/transcription/live-words.ts'
import { createOpenAiCompatible } from '../../../src/transcription/providers/openai-compatible.ts'
import { ProviderError } from '../../../src/transcription/providers/provider-error.ts'
import { openTurns, type RecognizerSession, type SessionListener } from '../../../src/transcription/turn-connection.ts'
import type { HeardWords, LiveConnection, LiveRecognition } from '../../../src/transcription/types.ts'
import { HandClock } from '../../fakes/clock.ts'
import { RATE, type RealtimeScript, silence, startRealtime, wordSound, wordsIn } from './realtime-service.ts'

const SIGNAL = new AbortController().signal
const COMPLETED = 'conversation.item.input_audio_transcription.completed'

function recognition(url: string, customParams: Record<string, unknown> = {}): LiveRecognition {
  const common = { url: 'http://127.0.0.1:9/v1', key: 'sk-canary', model: 'm', liveModel: 'live-model' }
  return createOpenAiCompatible({ ...common, liveUrl: url, customParams }).live!
}

async function opened(script: RealtimeScript = {}, customParams: Record<string, unknown> = {}) {
  const service = await startRealtime(script)
  const heard: HeardWords[] = []
  const lost = Promise.withResolvers<string>()
  const listener = { heard: (words: HeardWords) => heard.push(words), lost: lost.resolve }
  const connection = await recognition(service.url, customParams).open(listener, SIGNAL)
  const finals = () => heard.filter(({ isFinal }) => isFinal).flatMap(({ words }) => words.map(({ word }) => word))
  return { ...service, connection, heard, finals, lost: lost.promise }
}

function say(connection: LiveConnection, sound: Buffer): void {
  for (let at = 0; at < sound.byteLength; at += RATE / 5) connection.send(sound.subarray(at, at + RATE / 5))
}

describe('a session', () => {
  test('is configured to transcribe only, without turns of the server; its words come with the times of their turn', async () => {
    const { connection, sessions, heard, finals } = await opened(
      { isStreaming: true },
      { language: 'en', prompt: 'names' },
    )
    const [session] = sessions
    expect(session!.headers.authorization).toBe('Bearer sk-canary')
    expect(session!.path).toContain('intent=transcription')
    expect(session!.configuration).toEqual({
      type: 'transcription',
      audio: {
        input: {
          format: { type: 'audio/pcm', rate: 24_000 },
          transcription: { model: 'live-model', language: 'en', prompt: 'names' },
          turn_detection: null,
        },
      },
    })
    say(connection, Buffer.concat([silence(2), wordSound(1), wordSound(2), silence(1), wordSound(3), silence(1)]))
    expect(await connection.finish(AbortSignal.timeout(2000))).toBe(true)
    expect(finals()).toEqual(['w1', 'w2', 'w3'])
    const [first, second] = heard.filter(({ isFinal }) => isFinal)
    expect(first).toMatchObject({ language: 'en', until: expect.closeTo(3.2, 1) })
    expect(first!.words[0]!.start).toBeCloseTo(2, 1)
    expect(first!.words[1]!.end).toBeCloseTo(2.6, 1)
    expect(second!.words[0]!.start).toBeCloseTo(3.6, 1)
    // Words came before their turn was over, and grew.
    expect(heard.filter(({ isFinal }) => !isFinal).map(({ words }) => words.length)).toEqual([1, 2, 1])
    // Silence is not sent, but for a little of it around the words.
    expect(session!.seconds).toBeLessThan(3)
  })

  test.each([
    ['a wrong key', { refuse: () => 401 }, false, /answered with status 401/],
    ['overload', { refuse: () => 503 }, true, /answered with status 503/],
    [
      'an unknown model',
      {
        update(session) {
          session.say({ type: 'error', error: { type: 'invalid_request_error', message: 'no model sk-canary' } })
          return true
        },
      },
      false,
      /refused the session: no model \[key\]/,
    ],
  ] as [string, RealtimeScript, boolean, RegExp][])('is refused for %s', async (_name, script, isTransient, text) => {
    const { url } = await startRealtime(script)
    const error = await recognition(url)
      .open({ heard: () => {}, lost: () => {} }, SIGNAL)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ProviderError)
    expect(error).toMatchObject({ isTransient, message: expect.stringMatching(text) })
  })

  test('answers garbage, foreign items and repeated ends without harm', async () => {
    const { connection, finals } = await opened({
      commit(session, words, id) {
        session.socket.send('no json')
        session.socket.send(Buffer.from([1, 2, 3]))
        session.say([])
        session.say({ type: COMPLETED, item_id: 7, transcript: 'x' })
        session.say({ type: COMPLETED, item_id: 'a', transcript: null })
        session.say({ type: 'error', error: 'odd' })
        session.say({ type: 'input_audio_buffer.committed', item_id: id })
        session.say({ type: 'input_audio_buffer.committed', item_id: id })
        const whole = { type: COMPLETED, item_id: id }
        session.say({ ...whole, transcript: 'x'.repeat(30_000) })
        session.say({ ...whole, transcript: words.join(' '), language: 9, words: 'none' })
        session.say({ ...whole, transcript: 'again' })
        return true
      },
    })
    say(connection, Buffer.concat([wordSound(1), silence(1), wordSound(2), silence(1)]))
    expect(await connection.finish(AbortSignal.timeout(2000))).toBe(true)
    expect(finals()).toEqual(['w1', 'w2'])
  })

  test('that ends a turn late or out of order gives finals in order', async () => {
    const waiting: (() => void)[] = []
    const { connection, finals } = await opened({
      commit(session, words, id) {
        session.say({ type: 'input_audio_buffer.committed', item_id: id })
        const transcript = words.join(' ')
        waiting.push(() => session.say({ type: COMPLETED, item_id: id, transcript }))
        if (waiting.length === 3) for (const answer of waiting.toReversed()) answer()
        return true
      },
    })
    say(connection, Buffer.concat([1, 2, 3].flatMap((number) => [wordSound(number), silence(0.8)])))
    await connection.finish(AbortSignal.timeout(2000))
    expect(finals()).toEqual(['w1', 'w2', 'w3'])
  })

  test('that fails a turn, or goes away, is lost', async () => {
    const failing = await opened({
      commit(session, _words, id) {
        session.say({ type: 'input_audio_buffer.committed', item_id: id })
        session.say({ type: 'conversation.item.input_audio_transcription.failed', item_id: id, error: {} })
        return true
      },
    })
    say(failing.connection, Buffer.concat([wordSound(1), silence(1)]))
    expect(await failing.lost).toBe('could not recognize a piece of sound')
    const leaving = await opened({
      append(session) {
        session.socket.close(1011, 'sk-canary is away')
        return true
      },
    })
    say(leaving.connection, wordSound(1))
    expect(await leaving.lost).toBe('closed the connection (1011 [key] is away)')
  })
})

/** A recognizer without a network, on a clock that is moved by hand. */
class FakeRecognizer {
  readonly sessions: { listener: SessionListener; buffer: Buffer; isOpen: boolean; sound: number }[] = []
  items = 0
  /** Turns that wait for their text. */
  readonly owed: (() => void)[] = []
  readonly clock: HandClock
  readonly lifeMs: number

  constructor(clock: HandClock, lifeMs: number) {
    this.clock = clock
    this.lifeMs = lifeMs
  }

  readonly live: LiveRecognition = {
    sampleRate: RATE,
    open: (listener, signal) =>
      openTurns(
        (sessionListener) => this.#open(sessionListener),
        { sampleRate: RATE, language: null, now: () => this.clock.now() },
        listener,
        signal,
      ),
  }

  async #open(listener: SessionListener): Promise<RecognizerSession> {
    const session = { listener, buffer: Buffer.alloc(0) as Buffer, isOpen: true, sound: 0 }
    this.sessions.push(session)
    return {
      endsAt: this.clock.now() + this.lifeMs,
      send: (event) => {
        if (!session.isOpen) return
        if (event.type === 'input_audio_buffer.append') {
          const sound = Buffer.from(event.audio as string, 'base64')
          session.buffer = Buffer.concat([session.buffer, sound])
          session.sound += sound.byteLength
          return
        }
        const item_id = `i${++this.items}`
        const transcript = wordsIn(session.buffer).join(' ')
        session.buffer = Buffer.alloc(0)
        listener.onEvent({ type: 'input_audio_buffer.committed', item_id })
        this.owed.push(() => session.isOpen && listener.onEvent({ type: COMPLETED, item_id, transcript }))
      },
      ping: () => {},
      close: () => {
        session.isOpen = false
      },
    }
  }

  answer(count = Number.POSITIVE_INFINITY): void {
    for (const give of this.owed.splice(0, Math.min(count, this.owed.length))) give()
  }

  breakAll(): void {
    for (const session of this.sessions.filter(({ isOpen }) => isOpen)) {
      session.isOpen = false
      session.listener.onLost('was cut')
    }
  }
}

function liveWords(clock: HandClock, live: LiveRecognition) {
  const finals: string[] = []
  const turns: number[] = []
  const words = new LiveWords({
    ...{ recognition: live, clock, logger: silentLogger, notice: () => {} },
    onWords({ isFinal, words: heard, turn }) {
      if (!isFinal) return
      turns.push(turn)
      finals.push(...heard.map(({ word }) => word))
    },
  })
  /** Sound as it comes: a tenth of a second at a time. Shorter sound waits for more. */
  let rest: Buffer = Buffer.alloc(0)
  const play = async (...sound: Buffer[]) => {
    rest = Buffer.concat([rest, ...sound])
    for (; rest.byteLength >= RATE / 5; rest = rest.subarray(RATE / 5)) {
      await clock.advance(100)
      words.send(rest.subarray(0, RATE / 5))
    }
  }
  return { words, finals, turns, play }
}

test('sessions are replaced before their limit, between two turns, and lose no word', async () => {
  const clock = new HandClock()
  const recognizer = new FakeRecognizer(clock, 60_000)
  const { words, finals, play } = liveWords(clock, recognizer.live)
  await clock.advance(0)
  const said: string[] = []
  for (let number = 1; number <= 150; number++) {
    said.push(`w${number}`)
    await play(wordSound(number), silence(number % 3 === 0 ? 0.7 : 0.2))
    if (number % 5 === 0) recognizer.answer()
    // No session is used past its limit.
    for (const { isOpen } of recognizer.sessions.slice(0, -2)) expect(isOpen).toBe(false)
  }
  const closing = words.close()
  recognizer.answer()
  await closing
  expect(finals).toEqual(said)
  expect(recognizer.sessions.length).toBeGreaterThanOrEqual(2)
  expect(words.holes).toEqual([])
})

test('cuts anywhere: every word is final once and in order, and partial numbers are those of the finals', async () => {
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.constant('word' as const) },
    { weight: 2, arbitrary: fc.constant('pause' as const) },
    { weight: 2, arbitrary: fc.constant('answer' as const) },
    { weight: 1, arbitrary: fc.constant('speaker' as const) },
    { weight: 1, arbitrary: fc.constant('cut' as const) },
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 60 }), fc.nat(5), async (steps, phase) => {
      const clock = new HandClock()
      const recognizer = new FakeRecognizer(clock, 30_000)
      const { words, finals, turns, play } = liveWords(clock, recognizer.live)
      await clock.advance(0)
      await play(silence(phase / 50))
      let number = 0
      for (const what of steps) {
        if (what === 'word') await play(wordSound(++number), silence(0.1))
        else if (what === 'pause') await play(silence(0.8))
        else if (what === 'answer') recognizer.answer(1)
        else if (what === 'speaker') {
          // People begin to speak between words.
          await play(silence(0.2))
          words.cut()
        } else recognizer.breakAll()
      }
      for (let second = 0; second < 12; second++) {
        recognizer.answer()
        await play(silence(1))
      }
      const closing = words.close()
      for (let wait = 0; wait < 5; wait++) {
        recognizer.answer()
        await clock.advance(0)
      }
      await closing
      expect(finals).toEqual(Array.from({ length: number }, (_, index) => `w${index + 1}`))
      expect(turns).toEqual(turns.map((_, index) => index))
    }),
    { numRuns: 100 },
  )
})

test('a recognizer that owes words for too long is left, and the next one gets their sound', async () => {
  const clock = new HandClock()
  const recognizer = new FakeRecognizer(clock, 3_600_000)
  const { words, finals, play } = liveWords(clock, recognizer.live)
  await clock.advance(0)
  await play(wordSound(1), silence(25))
  expect(recognizer.sessions.map(({ isOpen }) => isOpen)).toEqual([false, true])
  recognizer.answer()
  const closing = words.close()
  recognizer.answer()
  await closing
  expect(finals).toEqual(['w1'])
})
