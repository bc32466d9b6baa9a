import { expect, test, vi } from 'vitest'
import { silentLogger } from '../../../packages/core/logger.ts'
import { Inlet, MAX_QUEUED_SECONDS } from '../../../src/streaming/inlet.ts'
import { HandClock } from '../../fakes/clock.ts'

const RATE = 16_000

function inlet(queuedSeconds: () => number) {
  const clock = new HandClock()
  const played: number[] = []
  let closed = 0
  const made = new Inlet({
    speaker: {
      playSound: async (samples) => {
        played.push(samples.length)
        return queuedSeconds()
      },
      clearSound: async () => {},
      closeMicrophone: async () => {
        closed++
      },
    },
    alsoHear: () => {},
    sampleRate: RATE,
    clock,
    logger: silentLogger,
  })
  return { inlet: made, clock, played, closed: () => closed }
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
  made.onMessage(Buffer.alloc(RATE * 2))
  await vi.waitFor(() => expect(played).toHaveLength(6))
  queued -= 0.04
  await clock.advance(40)
  await vi.waitFor(() => expect(played).toHaveLength(7))
})

test('what is queued beyond the limit is refused and counted', async () => {
  const { inlet: made } = inlet(() => 1000)
  made.onMessage(Buffer.alloc((MAX_QUEUED_SECONDS + 5) * RATE * 2))
  expect(made.figures.refusedSeconds).toBe(5)
  await made.close()
})

test('the microphone is closed after three seconds without sound, and opened by the next', async () => {
  const { inlet: made, clock, played, closed } = inlet(() => 0)
  made.onMessage(Buffer.alloc(640))
  await vi.waitFor(() => expect(played).toHaveLength(1))
  for (let step = 0; step < 160 && closed() === 0; step++) await clock.advance(20)
  expect(closed()).toBe(1)
  made.onMessage(Buffer.alloc(640))
  await vi.waitFor(() => expect(played).toHaveLength(2))
  await made.close()
  expect(closed()).toBe(2)
})
