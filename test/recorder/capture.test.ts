import { expect, test } from 'vitest'
import { watchForStall } from '../../recorder/capture.ts'
import { HandClock } from '../fakes/clock.ts'

const LIMITS = { standingStillMs: 10_000, starvingMs: 60_000 }

/** An encoder that is active for this share of the time, and gives output until `outputUntilMs`. */
function watched(share: (ms: number) => number, outputUntilMs = 0) {
  const clock = new HandClock()
  const from = clock.now()
  const end = new AbortController()
  let active = 5_000
  let countedTo = from
  let found: number | null | undefined
  void watchForStall(clock, LIMITS, end.signal, {
    hasAdvanced: () => clock.now() - from <= outputUntilMs,
    async activeMs() {
      active += share(clock.now() - from) * (clock.now() - countedTo)
      countedTo = clock.now()
      return active
    },
  }).then((idleMs) => {
    found = idleMs
  })
  return { clock, end, found: () => found }
}

test('an encoder that does nothing has stalled after ten seconds, however long it worked before', async () => {
  const { clock, found } = watched((ms) => (ms <= 120_000 ? 3 : 0.05), 120_000)
  await clock.advance(129_500)
  expect(found()).toBeUndefined()
  await clock.advance(500)
  expect(found()).toBe(10_000)
})

test('an encoder that starves gets a minute, and is kept if output comes again', async () => {
  const starved = watched(() => 0.9)
  await starved.clock.advance(59_500)
  expect(starved.found()).toBeUndefined()
  await starved.clock.advance(500)
  expect(starved.found()).toBe(60_000)

  const again = watched(() => 0.9, 3_600_000)
  await again.clock.advance(3_600_000)
  expect(again.found()).toBeUndefined()
  again.end.abort()
  await again.clock.advance(0)
  expect(again.found()).toBeNull()
})

test('an encoder that starved and then does nothing has stalled', async () => {
  const { clock, found } = watched((ms) => (ms < 20_000 ? 0.5 : 0))
  await clock.advance(30_000)
  expect(found()).toBeUndefined()
  await clock.advance(12_000)
  expect(found()).toBeLessThanOrEqual(42_000)
})
