import { expect, test, vi } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { Inlet, MAX_QUEUED_SECONDS } from '../../../src/streaming/inlet.ts'
import { HandClock } from '../../fakes/clock.ts'

const RATE = 16_000

/** The page plays in the time of the clock, if no other length of its queue is given. */
function inlet(queuedSeconds: (() => number) | null = null) {
  const clock = new HandClock()
  const played: number[] = []
  const turns: [isSpeaking: boolean, at: number][] = []
  const began = clock.now()
  let closed = 0
  let emptyAt = 0
  let onClosed = () => {}
  const made = new Inlet({
    speaker: {
      playSound: async (samples) => {
        played.push(samples.length)
        emptyAt = Math.max(emptyAt, clock.now()) + (samples.length / RATE) * 1000
        return queuedSeconds?.() ?? (emptyAt - clock.now()) / 1000
      },
      clearSound: async () => {
        emptyAt = 0
      },
      closeMicrophone: async () => {
        closed++
        onClosed()
      },
    },
    alsoHear: () => {},
    onTurn: (isSpeaking, at) => turns.push([isSpeaking, at - began]),
    sampleRate: RATE,
    clock,
    logger: silentLogger,
  })
  const whenClosed = (then: () => void) => {
    onClosed = then
  }
  return { inlet: made, clock, played, turns, closed: () => closed, whenClosed }
}

test('a burst is given to the page a little ahead of its time, not at once', async () => {
  let queued = 0
  const {
    inlet: made,
    clock,
    played,
  } = inlet(() => {
    queued += 0.04
    return queued
  })
  made.stream(Buffer.alloc(RATE * 2))
  await vi.waitFor(() => expect(played).toHaveLength(6))
  queued -= 0.04
  await clock.advance(40)
  await vi.waitFor(() => expect(played).toHaveLength(7))
})

test('what is queued beyond the limit is refused and counted', async () => {
  const { inlet: made } = inlet(() => 1000)
  made.stream(Buffer.alloc((MAX_QUEUED_SECONDS + 5) * RATE * 2))
  expect(made.figures.refusedSeconds).toBe(5)
  await made.close()
})

test('the microphone is closed after three seconds without sound, and opened by the next', async () => {
  const { inlet: made, clock, played, closed } = inlet(() => 0)
  made.stream(Buffer.alloc(640))
  await vi.waitFor(() => expect(played).toHaveLength(1))
  for (let step = 0; step < 160 && closed() === 0; step++) await clock.advance(20)
  expect(closed()).toBe(1)
  made.stream(Buffer.alloc(640))
  await vi.waitFor(() => expect(played).toHaveLength(2))
  await made.close()
  expect(closed()).toBe(2)
})

/** Lets this much time pass in small steps. */
async function pass({ clock }: ReturnType<typeof inlet>, ms: number): Promise<void> {
  for (let step = 0; step < ms; step += 20) await clock.advance(20)
}

test('sound that comes while the microphone closes is played', async () => {
  const made = inlet()
  let last: Promise<number> | null = null
  made.whenClosed(() => {
    last ??= made.inlet.play(Buffer.alloc(RATE))
  })
  await Promise.all([made.inlet.play(Buffer.alloc(RATE)), pass(made, 4500)])
  expect(made.closed()).toBe(1)
  expect(await Promise.race([last, 'stuck'])).toBe(0.5)
})

test('what was played of a whole piece is known, behind live sound and when it is dropped', async () => {
  const made = inlet()
  made.inlet.stream(Buffer.alloc(RATE * 2))
  const pieces = [1, 2, 3].map((seconds) => made.inlet.play(Buffer.alloc(seconds * RATE * 2)))
  const whole = Promise.race([pieces[0]!, Promise.resolve('waits')])
  await pass(made, 1900)
  expect(await whole).toBe('waits')
  await pass(made, 1600)
  expect(await pieces[0]).toBe(1)
  await made.inlet.clear()
  expect(await pieces[1]).toBeCloseTo(1.5, 1)
  expect(await pieces[2]).toBe(0)
  expect(made.inlet.figures.playedSeconds).toBe(1)
  const after = made.inlet.play(Buffer.alloc(RATE))
  await pass(made, 600)
  expect(await after).toBe(0.5)
  await pass(made, 600)
  const times = made.turns.map(([isSpeaking, at]) => [isSpeaking, Math.round(at / 100) / 10])
  expect(times).toEqual([
    [true, 0],
    [false, 3.5],
    [true, 3.5],
    [false, 4],
  ])
})

test('a page that is gone plays nothing more, and says so', async () => {
  const made = inlet(() => {
    throw new Error('the page is gone')
  })
  expect(await made.inlet.play(Buffer.alloc(RATE))).toBeLessThan(0.1)
  await made.inlet.close()
  expect(await made.inlet.play(Buffer.alloc(RATE))).toBe(0)
})
