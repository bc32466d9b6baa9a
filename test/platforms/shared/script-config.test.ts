import { expect, test } from 'vitest'
import { scriptConfig } from '../../../platforms/shared/script-config.ts'

const BOT = { botName: 'Bot', botImage: null, recordingMode: 'speaker_view' } as const
const nothing = () => undefined

test('a job that asks for nothing is a recording in step, without captions, that nobody hears', () => {
  expect(scriptConfig(BOT, {})).toEqual({ ...BOT, playout: 'even', captions: false })
})

test('the page is told what the stage keeps ready, and only what somebody wants to hear', () => {
  const ears = { mixRate: 16_000, wantsVoices: true, takeMix: nothing, takeVoice: nothing }
  expect(scriptConfig({ ...BOT, playout: 'live', captions: true, ears }, { soundAheadMs: 200 })).toEqual({
    ...BOT,
    ...{ playout: 'live', captions: true, soundAheadMs: 200 },
    ears: { mixRate: 16_000, voices: true },
  })
})
