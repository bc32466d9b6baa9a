import { expect, test } from 'vitest'
import { silentLogger } from '../../packages/core/logger.ts'
import type { Capture, CaptureListener } from '../../recorder/capture.ts'
import type { SegmentPart } from '../../recorder/held-segment.ts'
import { StandBy } from '../../recorder/stand-by.ts'
import { HandClock } from '../fakes/clock.ts'
import { madeUpSpan } from '../media/made-up-spans.ts'

const span = madeUpSpan({ pictures: 120, packets: 189, picturesBetweenKeys: 6 })

interface Encoder {
  startedAt: number
  listener: CaptureListener
  isKilled: boolean
  give(): Promise<void>
}

/** Stands by, with an encoder that has started, and another one while it may be renewed. */
async function standingBy(mayRenew = () => true, starts: () => Promise<void> = async () => {}) {
  const clock = new HandClock()
  const encoders: Encoder[] = []
  const standBy = new StandBy({
    hasPicture: true,
    clock,
    logger: silentLogger,
    async start(take, listener, signal) {
      await starts()
      signal.throwIfAborted()
      const encoder: Encoder = { startedAt: clock.now(), listener, isKilled: false, give: () => take(span) }
      encoders.push(encoder)
      const capture: Capture = {
        startedAt: encoder.startedAt,
        progress: () => ({ frames: 0, seconds: 0, repeatedFrames: 0, isLast: false }),
        stop: async () => {},
        kill: () => {
          encoder.isKilled = true
        },
      }
      return capture
    },
  })
  const parts: SegmentPart[] = []
  const takeOver = (from: number) => standBy.takeOver(from, 5000, async (part) => void parts.push(part))
  const alive = () => encoders.filter(({ isKilled }) => !isKilled).length
  standBy.begin(mayRenew)
  await settled()
  return { clock, standBy, encoders, parts, takeOver, alive }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('what was held is let go of from the proof on', async () => {
  const { clock, encoders, parts, takeOver } = await standingBy()
  await encoders[0]!.give()
  const begun = await takeOver(clock.now() + 1000)
  expect(begun?.start.seconds).toBeCloseTo(1, 6)
  expect('tracks' in parts[0]!).toBe(true)
  expect(parts.length).toBeGreaterThan(4)
})

test('a fresh encoder takes the place of an old one while nothing is proven, and only then', async () => {
  let isProven = false
  const { clock, encoders, takeOver, alive } = await standingBy(() => !isProven)
  await clock.advance(54_000)
  expect([encoders.length, alive()]).toEqual([2, 1])
  isProven = true
  await clock.advance(300_000)
  expect([encoders.length, alive()]).toEqual([2, 1])
  await encoders[1]!.give()
  expect(await takeOver(encoders[1]!.startedAt + 500)).toMatchObject({ start: { seconds: expect.closeTo(0.6, 6) } })
})

test('a proof while one takes the place of the other finds the one that has seen it', async () => {
  let isProven = false
  const { clock, encoders, takeOver, alive } = await standingBy(() => !isProven)
  await clock.advance(51_000)
  expect(alive()).toBe(2)
  isProven = true
  await clock.advance(60_000)
  expect([encoders[0]!.isKilled, encoders[1]!.isKilled]).toEqual([false, true])
  await encoders[0]!.give()
  expect((await takeOver(encoders[0]!.startedAt + 2000))?.start.seconds).toBeCloseTo(2, 6)
})

test('an encoder that crashed on standby is not used', async () => {
  const { clock, encoders, takeOver } = await standingBy()
  encoders[0]!.listener.failed(new Error('killed'), true)
  expect(await takeOver(clock.now())).toBeNull()
})

test('one that stood by and gives nothing is ended within its limit', async () => {
  const { clock, takeOver, alive } = await standingBy()
  const taking = takeOver(clock.now())
  await settled()
  await clock.advance(5001)
  expect(await taking).toBeNull()
  expect(alive()).toBe(0)
})

test('one that does not start is no more than a late start', async () => {
  const { clock, standBy, takeOver } = await standingBy(undefined, () => Promise.reject(new Error('no display')))
  expect(await takeOver(clock.now())).toBeNull()
  await standBy.end()
})

test('another browser gets a separate encoder', async () => {
  const { standBy, encoders, alive } = await standingBy()
  standBy.begin(() => true)
  await settled()
  await settled()
  expect([encoders.length, alive()]).toEqual([2, 1])
  await standBy.end()
  expect(alive()).toBe(0)
})

test('silence that lasts since before the start is reported at the start', async () => {
  const { clock, encoders, takeOver } = await standingBy()
  const [encoder] = encoders
  encoder!.listener.silence(true, 0)
  encoder!.listener.silence(false, 1.5)
  await encoder!.give()
  const begun = await takeOver(clock.now() + 1000)
  const reported: unknown[] = []
  begun!.sendTo({
    progress: () => {},
    silence: (isSilent, seconds) => reported.push([isSilent, Math.round(seconds * 10) / 10]),
    report: () => {},
    failed: () => {},
  })
  expect(reported).toEqual([
    [true, 1],
    [false, 1.5],
  ])
})
