import { expect, test } from 'vitest'
import { scriptConfig } from '../../../../platforms/shared/page-access/script-config.ts'

const SAID = { botName: 'Bot', recordingMode: 'speaker_view' } as const
const BOT = { ...SAID, botImages: [] }
const TOLD = { ...SAID, botImage: null }
const nothing = () => undefined

test('a job without options is a recording with sound and picture in sync, without captions and without an audio tap', () => {
  expect(scriptConfig(BOT, {})).toEqual({ ...TOLD, playout: 'even', captions: false })
})

test('the page receives the delay of the capture environment, and only the audio that a listener wants', () => {
  const audioTap = { mixRate: 16_000, wantsParticipantTracks: true, onMix: nothing, onParticipantAudio: nothing }
  expect(
    scriptConfig({ ...BOT, playout: 'live', captions: true, talks: true, audioTap }, { soundAheadMs: 200 }),
  ).toEqual({
    ...TOLD,
    ...{ playout: 'live', captions: true, talks: true, soundAheadMs: 200 },
    audioTap: { mixRate: 16_000, participantTracks: true },
  })
})

test('the first picture that can be shown is shown at the start', () => {
  expect(scriptConfig({ ...BOT, botImages: [null, 'data:one', 'data:two'] }, {}).botImage).toBe('data:one')
  expect(scriptConfig({ ...BOT, botImages: [null] }, {}).botImage).toBeNull()
})
