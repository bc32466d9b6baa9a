import type { WebRtcTap } from './webrtc-tap.ts'

/**
 * Sound and picture of a meeting come as separate streams that the browser does not play in step: each waits as long as
 * its own jitter asks for. A recording does not mind waiting, so all of them wait equally long.
 * `jitterBufferTarget` is the WebRTC Extensions' least delay of a receiver, in milliseconds.
 */
const PLAYOUT_DELAY_MS = 250

export function evenPlayout(tap: Pick<WebRtcTap, 'onTrack'>): void {
  tap.onTrack(({ receiver }) => {
    receiver.jitterBufferTarget = PLAYOUT_DELAY_MS
  })
}
