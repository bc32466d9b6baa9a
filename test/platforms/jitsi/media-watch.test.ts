import { expect, test } from 'vitest'
import { createMediaWatch } from '../../../platforms/jitsi/page/media-watch.ts'

function watch() {
  const state: { now: number; ice: RTCIceConnectionState[] } = { now: 0, ice: [] }
  const media = createMediaWatch(
    () => state.ice.map((iceConnectionState) => ({ iceConnectionState })),
    () => state.now,
  )
  const after = (ms: number, others: number, ...ice: RTCIceConnectionState[]) => {
    Object.assign(state, { now: state.now + ms, ice })
    return media.isLost(others)
  }
  return after
}

test('lost are media that were there, for seconds, while others are there', () => {
  const after = watch()
  expect(after(0, 2, 'checking')).toBe(false)
  expect(after(9000, 2, 'failed'), 'nothing was there yet').toBe(false)
  expect(after(0, 2, 'connected')).toBe(false)
  expect(after(1000, 2, 'disconnected')).toBe(false)
  expect(after(3900, 2, 'failed')).toBe(false)
  expect(after(200, 2)).toBe(true)
  expect(after(1000, 2, 'closed', 'completed')).toBe(false)
  expect(after(9000, 2, 'disconnected'), 'counted from the first look without').toBe(false)
})

test('a bot that is alone has no connection to lose', () => {
  const after = watch()
  after(0, 1, 'connected')
  after(0, 0)
  expect(after(60_000, 0)).toBe(false)
  // A participant comes: the connection takes its time.
  expect(after(1000, 1, 'checking')).toBe(false)
  expect(after(2000, 1, 'connected')).toBe(false)
})
