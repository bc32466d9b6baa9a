import { expect, test } from 'vitest'
import { evenPlayout } from '../../../../platforms/shared/page/even-playout.ts'
import type { TappedTrack, WebRtcTap } from '../../../../platforms/shared/page/webrtc-tap.ts'

test('sound and picture are told to wait equally long, whichever comes first', () => {
  const listeners: ((tapped: TappedTrack) => void)[] = []
  const tap: Pick<WebRtcTap, 'onTrack'> = {
    onTrack: (listener) => {
      listeners.push(listener)
      return () => {}
    },
  }
  evenPlayout(tap)
  const receivers = ['audio', 'video'].map((kind) => ({ kind, jitterBufferTarget: null as number | null }))
  for (const receiver of receivers) for (const tell of listeners) tell({ receiver } as unknown as TappedTrack)
  expect(receivers[0]?.jitterBufferTarget).toBeGreaterThan(0)
  expect(receivers[0]?.jitterBufferTarget).toBe(receivers[1]?.jitterBufferTarget)
})
