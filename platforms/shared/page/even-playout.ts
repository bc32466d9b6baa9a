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

/**
 * After a moment in which the machine stood still all sound of that time is there, and late by it, while the picture is
 * the newest. The browser plays a little faster until sound is back at its delay, twice as fast as that when it has
 * none to keep (2.5 s after 0.4 s, measured).
 */
const LATE_BY_MS = 60
const IN_TIME_MS = 30
const LOOK_EVERY_MS = 500

export function evenPlayout(tap: Pick<WebRtcTap, 'onTrack'>, playout: Playout): void {
  const soundDelayMs = SOUND_DELAY_MS[playout]
  const sounds = new Map<RTCRtpReceiver, Waited>()
  tap.onTrack(({ receiver, track }) => {
    receiver.jitterBufferTarget = track.kind === 'video' ? soundDelayMs + SOUND_OUTPUT_MS : soundDelayMs
    if (track.kind === 'audio') sounds.set(receiver, { seconds: 0, samples: 0 })
  })
  setInterval(() => {
    for (const [receiver, before] of sounds) {
      if (receiver.track.readyState === 'ended') sounds.delete(receiver)
      else void catchUp(receiver, before, soundDelayMs)
    }
  }, LOOK_EVERY_MS)
}

/** Sums since the stream began: of the time that samples waited in the jitter buffer, and of these samples. */
interface Waited {
  seconds: number
  samples: number
}

async function catchUp(receiver: RTCRtpReceiver, before: Waited, delayMs: number): Promise<void> {
  const now = await waited(receiver)
  if (now === null || now.samples <= before.samples) return
  const ms = (1000 * (now.seconds - before.seconds)) / (now.samples - before.samples)
  Object.assign(before, now)
  if (ms > delayMs + LATE_BY_MS) receiver.jitterBufferTarget = 0
  else if (ms < delayMs + IN_TIME_MS) receiver.jitterBufferTarget = delayMs
}

/** Null where the browser does not say. Statistics of WebRTC: `jitterBufferDelay`, `jitterBufferEmittedCount`. */
async function waited(receiver: RTCRtpReceiver): Promise<Waited | null> {
  try {
    for (const report of (await receiver.getStats()).values())
      if (report.type === 'inbound-rtp')
        return { seconds: Number(report.jitterBufferDelay), samples: Number(report.jitterBufferEmittedCount) }
  } catch {
    // A connection that closes has none.
  }
  return null
}
