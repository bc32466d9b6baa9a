/**
 * Measures how loud the meeting is without changing its sound. Zoom plays in one of three ways
 * (docs/platform-notes/zoom.md#audio-paths): a mix through an AudioContext, the same mix through a connection of the
 * page with itself, or a received track for each person.
 */

import { LEVEL_OFF } from '../../shared/page/audio/speech-detector.ts'
import type { TappedTrack, WebRtcTap } from '../../shared/page/audio/webrtc-tap.ts'
import { wrapMethod } from '../../shared/page/dom/patch-native.ts'
import { userOfNode } from './tiles.ts'
import { levelOf, SPECTRUM_SECONDS, type Spectrum, SpectrumMaker } from './voice-features.ts'

export interface HeardPerson {
  userId: number
  /** 0 to 1, linear. */
  level: number
}

/** Names of streams that carry one person's sound, such as `16778241+x+CS+y`; the first number is the stream's. */
const OF_PERSON = /^(\d+)\+.*\+CS\+/
/** Number of samples for a level, about 20 ms, and of those that are kept for spectra, about a third of a second. */
const WINDOW = 1024
const KEPT = 16_384
/** The level of the last packet stays when no more come, as from a person who has left. Milliseconds. */
const STALE_MS = 350

interface Meter {
  level(): number
  spectra(): Spectrum[]
}

export type MeetingSound = ReturnType<typeof watchSound>

/** To be called at document start. */
export function watchSound(tap: WebRtcTap) {
  const played = new Map<BaseAudioContext, { analyser: AnalyserNode; meter: Meter }>()
  const ofTracks = new WeakMap<MediaStreamTrack, Meter | null>()
  const stamps = new WeakMap<RTCRtpReceiver, { stamp: string; changedAt: number }>()
  let ownContext: AudioContext | null = null

  /** The page's output passes through the analyser, unchanged: one more output of a worklet's node can end the renderer. */
  wrapMethod(AudioNode.prototype, 'connect', (native, self, given) => {
    const [target, ...ports] = given
    const isOutput = target instanceof AudioDestinationNode && target.context !== ownContext
    if (!isOutput || self === played.get(target.context)?.analyser) return native(...given)
    let listening = played.get(target.context)
    if (listening === undefined) {
      listening = listenTo(target.context)
      played.set(target.context, listening)
      listening.analyser.connect(target)
    }
    native(listening.analyser, ...ports)
    return target
  })
  wrapMethod(AudioNode.prototype, 'disconnect', (native, self, [target, ...ports]) => {
    const listening = target instanceof AudioDestinationNode ? played.get(target.context) : undefined
    if (listening === undefined || self === listening.analyser)
      return target === undefined ? native() : native(target, ...ports)
    return native(listening.analyser, ...ports)
  })

  function listenTo(context: BaseAudioContext): { analyser: AnalyserNode; meter: Meter } {
    const analyser = context.createAnalyser()
    analyser.fftSize = KEPT
    return { analyser, meter: meterAt(analyser) }
  }

  /** For a track whose packets carry no level. */
  function meterOf(track: MediaStreamTrack): Meter | null {
    const known = ofTracks.get(track)
    if (known !== undefined) return known
    let meter: Meter | null = null
    try {
      ownContext ??= new AudioContext({ latencyHint: 'playback' })
      const listening = listenTo(ownContext)
      ownContext.createMediaStreamSource(new MediaStream([track])).connect(listening.analyser)
      meter = listening.meter
    } catch {
      // The track ended meanwhile, or there is no sound system.
    }
    ofTracks.set(track, meter)
    return meter
  }

  function levelOfTrack({ receiver, track }: TappedTrack): number {
    if (track.muted) return 0
    const [source] = receiver.getSynchronizationSources()
    if (typeof source?.audioLevel === 'number') return isFresh(receiver, source) ? source.audioLevel : 0
    return meterOf(track)?.level() ?? 0
  }

  /** Their clock differs from ours: an entry is as old as the time since its last change. */
  function isFresh(receiver: RTCRtpReceiver, { timestamp, rtpTimestamp }: RTCRtpContributingSource): boolean {
    const now = performance.now()
    const stamp = `${timestamp}/${rtpTimestamp}`
    const known = stamps.get(receiver)
    if (known?.stamp === stamp) return now - known.changedAt <= STALE_MS
    stamps.set(receiver, { stamp, changedAt: now })
    return true
  }

  function tracksOfPeople(): { userId: number; tapped: TappedTrack }[] {
    return tap.tracks('audio').flatMap((tapped) => {
      const userId = userOfTrack(tapped)
      return userId === null ? [] : [{ userId, tapped }]
    })
  }

  const running = () => [...played].flatMap(([{ state }, { meter }]) => (state === 'closed' ? [] : [meter]))

  return {
    /** Level of the complete sound, 0 to 1, linear; null if there is no sound to read. */
    mix(): number | null {
      const meters = running()
      const mixed = tap.tracks('audio')
      if (meters.length === 0 && mixed.length === 0) return null
      return Math.max(0, ...meters.map((meter) => meter.level()), ...mixed.map(levelOfTrack))
    },
    /** Its loud spectra since the last call, as far as they are kept. */
    spectra(): Spectrum[] {
      const meters = running()
      const ofTracks = meters.length > 0 ? [] : tap.tracks('audio').map(({ track }) => meterOf(track))
      // There may be others beside the one that plays the meeting; they are silent.
      const heard = [...meters, ...ofTracks].map((meter) => meter?.spectra() ?? [])
      return heard.sort((one, other) => other.length - one.length)[0] ?? []
    },
    /** Each person's own sound, if the client receives it apart; null if it does not. */
    people(): HeardPerson[] | null {
      const tracks = tracksOfPeople()
      if (tracks.length === 0) return null
      return tracks.map(({ userId, tapped }) => ({ userId, level: levelOfTrack(tapped) }))
    },
  }
}

/** The user whose sound a track carries; null for a track of no single user. */
export function userOfTrack({ streams }: Pick<TappedTrack, 'streams'>): number | null {
  const match = streams.map(({ id }) => OF_PERSON.exec(id)).find((found) => found !== null)
  return match ? userOfNode(Number(match[1])) : null
}

function meterAt(analyser: AnalyserNode): Meter {
  const { context } = analyser
  const samples = new Float32Array(analyser.fftSize)
  const maker = new SpectrumMaker(context.sampleRate)
  let heardUntil = context.currentTime
  return {
    level() {
      analyser.getFloatTimeDomainData(samples)
      return levelOf(samples.subarray(-WINDOW))
    },
    spectra() {
      const count = Math.floor((context.currentTime - heardUntil) / SPECTRUM_SECONDS)
      heardUntil += count * SPECTRUM_SECONDS
      analyser.getFloatTimeDomainData(samples)
      return maker.spectra(samples, count, LEVEL_OFF)
    },
  }
}
