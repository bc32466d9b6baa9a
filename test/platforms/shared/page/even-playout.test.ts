import { expect, test } from 'vitest'
import { evenPlayout } from '../../../../platforms/shared/page/even-playout.ts'
import type { TappedTrack, WebRtcTap } from '../../../../platforms/shared/page/webrtc-tap.ts'

test.each(['even', 'live'] as const)(
  '%s: every stream waits for a fixed time, pictures as much longer as sound takes to come out',
  (playout) => {
    const listeners: ((tapped: TappedTrack) => void)[] = []
    const tap: Pick<WebRtcTap, 'onTrack'> = {
      onTrack: (listener) => {
        listeners.push(listener)
        return () => {}
      },
    }
    evenPlayout(tap, playout)
    const target = (kind: string) => {
      const tapped = { receiver: { jitterBufferTarget: null as number | null }, track: { kind } }
      for (const tell of listeners) tell(tapped as unknown as TappedTrack)
      return tapped.receiver.jitterBufferTarget ?? 0
    }
    expect(target('audio')).toBeGreaterThan(0)
    expect(target('video')).toBeGreaterThan(target('audio'))
    expect(target('video') - target('audio')).toBeLessThan(150)
  },
)
