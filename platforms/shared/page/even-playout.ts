import type { Playout } from './types.ts'
import type { WebRtcTap } from './webrtc-tap.ts'

/**
 * Sound and picture of a meeting come as separate streams that the browser does not play in step: each waits as long as
 * its own jitter asks for. So all of them are given a fixed time to wait: a long one for a recording, which does not mind
 * waiting, a short one where somebody hears the meeting through the bot.
 * `jitterBufferTarget` is the WebRTC Extensions' least delay of a receiver, in milliseconds.
 */
const SOUND_DELAY_MS: Readonly<Record<Playout, number>> = { even: 250, live: 40 }
/** How much longer decoded sound takes to the recorder than a decoded picture; measured with `npm run bench`. */
const SOUND_OUTPUT_MS = 80

export function evenPlayout(tap: Pick<WebRtcTap, 'onTrack'>, playout: Playout): void {
  const soundDelayMs = SOUND_DELAY_MS[playout]
  tap.onTrack(({ receiver, track }) => {
    receiver.jitterBufferTarget = track.kind === 'video' ? soundDelayMs + SOUND_OUTPUT_MS : soundDelayMs
  })
}
