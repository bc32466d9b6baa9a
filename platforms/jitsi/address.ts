/** The address that the browser opens: the room with settings that keep its page quiet. Pure. */

import type { RecordingMode } from '@standin/wire/codes.ts'
import type { MeetingTarget } from '../../packages/core/meeting/meeting.ts'

export interface Address {
  url: string
  origin: string
  host: string
}

export interface AddressOptions {
  recordingMode: RecordingMode
  camera: 'on' | 'off'
  microphone: 'on' | 'off'
}

/** Sounds that the page itself would play into the recording. */
const SOUNDS = [
  'ASKED_TO_UNMUTE_SOUND',
  'E2EE_OFF_SOUND',
  'E2EE_ON_SOUND',
  'INCOMING_MSG_SOUND',
  'KNOCKING_PARTICIPANT_SOUND',
  'LIVE_STREAMING_OFF_SOUND',
  'LIVE_STREAMING_ON_SOUND',
  'NO_AUDIO_SIGNAL_SOUND',
  'NOISY_AUDIO_INPUT_SOUND',
  'PARTICIPANT_JOINED_SOUND',
  'PARTICIPANT_LEFT_SOUND',
  'RAISE_HAND_SOUND',
  'REACTION_SOUND',
  'RECORDING_OFF_SOUND',
  'RECORDING_ON_SOUND',
  'TALK_WHILE_MUTED_SOUND',
]

/**
 * Values that the page takes from the fragment, where its server lists them as free to set
 * (docs/platform-notes/jitsi.md#configuration-in-the-link).
 */
function settings({ recordingMode, camera, microphone }: AddressOptions): Record<string, unknown> {
  return {
    // The prejoin page is asked for even if the server leaves it out: there devices are set first.
    'config.prejoinConfig.enabled': true,
    'config.startWithAudioMuted': microphone === 'off',
    'config.startWithVideoMuted': camera === 'off',
    // Skips the page that offers the desktop app.
    'config.disableDeepLinking': true,
    'config.deeplinking.disabled': true,
    // One connection for the whole meeting, instead of a new one whenever only two people are in it.
    'config.p2p.enabled': false,
    'config.enableInsecureRoomNameWarning': false,
    'config.enableNoAudioDetection': false,
    'config.enableNoisyMicDetection': false,
    'config.disableThirdPartyRequests': true,
    'config.analytics.disabled': true,
    'config.disabledSounds': SOUNDS,
    // Video is not requested where it is not recorded; newer servers have another name for the setting.
    ...(recordingMode === 'audio_only' ? { 'config.startAudioOnly': true, 'config.startLowBandwidthMode': true } : {}),
  }
}

export function addressOf(target: MeetingTarget, options: AddressOptions): Address {
  const url = new URL(target.url)
  // The page's wording is a sign, so its language is set to English.
  url.searchParams.set('lang', 'en')
  url.hash = Object.entries(settings(options))
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join('&')
  return { url: url.href, origin: url.origin, host: url.host }
}
