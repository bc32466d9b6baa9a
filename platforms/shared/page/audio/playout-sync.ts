import type { CommonConfig, Playout } from '../types.ts'
import type { WebRtcTap } from './webrtc-tap.ts'

/**
 * Sound and picture of a meeting come as separate streams that the browser does not play in sync: each waits as long as
 * its own jitter asks for. So all of them get the same delay: a long one for a recording, which does not mind waiting,
 * and a short one where a program listens to the meeting through the bot. Where sound needs longer, the picture
 * follows. `jitterBufferTarget` is the WebRTC Extensions' least delay of a receiver, in milliseconds.
 */
const SOUND_DELAY_MS: Readonly<Record<Playout, number>> = { even: 250, live: 40 }
/** How much longer decoded sound takes to the recorder than a decoded picture; measured with `npm run bench`. */
const SOUND_OUTPUT_MS = 45
/** This much of the sound that the sound server has to keep ready is covered by that time anyway; measured likewise. */
const KEPT_READY_MS = 80

/**
 * After a moment in which the machine stalled all sound of that time is there, and late by it, while the picture is the
 * newest. The browser plays a little faster until sound is back at its delay, twice as fast as that when the target
 * delay is 0 (2.5 s after 0.4 s, measured).
 */
const LATE_BY_MS = 60
const IN_TIME_MS = 30
const POLL_EVERY_MS = 500
/**
 * Where sound comes unevenly the browser delays it more, for seconds or minutes: so the picture is delayed too. The
 * picture follows the delay that sound had in all of these polls, except one that may be an outlier. A shorter delay is
 * over before the picture would follow, and when sound is back the picture has to follow soon.
 */
const LOOKS_TO_FOLLOW = 6
const MIN_CHANGE_MS = 10
/** Browsers refuse more than four seconds; sound that is one second late is not worth the wait. */
const MAX_DELAY_MS = 1000

/** Returns a function that changes the delay in the meeting. */
export function syncPlayout(
  tap: Pick<WebRtcTap, 'onTrack'>,
  { playout, recordingMode, soundAheadMs = 0 }: Pick<CommonConfig, 'playout' | 'recordingMode' | 'soundAheadMs'>,
): (playout: Playout) => void {
  const hasPicture = recordingMode !== 'audio_only'
  let soundDelayMs = SOUND_DELAY_MS[playout]
  const soundOutputMs = SOUND_OUTPUT_MS + Math.max(0, soundAheadMs - KEPT_READY_MS)
  const sounds = new Map<RTCRtpReceiver, Waited>()
  const pictures = new Set<RTCRtpReceiver>()
  /** Delays of the played sound in the last polls. Milliseconds. */
  const delays: number[] = []
  let pictureDelayMs = soundDelayMs + soundOutputMs

  tap.onTrack(({ receiver, track }) => {
    if (track.kind === 'video') {
      receiver.jitterBufferTarget = pictureDelayMs
      pictures.add(receiver)
    } else {
      receiver.jitterBufferTarget = soundDelayMs
      sounds.set(receiver, { seconds: 0, samples: 0 })
    }
  })

  async function poll(): Promise<void> {
    for (const receiver of [...sounds.keys(), ...pictures])
      if (receiver.track.readyState === 'ended') {
        sounds.delete(receiver)
        pictures.delete(receiver)
      }
    const all = await Promise.all([...sounds].map(([receiver, before]) => sinceThen(receiver, before)))
    // A stream without speech carries nearly no sound, and its delay does not count.
    const most = Math.max(...all.map(({ samples }) => samples))
    const heard: Waited = { seconds: 0, samples: 0 }
    for (const { receiver, seconds, samples } of all) {
      if (samples <= most / 2) continue
      const ms = (1000 * seconds) / samples
      if (ms > soundDelayMs + LATE_BY_MS) receiver.jitterBufferTarget = 0
      else if (ms < soundDelayMs + IN_TIME_MS) receiver.jitterBufferTarget = soundDelayMs
      heard.seconds += seconds
      heard.samples += samples
    }
    if (heard.samples > 0 && hasPicture) follow((1000 * heard.seconds) / heard.samples)
  }

  function follow(ms: number): void {
    delays.push(ms)
    if (delays.length > LOOKS_TO_FOLLOW) delays.shift()
    else if (delays.length < LOOKS_TO_FOLLOW) return
    const lasting = delays.toSorted((one, other) => one - other)[1]!
    const wanted = Math.min(Math.max(soundDelayMs, Math.round(lasting)) + soundOutputMs, MAX_DELAY_MS)
    if (Math.abs(wanted - pictureDelayMs) >= MIN_CHANGE_MS) setPictures(wanted)
  }

  function setPictures(delayMs: number): void {
    pictureDelayMs = delayMs
    for (const receiver of pictures) receiver.jitterBufferTarget = delayMs
  }

  let isWatched = false
  /** Sound alone has no picture to be in sync with, but who hears it live hears it late after each stall. */
  function watch(now: Playout): void {
    if (isWatched || !(hasPicture || now === 'live')) return
    isWatched = true
    setInterval(() => void poll(), POLL_EVERY_MS)
  }

  watch(playout)
  return (changed) => {
    watch(changed)
    // The picture follows what sound really waits for.
    soundDelayMs = SOUND_DELAY_MS[changed]
    for (const receiver of sounds.keys()) receiver.jitterBufferTarget = soundDelayMs
    // The browser keeps the sound of a person back for a picture that waits, and this one is not seen.
    if (!hasPicture) setPictures(soundDelayMs + soundOutputMs)
  }
}

/** The time that samples waited in the jitter buffer, summed up, and how many they were. */
interface Waited {
  seconds: number
  samples: number
}

/** Growth of the sums since the last poll; zero if the browser does not say. */
async function sinceThen(receiver: RTCRtpReceiver, before: Waited): Promise<Waited & { receiver: RTCRtpReceiver }> {
  const now = (await waited(receiver)) ?? before
  const since = { receiver, seconds: now.seconds - before.seconds, samples: now.samples - before.samples }
  Object.assign(before, now)
  return since
}

/** Statistics of WebRTC: `jitterBufferDelay`, `jitterBufferEmittedCount`. */
async function waited(receiver: RTCRtpReceiver): Promise<Waited | null> {
  try {
    for (const report of (await receiver.getStats()).values()) {
      const { type, jitterBufferDelay: seconds, jitterBufferEmittedCount: samples } = report
      if (type === 'inbound-rtp' && seconds !== undefined && samples !== undefined) return { seconds, samples }
    }
  } catch {
    // A connection that closes has none.
  }
  return null
}
