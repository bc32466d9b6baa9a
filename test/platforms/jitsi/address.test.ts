import { expect, test } from 'vitest'
import { addressOf } from '../../../platforms/jitsi/address.ts'

const TARGET = {
  platform: 'jitsi',
  url: 'https://8x8.vc/acme/Weekly?jwt=ey.J.z',
  meetingId: '8x8.vc/acme/Weekly',
} as const
const settingsOf = (url: string) =>
  Object.fromEntries(
    new URL(url).hash
      .slice(1)
      .split('&')
      .map((entry) => entry.split('=')),
  )

test('the address asks the page for English, without its own page before the meeting, and for the devices in the job', () => {
  const { url, origin, host } = addressOf(TARGET, { recordingMode: 'speaker_view', camera: 'on', microphone: 'off' })
  expect([origin, host]).toEqual(['https://8x8.vc', '8x8.vc'])
  const { searchParams, pathname } = new URL(url)
  expect(pathname).toBe('/acme/Weekly')
  expect(Object.fromEntries(searchParams)).toEqual({ jwt: 'ey.J.z', lang: 'en' })
  expect(settingsOf(url)).toMatchObject({
    'config.prejoinConfig.enabled': 'true',
    'config.startWithAudioMuted': 'true',
    'config.startWithVideoMuted': 'false',
    'config.disableDeepLinking': 'true',
    'config.p2p.enabled': 'false',
  })
})

test('the sounds of the page itself stay out of the recording', () => {
  const { url } = addressOf(TARGET, { recordingMode: 'audio_only', camera: 'off', microphone: 'off' })
  const sounds = JSON.parse(decodeURIComponent(settingsOf(url)['config.disabledSounds'] ?? ''))
  expect(sounds).toEqual(expect.arrayContaining(['PARTICIPANT_JOINED_SOUND', 'INCOMING_MSG_SOUND', 'RAISE_HAND_SOUND']))
})

test('pictures are asked for only where they are recorded', () => {
  const asks = (recordingMode: 'audio_only' | 'gallery_view') =>
    'config.startAudioOnly' in settingsOf(addressOf(TARGET, { recordingMode, camera: 'off', microphone: 'off' }).url)
  expect([asks('audio_only'), asks('gallery_view')]).toEqual([true, false])
})
