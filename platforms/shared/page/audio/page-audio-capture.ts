/**
 * Captures the meeting's audio inside the page and sends it to the driver: one mix for live listeners, and each
 * person's voice apart where the platform gives it; and the same mix for a page that the bot shows. Works on copies; the sound that the page itself plays is not
 * touched.
 */

import type { CommonConfig } from '../types.ts'
import { createDecimator } from './decimator.ts'
import { createHeldVoices } from './held-voices.ts'
import { createSoundMixer } from './sound-mixer.ts'
import { type Heard, READ_RATE, readTrack } from './track-reader.ts'
import { createVoiceEncoder, type VoiceEncoder } from './voice-encoder.ts'
import { createVoiceSplitter } from './voice-splitter.ts'
import type { TappedTrack, WebRtcTap } from './webrtc-tap.ts'

/** New tracks cause an event; this poll finds those without one. Milliseconds. */
const POLL_EVERY_MS = 500
/** Length of each piece that is sent to the driver. */
const CARRIED_MS = 20
/** Below this level there is no speech: comfort noise of meeting clients stays near -70 dBFS. */
const SILENCE = 0.0002

export interface PageAudioCaptureParts {
  tap: WebRtcTap
  config: Pick<CommonConfig, 'carry' | 'audioTap'>
  /** Whether a track is the meeting's sound, and not a copy that the page makes of it. Default: each is. */
  isMeeting?(tapped: TappedTrack | null): boolean
  /** Absent if the platform sends one mix for all. */
  voices?: {
    /**
     * The owner of this track's sound just now, as the media name it; null if there is none or it is not certain.
     */
    ownerOf(receiver: RTCRtpReceiver, tapped: TappedTrack | null): string | null
    /**
     * The participants behind that name: none while it is unknown, several if they share the sound. Default: the name is
     * the participant's id.
     */
    participantsOf?(owner: string): readonly string[]
    /** Pieces of 10 ms after which that is certain. */
    certainAfter: number
  }
}

interface TrackCapture {
  close(): void
}

export interface PageAudioCapture {
  /** Repeatable. */
  begin(): void
  /** Whether the mix is also sent for a page that the bot shows. */
  hear(isOn: boolean): void
}

/** Null if nothing can be sent. */
export function createPageAudioCapture({
  tap,
  config,
  isMeeting = () => true,
  voices,
}: PageAudioCaptureParts): PageAudioCapture | null {
  const { carry, audioTap } = config
  if (!carry) return null
  // A browser without these gives no audio here, and the sound server captures the meeting.
  if (!('MediaStreamTrackProcessor' in globalThis) || !('AudioEncoder' in globalThis)) return null
  const open = new Map<RTCRtpReceiver, TrackCapture>()
  const mixRate = audioTap?.mixRate ?? null
  const out = mixRate === null ? null : createMixCarrier('m', mixRate, carry)
  const outToPage = createMixCarrier('h', READ_RATE, carry)
  let isHeardByPage = false
  const mixer = createSoundMixer<RTCRtpReceiver>((heard) => {
    out?.(heard)
    if (isHeardByPage) outToPage(heard)
  })
  const apart = audioTap?.participantTracks === true && voices ? voices : null
  const held = createHeldVoices(voices?.participantsOf ?? ((owner) => [owner]), (participantId, { at, opus }) =>
    carry(`v ${at.toFixed(1)} ${base64(opus)} ${participantId}`),
  )
  let hasBegun = false
  let polling: ReturnType<typeof setInterval> | null = null

  /**
   * Splits one stream by its owners and encodes each; each stream has separate encoders, since two streams may carry
   * one person.
   */
  function createTrackCapture(certainAfter: number) {
    const encoders = new Map<string, VoiceEncoder>()
    return createVoiceSplitter(certainAfter, {
      speak(owner, heard) {
        let encoder = encoders.get(owner)
        if (!encoder) {
          encoder = createVoiceEncoder((packet) => held.add(owner, packet))
          encoders.set(owner, encoder)
        }
        encoder.encode(heard)
      },
      pause: (owner) => encoders.get(owner)?.end(),
    })
  }

  function listen(receiver: RTCRtpReceiver, tapped: TappedTrack | null): void {
    if (open.has(receiver) || receiver.track.readyState !== 'live' || !isMeeting(tapped)) return
    const splitter = apart && createTrackCapture(apart.certainAfter)
    const stop = readTrack(receiver.track, (heard) => {
      if (out !== null || isHeardByPage) mixer.add(receiver, heard)
      // To ask who is in it takes a call to another thread, which silence does not need.
      splitter?.add(heard, isSilent(heard) ? null : apart!.ownerOf(receiver, tapped))
    })
    open.set(receiver, {
      close() {
        stop()
        splitter?.end()
        mixer.remove(receiver)
      },
    })
  }

  function poll(): void {
    held.release()
    const receivers = new Set(tap.audioReceivers())
    for (const [receiver, ear] of open) {
      if (receivers.has(receiver)) continue
      open.delete(receiver)
      ear.close()
    }
    const tracks = tap.tracks('audio')
    for (const receiver of receivers) listen(receiver, tracks.find((tapped) => tapped.receiver === receiver) ?? null)
  }

  /** Reads the tracks while they are needed. */
  function update(): void {
    const isNeeded = hasBegun && (out !== null || apart !== null || isHeardByPage)
    if (isNeeded === (polling !== null)) return
    if (polling !== null) {
      clearInterval(polling)
      polling = null
      for (const ear of open.values()) ear.close()
      open.clear()
      return
    }
    polling = setInterval(poll, POLL_EVERY_MS)
    poll()
  }

  return {
    begin() {
      if (hasBegun) return
      hasBegun = true
      update()
      tap.onTrack((tapped) => {
        if (tapped.track.kind === 'audio' && polling !== null) listen(tapped.receiver, tapped)
      })
    },
    hear(isOn) {
      isHeardByPage = isOn
      update()
    },
  }
}

/** At the listener's rate, as signed 16 bit little-endian. */
export function createMixCarrier(kind: string, rate: number, carry: (payload: string) => void): (heard: Heard) => void {
  const decimate = createDecimator(READ_RATE, rate)
  const size = (rate * CARRIED_MS) / 1000
  const piece = new Int16Array(size)
  let filled = 0
  let beganAt = 0
  return ({ samples, at }) => {
    for (const value of decimate(samples)) {
      if (filled === 0) beganAt = at
      piece[filled++] = Math.round(Math.max(-1, Math.min(1, value)) * 32_767)
      if (filled < size) continue
      filled = 0
      carry(`${kind} ${beganAt.toFixed(1)} ${base64(new Uint8Array(piece.buffer))}`)
    }
  }
}

export function isSilent({ samples }: Heard): boolean {
  return samples.every((value) => Math.abs(value) < SILENCE)
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
}
