/** The live transcript with a provider that says what the test wants, and a clock that is moved by hand. */

import type { Transcript } from '@standin/wire/events.ts'
import { describe, expect, test } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { OWN_ID } from '../../../packages/core/meeting/meeting.ts'
import type { RecordedTime, SpokenTurn } from '../../../packages/core/ports.ts'
import { LiveTranscription } from '../../../src/transcription/live.ts'
import { ProviderError } from '../../../src/transcription/providers/provider-error.ts'
import type { LiveListener, LiveRecognition, Word } from '../../../src/transcription/types.ts'
import { HandClock } from '../../fakes/clock.ts'

const STAGE = { display: null, pulseServer: 's', pulseSink: 'meeting', width: 1, height: 1 }
const ANN = { id: 1, name: 'Ann', platform_id: 'a' }
const BOT = { id: 9, name: 'Bot', platform_id: OWN_ID }
const BEN = { id: 2, name: 'Ben', platform_id: 'b' }
const MESSAGE = Buffer.alloc(3200)

const word = (text: string, start: number, end = start + 0.3): Word => ({ word: text, start, end, confidence: 1 })

class Scene {
  readonly clock = new HandClock()
  readonly reported: Transcript[] = []
  readonly notices: string[] = []
  readonly connections: { listener: LiveListener; seconds: number; isFinished: boolean; isClosed: boolean }[] = []
  readonly live: LiveTranscription
  turns: SpokenTurn[] = []
  spans = [{ from: this.clock.now(), to: Number.POSITIVE_INFINITY }]
  /** Errors that answer a dial instead of a connection. */
  refusals: (Error | undefined)[] = []
  /** It is connected then, whatever its signal says. */
  connected: Promise<void> | null = null
  /** Words that come when the provider is asked for the last ones. */
  lastWords: Word[] = []
  #onSamples: (message: Buffer) => void = () => {}

  constructor(isByCaptions = false) {
    const scene = this
    const recognition: LiveRecognition = {
      sampleRate: 16_000,
      async open(listener) {
        const refusal = scene.refusals.shift()
        if (refusal !== undefined) throw refusal
        await scene.connected
        const connection = { listener, seconds: 0, isFinished: false, isClosed: false }
        scene.connections.push(connection)
        return {
          send(samples) {
            connection.seconds += samples.byteLength / 2 / 16_000
          },
          keepAlive: () => {},
          async finish() {
            connection.isFinished = true
            if (scene.lastWords.length > 0)
              listener.heard({ isFinal: true, words: scene.lastWords, language: 'en', raw: 'last' })
            return true
          },
          close() {
            connection.isClosed = true
          },
        }
      },
    }
    this.live = new LiveTranscription({
      recognition: isByCaptions ? null : recognition,
      capture: async (_environment, _rate, _folder, listener) => {
        this.#onSamples = listener
        const { promise: ended, resolve } = Promise.withResolvers<{ text: string }>()
        return { ended, stop: async () => resolve({ text: 'stopped' }) }
      },
      hearsVoices: false,
      folder: '/nowhere',
      clock: this.clock,
      logger: silentLogger,
      notice: (message) => this.notices.push(message),
      emit: (transcript) => this.reported.push(transcript),
    })
  }

  async start(): Promise<void> {
    const time: RecordedTime = {
      offset: (at) => {
        let recorded = 0
        for (const { from, to } of this.spans) {
          if (at < from) return null
          if (at <= to) return (recorded + at - from) / 1000
          recorded += to - from
        }
        return null
      },
      turns: () => this.turns,
      person: (id) => [ANN, BEN].find((person) => person.platform_id === id) ?? null,
    }
    this.live.start(STAGE, time)
    await this.clock.advance(0)
  }

  /** Sound as it comes: a message each tenth of a second. */
  async sound(seconds: number): Promise<void> {
    for (let message = 0; message < Math.round(seconds * 10); message++) {
      await this.clock.advance(100)
      this.#onSamples(MESSAGE)
    }
  }

  heard(words: Word[], isFinal = true): void {
    this.connections.at(-1)!.listener.heard({ isFinal, words, language: 'en', raw: words.length })
  }

  finals(): string[] {
    return this.reported
      .filter(({ is_final }) => is_final)
      .map(({ speaker, text, start }) => `${start.toFixed(1)} ${speaker?.name ?? '-'}: ${text}`)
  }
}

describe('words of a provider', () => {
  test('come with the time of the recording and their speaker; partial ones are few', async () => {
    const scene = new Scene()
    scene.turns = [
      { person: ANN, start: 0, end: 2 },
      { person: BEN, start: 2, end: Number.POSITIVE_INFINITY },
      // Whose voice no recognizer hears.
      { person: BOT, start: 0, end: Number.POSITIVE_INFINITY },
    ]
    await scene.start()
    await scene.sound(3)
    for (let time = 0; time < 10; time++) scene.heard([word('good', 0.5)], false)
    scene.heard([word('Good', 0.5), word('morning', 1), word('Yes', 2.2)])
    await scene.live.close()
    expect(scene.reported.filter(({ is_final }) => !is_final)).toHaveLength(1)
    expect(scene.finals()).toEqual(['0.5 Ann: Good morning', '2.2 Ben: Yes'])
    expect(scene.live.result().utterances.map(({ speaker }) => speaker)).toEqual(['Ann', 'Ben'])
    expect(scene.connections[0]).toMatchObject({ isFinished: true, seconds: expect.closeTo(3) })
    expect(scene.live.result()).toMatchObject({ gap: null, languages: ['en'], raw: [3] })
    expect(scene.live.result().words.map(({ start }) => Math.round(start * 10) / 10)).toEqual([0.5, 1, 2.2])
  })

  test('of a pause are none, and those after it are where the recording continues', async () => {
    const scene = new Scene()
    await scene.start()
    const { from } = scene.spans[0]!
    await scene.sound(2)
    scene.live.pause()
    scene.spans = [{ from, to: scene.clock.now() }]
    await scene.sound(5)
    scene.spans.push({ from: scene.clock.now(), to: Number.POSITIVE_INFINITY })
    scene.live.resume()
    await scene.sound(2)
    // The provider has heard four seconds in one.
    expect(scene.connections[0]!.seconds).toBeCloseTo(4)
    scene.heard([word('before', 1), word('after', 3)])
    expect(scene.finals()).toEqual(['1.0 -: before', '3.0 -: after'])
    await scene.live.close()
  })

  test('continue after a broken connection: sound without final words is sent again, and no word comes twice', async () => {
    const scene = new Scene()
    await scene.start()
    await scene.sound(3)
    scene.heard([word('one', 0.5), word('two', 1)])
    scene.connections[0]!.listener.lost('closed the connection (1011)')
    await scene.sound(2)
    expect(scene.connections).toHaveLength(2)
    await scene.sound(3)
    // Everything since "two" ended, faster than it was heard.
    expect(scene.connections[1]!.seconds).toBeCloseTo(8 - 1.3, 0)
    scene.heard([word('two', -0.2, 0.02), word('three', 0.7), word('four', 3)])
    await scene.live.close()
    expect(scene.finals()).toEqual(['0.5 -: one two', '2.0 -: three', '4.3 -: four'])
    expect(scene.notices).toEqual([expect.stringContaining('interrupted')])
    expect(scene.live.result().gap).toBeNull()
  })

  test('that are lost in a long outage are reported as a gap', async () => {
    const scene = new Scene()
    scene.refusals = Array(200).fill(new ProviderError('is away', { isTransient: true }))
    await scene.start()
    await scene.sound(90)
    expect(scene.notices).toHaveLength(1)
    scene.refusals = []
    await scene.sound(20)
    await scene.live.close()
    const { gap, holes } = scene.live.result()
    expect(gap).toBeNull()
    // A minute is kept; the next try comes within its pause.
    expect(holes).toEqual([{ start: 0, end: expect.any(Number), userId: null }])
    expect(holes[0]!.end).toBeGreaterThanOrEqual(30)
    expect(holes[0]!.end).toBeLessThan(60)
  })

  test('do not come where the provider refuses permanently, which is reported once', async () => {
    const scene = new Scene()
    scene.refusals = [new ProviderError('api.example answered with status 401', { isTransient: false })]
    await scene.start()
    await scene.sound(10)
    await scene.live.close()
    expect(scene.connections).toHaveLength(0)
    expect(scene.notices).toEqual(['Live recognition is not possible: api.example answered with status 401.'])
    expect(scene.live.result().gap).toBe(scene.notices[0])
  })

  test('do not come from a provider that connects after the end, which leaves a hole and no connection', async () => {
    const scene = new Scene()
    const { promise, resolve } = Promise.withResolvers<void>()
    scene.connected = promise
    await scene.start()
    await scene.sound(2)
    const closed = scene.live.close()
    resolve()
    await closed
    expect(scene.connections).toMatchObject([{ isClosed: true }])
    expect(scene.live.result().holes).toHaveLength(1)
  })

  test('that come last are waited for', async () => {
    const scene = new Scene()
    await scene.start()
    await scene.sound(1)
    scene.lastWords = [word('bye', 0.5)]
    await scene.live.close()
    expect(scene.finals()).toEqual(['0.5 -: bye'])
  })
})

describe('captions', () => {
  const caption = (scene: Scene, text: string, id: string | null = 'a', isFinal = false) =>
    scene.live.takeCaption({
      ...{ type: 'caption', key: `row-${id}`, participantId: id, name: id === null ? 'Guest' : '', text, isFinal },
      at: scene.clock.now(),
    })

  test('are words with the speakers that they name', async () => {
    const scene = new Scene(true)
    await scene.start()
    await scene.clock.advance(1000)
    caption(scene, 'good')
    await scene.clock.advance(500)
    caption(scene, 'Good morning')
    caption(scene, 'who is there', null)
    for (let step = 0; step < 8; step++) await scene.clock.advance(500)
    caption(scene, 'Good morning all')
    await scene.live.close()
    expect(scene.finals().map((line) => line.slice(4))).toEqual(['Ann: Good morning', '-: who is there', 'Ann: all'])
    const { utterances, gap } = scene.live.result()
    expect(gap).toBeNull()
    expect(utterances!.map(({ speaker, userId, text }) => [speaker, userId, text])).toEqual([
      ['Guest', null, 'who is there'],
      ['Ann', 1, 'Good morning'],
      ['Ann', 1, 'all'],
    ])
    expect(scene.reported.some(({ is_final }) => !is_final)).toBe(true)
  })

  test('without names are attributed to the current speaker', async () => {
    const scene = new Scene(true)
    scene.turns = [{ person: BEN, start: 0, end: Number.POSITIVE_INFINITY }]
    await scene.start()
    await scene.clock.advance(1000)
    const row = { key: 'r', participantId: null, name: '', text: 'so do I', isFinal: false }
    scene.live.takeCaption({ type: 'caption', ...row, at: scene.clock.now() })
    await scene.live.close()
    expect(scene.reported.map(({ speaker, is_final }) => [speaker?.name, is_final])).toEqual([
      ['Ben', false],
      ['Ben', true],
    ])
  })

  test('that cannot be turned on leave a gap, told once', async () => {
    const scene = new Scene(true)
    await scene.start()
    for (const at of [1, 2]) scene.live.takeCaption({ type: 'captions', areOn: false, at })
    await scene.live.close()
    expect(scene.notices).toHaveLength(1)
    expect(scene.live.result()).toMatchObject({ utterances: [], gap: 'Captions could not be turned on.' })
  })
})
