import type { WebRtcTap } from './webrtc-tap.ts'

/**
 * Sound and picture of a meeting come as separate streams that the browser does not play in step: each waits as long as
 * its own jitter asks for. A recording does not mind waiting, so all of them wait for a fixed time.
 * `jitterBufferTarget` is the WebRTC Extensions' least delay of a receiver, in milliseconds.
 */
const SOUND_DELAY_MS = 250
/** How much longer decoded sound takes to the recorder than a decoded picture; measured with `npm run bench`. */
const SOUND_OUTPUT_MS = 80

export function evenPlayout(tap: Pick<WebRtcTap, 'onTrack'>): void {
  tap.onTrack(({ receiver, track }) => {
    receiver.jitterBufferTarget = track.kind === 'video' ? SOUND_DELAY_MS + SOUND_OUTPUT_MS : SOUND_DELAY_MS
  })
}
